// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import Glibc

/// The texts of one query, contiguous in one piece of memory, because many queries are created for a single lookup.
///
/// Texts that are compared without regard to case are folded: A-Z become a-z.
@safe struct QueryText: ~Copyable, @unchecked Sendable {
    // SAFETY: only the one owner changes it, and only before sharing it; freed when the owner goes away.
    private var base: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private(set) var count = 0

    /// - Parameter capacity: the expected number of bytes; it grows if there are more.
    init(capacity: Int) {
        self.capacity = max(capacity, 16)
        unsafe base = QueryText.memory(self.capacity, growing: nil)
    }

    init(copying other: borrowing QueryText) {
        self.init(capacity: other.count)
        // SAFETY: space for that many bytes was allocated above.
        unsafe base.update(from: other.base, count: other.count)
        count = other.count
    }

    deinit { unsafe free(base) }

    /// Appends `text` unchanged.
    mutating func append(_ text: String) -> TextRange {
        let start = count
        // SAFETY: the bytes are only read, inside the closure.
        unsafe text.withBytes { unsafe append($0) }
        return range(from: start)
    }

    /// Appends `text` without leading and trailing ASCII white space.
    mutating func appendTrimmed(_ text: String) -> TextRange {
        let start = count
        // SAFETY: the bytes are only read, inside the closure, from `first` to `end`.
        unsafe text.withBytes { bytes in
            var (first, end) = (0, bytes.count)
            while end > 0, unsafe ASCII.isWhitespace(bytes[end - 1]) { end -= 1 }
            while first < end, unsafe ASCII.isWhitespace(bytes[first]) { first += 1 }
            unsafe append(UnsafeBufferPointer(rebasing: bytes[first..<end]))
        }
        return range(from: start)
    }

    /// Appends `text` without leading and trailing ASCII white space, and folded, as identities are compared.
    mutating func appendFolded(_ text: String) -> TextRange {
        let range = appendTrimmed(text)
        fold(from: Int(range.start))
        return range
    }

    /// Folds the bytes appended after the first `start` bytes. Several texts are folded at once, because the compiler
    /// processes sixteen bytes at a time, which pays off for long runs.
    mutating func fold(from start: Int) {
        precondition(start <= count)
        // SAFETY: the first `count` bytes are initialised.
        let bytes = unsafe UnsafeMutableBufferPointer(start: base + start, count: count - start)
        for index in bytes.indices { unsafe bytes[index] = ASCII.folded(bytes[index]) }
    }

    /// Appends `text` followed by a space.
    mutating func appendWords(_ text: String) {
        // SAFETY: the bytes are only read, inside the closure; room for the space is made.
        unsafe text.withBytes { unsafe append($0) }
        unsafe room(for: 1).pointee = 0x20
        count += 1
    }

    /// Removes unwanted words among those that ``appendWords(_:)`` appended after the first `start` bytes, and white
    /// space except one space after each word.
    mutating func keepWords(from start: Int, where isWanted: (RawSpan) -> Bool) {
        // SAFETY: nothing is appended while the bytes are in use.
        let bytes = unsafe unsafeBytes
        precondition(count == start || bytes.byte(at: count - 1) == 0x20, "the last word must be followed by a space")
        var (next, kept) = (start, start)
        while next < count {
            let word = next..<bytes.endOfWord(from: next)
            next = word.upperBound + 1
            guard !word.isEmpty, isWanted(bytes.extracting(word)) else { continue }
            // SAFETY: a word only ever moves towards the start, behind the words kept before it, and the white space
            // after it, which the last word has too, leaves room for one space.
            if kept < word.lowerBound { unsafe (base + kept).update(from: base + word.lowerBound, count: word.count) }
            kept += word.count
            unsafe base[kept] = 0x20
            kept += 1
        }
        count = kept
    }

    /// The bytes of one text.
    @inline(__always)
    @_lifetime(borrow self)
    func span(_ range: TextRange) -> RawSpan {
        unsafe unsafeBytes.extracting(Int(range.start)..<Int(range.start + range.count))
    }

    /// All bytes, in place. The owner may hand them out only for its own lifetime.
    @unsafe var unsafeBytes: RawSpan {
        @_lifetime(immortal)
        get {
            let span = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(base), byteCount: count)
            return unsafe _overrideLifetime(span, copying: ())
        }
    }

    /// The range of the bytes appended after the first `start` bytes.
    func range(from start: Int) -> TextRange {
        TextRange(start: UInt32(start), count: UInt32(count - start))
    }

    @inline(__always)
    @unsafe private mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let first = bytes.baseAddress else { return }
        // SAFETY: memory for the bytes is allocated first, and does not overlap with the source.
        unsafe room(for: bytes.count).update(from: first, count: bytes.count)
        count &+= bytes.count
    }

    /// The address at which this many bytes may be written after the existing ones.
    @inline(__always)
    @unsafe private mutating func room(for byteCount: Int) -> UnsafeMutablePointer<UInt8> {
        if count + byteCount > capacity { grow(by: byteCount) }
        return unsafe base + count
    }

    @inline(never)
    private mutating func grow(by byteCount: Int) {
        capacity = max(2 * capacity, count + byteCount)
        unsafe base = QueryText.memory(capacity, growing: base)
    }

    private static func memory(
        _ byteCount: Int,
        growing old: UnsafeMutablePointer<UInt8>?
    ) -> UnsafeMutablePointer<UInt8> {
        // If there is no memory for a few names, Swift's own allocations end the process too.
        guard let memory = unsafe realloc(old, byteCount) else { fatalError("out of memory") }
        return unsafe memory.bindMemory(to: UInt8.self, capacity: byteCount)
    }
}

extension String {
    /// Passes the UTF-8 to `body`, in place if it is contiguous, which takes no reference count.
    @inline(__always)
    fileprivate func withBytes(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        if unsafe utf8.withContiguousStorageIfAvailable(body) == nil { unsafe withCopiedBytes(body) }
    }

    /// Apart, so that the compiler inlines `body` where the bytes are in place.
    @inline(never)
    private func withCopiedBytes(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        var text = self
        text.withUTF8(body)
    }
}
