/// Remembers values that entries have in common, so that the same environment, tenant, client or scopes are made once
/// and shared: entries of many accounts differ in little else.
///
/// A fixed number of places; a new value takes the place of an older one. Not shared between threads: each user has one.
package struct FieldPool: Sendable {
    private var texts: [Slot<UTF8Text>]
    private var scopes: [Slot<ScopeSet>]

    private struct Slot<Value: Sendable>: Sendable {
        let bytes: [UInt8]
        let value: Value?
    }

    private static let textCount = 256
    private static let scopeCount = 64
    /// Longer values are made each time.
    private static let longest = 4096

    /// Some kilobytes.
    package init() {
        texts = Array(repeating: Slot(bytes: [], value: nil), count: FieldPool.textCount)
        scopes = Array(repeating: Slot(bytes: [], value: nil), count: FieldPool.scopeCount)
    }

    /// One that remembers nothing and costs nothing.
    static let none = FieldPool(texts: [], scopes: [])

    private init(texts: [Slot<UTF8Text>], scopes: [Slot<ScopeSet>]) {
        self.texts = texts
        self.scopes = scopes
    }

    /// The bytes as text, trimmed and folded; nil where nothing is left or they are no text.
    mutating func normalizedText(_ bytes: RawSpan) -> UTF8Text? {
        let remembers = !texts.isEmpty && bytes.byteCount <= FieldPool.longest
        let index = remembers ? FieldPool.place(bytes) & (FieldPool.textCount - 1) : 0
        if remembers {
            let slot = texts[index]
            if slot.bytes.raw.isEqual(to: bytes) { return slot.value }
        }
        var value = UTF8Text(normalizing: bytes)
        if value?.isEmpty == true { value = nil }
        if remembers { texts[index] = Slot(bytes: bytes.copied(), value: value) }
        return value
    }

    /// The bytes as scopes; nil where they are no text.
    mutating func scopeSet(_ bytes: RawSpan) -> ScopeSet? {
        let remembers = !scopes.isEmpty && bytes.byteCount <= FieldPool.longest
        let index = remembers ? FieldPool.place(bytes) & (FieldPool.scopeCount - 1) : 0
        if remembers {
            let slot = scopes[index]
            if let value = slot.value, slot.bytes.raw.isEqual(to: bytes) { return value }
        }
        let value = UTF8Text(utf8: bytes).map { ScopeSet($0) }
        if remembers { scopes[index] = Slot(bytes: bytes.copied(), value: value) }
        return value
    }

    private static func place(_ bytes: RawSpan) -> Int {
        let count = bytes.byteCount
        var mixed = UInt64(count)
        for offset in stride(from: 0, to: count, by: 8) {
            mixed = (mixed ^ bytes.partialWord(offset, count: count - offset)) &* 0x9E37_79B9_7F4A_7C15
            mixed ^= mixed >> 32
        }
        return Int(truncatingIfNeeded: mixed >> 8)
    }
}
