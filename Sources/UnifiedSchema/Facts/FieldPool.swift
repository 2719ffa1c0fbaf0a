// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// Remembers values that entries have in common, so that the same environment, tenant, client or scopes are created
/// once and shared: entries of many accounts differ in little else.
///
/// The number of slots is fixed; a new value replaces an older one. Not shared between threads: each user has its own.
package struct FieldPool: Sendable {
    /// Keyed by the normalised value: unnormalised spellings are not remembered.
    private var texts: [UTF8Text?]
    private var scopes: [ScopeSet?]

    /// Longer values are not remembered.
    private static let longest = 4096

    /// Takes some kilobytes.
    package init() {
        self.init(textCount: 256, scopeCount: 64)
    }

    /// A new pool for the entries of one account.
    package static var ofOneAccount: FieldPool { FieldPool(textCount: 32, scopeCount: 4) }

    /// A pool that remembers nothing and costs nothing.
    package static let none = FieldPool(textCount: 0, scopeCount: 0)

    /// The counts are powers of two, or zero.
    private init(textCount: Int, scopeCount: Int) {
        texts = Array(repeating: nil, count: textCount)
        scopes = Array(repeating: nil, count: scopeCount)
    }

    /// The bytes as text, trimmed and folded; nil if nothing is left or they are not UTF-8.
    mutating func normalizedText(_ bytes: RawSpan) -> UTF8Text? {
        let remembers = !texts.isEmpty && bytes.byteCount <= FieldPool.longest
        let index = remembers ? FieldPool.location(bytes) & (texts.count - 1) : 0
        // A remembered value is already trimmed and folded.
        if remembers, let value = texts[index], value.bytes.isEqual(to: bytes) { return value }
        guard let value = UTF8Text(normalizing: bytes), !value.isEmpty else { return nil }
        if remembers { texts[index] = value }
        return value
    }

    /// The bytes as scopes; nil if they are not UTF-8.
    mutating func scopeSet(_ bytes: RawSpan) -> ScopeSet? {
        let remembers = !scopes.isEmpty && bytes.byteCount <= FieldPool.longest
        let index = remembers ? FieldPool.location(bytes) & (scopes.count - 1) : 0
        if remembers, let value = scopes[index], value.text.bytes.isEqual(to: bytes) { return value }
        let value = UTF8Text(utf8: bytes).map { ScopeSet($0) }
        if remembers { scopes[index] = value }
        return value
    }

    /// A slot computed from the ends and the length: values that differ only in between share it.
    private static func location(_ bytes: RawSpan) -> Int {
        let count = bytes.byteCount
        let head = bytes.partialWord(at: 0, count: count)
        let tail = count > 8 ? bytes.word(at: count - 8) : 0
        var mixed = (head ^ (tail << 29 | tail >> 35) ^ UInt64(count)) &* 0x9E37_79B9_7F4A_7C15
        mixed ^= mixed >> 29
        return Int(truncatingIfNeeded: mixed >> 8)
    }
}
