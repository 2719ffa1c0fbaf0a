// SPDX-License-Identifier: Apache-2.0

/// The range of one text in a ``PackedText``.
struct TextRange: Hashable, Sendable {
    let start: UInt32
    let count: UInt32

    var isEmpty: Bool { count == 0 }
}

/// Several short texts, contiguous in one allocation.
///
/// Compared byte by byte.
struct PackedText: Sendable {
    private(set) var bytes: [UInt8] = []

    init() {}

    init(reserving byteCount: Int) {
        bytes.reserveCapacity(byteCount)
    }

    /// Appends `text` unchanged.
    mutating func append(_ text: String) -> TextRange {
        let start = bytes.count
        bytes.append(contentsOf: text.utf8)
        return range(from: start)
    }

    /// Appends a text of another instance.
    mutating func append(copying text: RawSpan) -> TextRange {
        let start = bytes.count
        // SAFETY: only read during the call.
        unsafe text.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        return range(from: start)
    }

    /// The bytes of one text.
    @inline(__always)
    @_lifetime(borrow self)
    func span(_ range: TextRange) -> RawSpan {
        // SAFETY: UInt8 has no padding.
        let all = unsafe bytes.span.bytes
        return all.extracting(Int(range.start)..<Int(range.start + range.count))
    }

    private func range(from start: Int) -> TextRange {
        TextRange(start: UInt32(start), count: UInt32(bytes.count - start))
    }
}
