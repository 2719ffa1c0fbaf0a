/// Where one of several texts lies in a ``PackedText``.
struct TextRange: Hashable, Sendable {
    let start: UInt32
    let count: UInt32

    var isEmpty: Bool { count == 0 }
}

/// Several short texts behind one another, in one allocation.
///
/// Comparing is by bytes. Texts that are compared without regard to case are folded when they are put in.
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

    /// Puts in `text` without ASCII white space at its ends and with A-Z folded to a-z, as identities are compared.
    mutating func appendFolded(_ text: String) -> TextRange {
        let start = bytes.count
        var text = text
        text.withUTF8 { buffer in
            // SAFETY: the indices stay within the buffer, which lives as long as the closure runs.
            var (first, end) = (0, buffer.count)
            while end > 0, unsafe ASCIIText.isSpace(buffer[end - 1]) { end -= 1 }
            while first < end, unsafe ASCIIText.isSpace(buffer[first]) { first += 1 }
            unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[first..<end]))
        }
        fold(from: start)
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

    func string(_ range: TextRange) -> String {
        String(decoding: bytes[Int(range.start)..<Int(range.start + range.count)], as: UTF8.self)
    }

    private func range(from start: Int) -> TextRange {
        TextRange(start: UInt32(start), count: UInt32(bytes.count - start))
    }

    private mutating func fold(from start: Int) {
        // SAFETY: the buffer is only changed inside the closure, within its bounds.
        unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            for index in start..<buffer.count {
                let byte = unsafe buffer[index]
                unsafe buffer[index] = ASCIIText.folded(byte)
            }
        }
    }
}
