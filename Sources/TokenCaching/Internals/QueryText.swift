internal import Glibc

/// The texts of one query behind one another, in one piece of memory: many a query is made for one lookup only.
///
/// Texts that are compared without regard to case are folded while they are put in: A-Z become a-z.
@safe struct QueryText: ~Copyable, @unchecked Sendable {
    // SAFETY: changed by its one owner only, before that shares it; freed when the owner goes away.
    private var base: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private(set) var count = 0

    /// - Parameter capacity: how many bytes are expected. More find room too.
    init(capacity: Int) {
        self.capacity = max(capacity, 16)
        unsafe base = QueryText.memory(self.capacity, growing: nil)
    }

    init(copying other: borrowing QueryText) {
        self.init(capacity: other.count)
        // SAFETY: room for so many was made above.
        unsafe base.update(from: other.base, count: other.count)
        count = other.count
    }

    deinit { unsafe free(base) }

    /// Puts in `text` as it is.
    mutating func append(_ text: String) -> TextRange {
        var text = text
        let start = count
        text.withUTF8 { bytes in
            let room = unsafe room(for: bytes.count)
            for index in 0..<bytes.count { unsafe room[index] = bytes[index] }
            count += bytes.count
        }
        return range(from: start)
    }

    /// Puts in `text` without ASCII white space at its ends and folded, as identities are compared.
    mutating func appendFolded(_ text: String) -> TextRange {
        var text = text
        let start = count
        text.withUTF8 { bytes in
            var (first, end) = (0, bytes.count)
            while end > 0, unsafe ASCIIText.isSpace(bytes[end - 1]) { end -= 1 }
            while first < end, unsafe ASCIIText.isSpace(bytes[first]) { first += 1 }
            unsafe appendFolded(UnsafeBufferPointer(rebasing: bytes[first..<end]))
        }
        return range(from: start)
    }

    /// Puts in the words of `text`, which ASCII white space divides, folded and with a space behind each. Those that are not
    /// wanted, as they are when folded, are left out.
    mutating func appendWords(of text: String, where isWanted: (RawSpan) -> Bool) {
        var text = text
        text.withUTF8 { bytes in
            // SAFETY: the bytes live as long as the closure runs.
            let words = unsafe RawSpan(_unsafeElements: bytes)
            _ = words.allWords { word in
                let start = count
                unsafe word.withUnsafeBytes { unsafe appendFolded($0.assumingMemoryBound(to: UInt8.self)) }
                if isWanted(span(range(from: start))) { appendSpace() } else { count = start }
                return true
            }
        }
    }

    /// The bytes of one text.
    @inline(__always)
    @_lifetime(borrow self)
    func span(_ range: TextRange) -> RawSpan {
        unsafe unsafeBytes.extracting(Int(range.start)..<Int(range.start + range.count))
    }

    /// All bytes, in place, for an owner that hands them out as long as it lives itself.
    @unsafe var unsafeBytes: RawSpan {
        @_lifetime(immortal)
        get {
            let span = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(base), byteCount: count)
            return unsafe _overrideLifetime(span, copying: ())
        }
    }

    /// What was put in since there were `start` bytes.
    func range(from start: Int) -> TextRange {
        TextRange(start: UInt32(start), count: UInt32(count - start))
    }

    private mutating func appendSpace() {
        unsafe room(for: 1).pointee = 0x20
        count += 1
    }

    @unsafe private mutating func appendFolded(_ bytes: UnsafeBufferPointer<UInt8>) {
        let room = unsafe room(for: bytes.count)
        for index in 0..<bytes.count { unsafe room[index] = ASCIIText.folded(bytes[index]) }
        count += bytes.count
    }

    /// Where so many bytes may be written, behind those that are there.
    @unsafe private mutating func room(for byteCount: Int) -> UnsafeMutablePointer<UInt8> {
        if count + byteCount > capacity {
            capacity = max(2 * capacity, count + byteCount)
            unsafe base = QueryText.memory(capacity, growing: base)
        }
        return unsafe base + count
    }

    private static func memory(
        _ byteCount: Int,
        growing old: UnsafeMutablePointer<UInt8>?
    ) -> UnsafeMutablePointer<UInt8> {
        // Without memory for a few names Swift's own allocations end the process too.
        guard let memory = unsafe realloc(old, byteCount) else { fatalError("out of memory") }
        return unsafe memory.bindMemory(to: UInt8.self, capacity: byteCount)
    }
}
