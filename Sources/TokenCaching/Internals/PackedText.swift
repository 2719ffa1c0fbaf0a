/// Where one of several texts lies in a ``PackedText``.
struct TextRange: Hashable, Sendable {
    let start: UInt32
    let count: UInt32

    var isEmpty: Bool { count == 0 }
}

/// Several short texts behind one another, in one allocation.
///
/// Comparing is by bytes.
struct PackedText: Sendable {
    private(set) var bytes: [UInt8] = []

    init() {}

    init(reserving byteCount: Int) {
        bytes.reserveCapacity(byteCount)
    }

    /// Puts in `text` as it is.
    mutating func append(_ text: String) -> TextRange {
        let start = bytes.count
        bytes.append(contentsOf: text.utf8)
        return range(from: start)
    }

    /// Puts in a text of another one.
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
