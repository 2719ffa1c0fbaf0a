internal import Glibc

// The one file of this module that reads memory by offset. Everything above it works on `RawSpan` and never on pointers.

extension RawSpan {
    /// The byte at `offset`, which the caller has compared with `byteCount`.
    @inline(__always)
    func byte(_ offset: Int) -> UInt8 {
        assert(offset >= 0 && offset < byteCount)
        // SAFETY: every caller compares the offset with `byteCount` first; debug builds check it again.
        return unsafe unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
    }

    /// Eight bytes from `offset` on, the first one lowest.
    @inline(__always)
    func word(_ offset: Int) -> UInt64 {
        assert(offset >= 0 && offset + 8 <= byteCount)
        // SAFETY: every caller compares `offset + 8` with `byteCount` first; debug builds check it again.
        return UInt64(littleEndian: unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
    }

    /// Up to eight bytes from `offset` on, the first one lowest, zeros behind `count`.
    @inline(__always)
    func partialWord(_ offset: Int, count: Int) -> UInt64 {
        if count >= 8 { return word(offset) }
        var result: UInt64 = 0
        for index in 0..<max(0, count) {
            result |= UInt64(byte(offset + index)) << UInt64(8 * index)
        }
        return result
    }

    /// Whether two runs of bytes are the same, byte for byte.
    func isEqual(to other: RawSpan) -> Bool {
        let count = byteCount
        guard count == other.byteCount else { return false }
        var offset = 0
        while offset + 8 <= count {
            if word(offset) != other.word(offset) { return false }
            offset += 8
        }
        // The last eight bytes: some of them a second time.
        if count >= 8 { return word(count - 8) == other.word(count - 8) }
        return partialWord(offset, count: count - offset) == other.partialWord(offset, count: count - offset)
    }

    /// Whether no byte is above 0x7F.
    var isASCII: Bool {
        let count = byteCount
        var offset = 0
        while offset + 8 <= count {
            if word(offset) & ASCII.highBits != 0 { return false }
            offset += 8
        }
        return partialWord(offset, count: count - offset) & ASCII.highBits == 0
    }

    /// Whether one of the bytes is `wanted`.
    func contains(_ wanted: UInt8) -> Bool {
        // SAFETY: the buffer is only read, inside the closure.
        unsafe withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return false }
            return unsafe memchr(base, Int32(wanted), buffer.count) != nil
        }
    }

    /// The bytes as an array: a copy in ordinary memory, so never of a secret.
    func copied() -> [UInt8] {
        // SAFETY: the buffer is only read, inside the closure.
        unsafe withUnsafeBytes { buffer in unsafe Array(buffer) }
    }
}

extension StaticString {
    /// The byte at `offset`, which the caller has compared with `utf8CodeUnitCount`.
    func byte(_ offset: Int) -> UInt8 {
        assert(offset >= 0 && offset < utf8CodeUnitCount)
        // SAFETY: constants live for good; every caller compares the offset with the count first.
        return unsafe utf8Start[offset]
    }

    /// Whether these are the bytes.
    func isEqual(to bytes: RawSpan) -> Bool {
        guard bytes.byteCount == utf8CodeUnitCount else { return false }
        // SAFETY: constants live for good; the buffer is only read, inside the closure, and both are as long.
        return unsafe bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return true }
            return unsafe memcmp(base, utf8Start, buffer.count) == 0
        }
    }
}

extension Array where Element == UInt8 {
    /// The elements as raw bytes.
    @inline(__always)
    var raw: RawSpan {
        @_lifetime(borrow self)
        get {
            // SAFETY: UInt8 has no padding.
            unsafe span.bytes
        }
    }

    /// Appends the bytes.
    @inline(__always)
    mutating func append(_ bytes: RawSpan) {
        // SAFETY: the buffer is only read, inside the closure.
        unsafe bytes.withUnsafeBytes { buffer in unsafe append(contentsOf: buffer) }
    }
}

extension String {
    /// The UTF-8 of the text as raw bytes.
    @inline(__always)
    var raw: RawSpan {
        @_lifetime(borrow self)
        get {
            // SAFETY: UInt8 has no padding.
            unsafe utf8Span.span.bytes
        }
    }

    /// Text of `bytes` when they are UTF-8, with A-Z folded to a-z.
    init?(folding bytes: RawSpan) {
        guard bytes.isASCII else {
            guard let text = String(raw: bytes) else { return nil }
            self = text.foldingASCII()
            return
        }
        self.init(foldingValid: bytes)
    }

    /// The text with A-Z folded to a-z, all else as it is.
    func foldingASCII() -> String {
        String(foldingValid: raw)
    }

    /// `bytes` are known to be UTF-8.
    private init(foldingValid bytes: RawSpan) {
        let count = bytes.byteCount
        // SAFETY: the buffer holds `count` bytes by contract, and exactly those are written.
        unsafe self.init(unsafeUninitializedCapacity: count) { buffer in
            var offset = 0
            while offset + 8 <= count {
                let folded = ASCII.folded(word: bytes.word(offset))
                unsafe UnsafeMutableRawPointer(buffer.baseAddress.unsafelyUnwrapped + offset)
                    .storeBytes(of: folded.littleEndian, as: UInt64.self)
                offset += 8
            }
            while offset < count {
                unsafe buffer.initializeElement(at: offset, to: ASCII.folded(bytes.byte(offset)))
                offset += 1
            }
            return count
        }
    }

    /// Text of at most `byteCount` bytes, which `write` writes: they have to be UTF-8.
    init(byteCount: Int, _ write: (inout OutputRawSpan) -> Void) {
        // SAFETY: what counts is what the span says was written, within the room that there is.
        unsafe self.init(unsafeUninitializedCapacity: byteCount) { buffer in
            let room = unsafe UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: byteCount)
            var output = unsafe OutputRawSpan(buffer: room, initializedCount: 0)
            write(&output)
            return unsafe output.finalize(for: room)
        }
    }

    /// Text of `bytes` when they are UTF-8.
    init?(raw bytes: RawSpan) {
        guard let valid = try? UTF8Span(validating: Span<UInt8>(_bytes: bytes)) else { return nil }
        self = String(copying: valid)
    }
}

extension Hasher {
    /// Mixes in the bytes, without their count.
    mutating func combine(_ bytes: RawSpan) {
        // SAFETY: the buffer is only read, inside the closure.
        unsafe bytes.withUnsafeBytes { buffer in unsafe combine(bytes: buffer) }
    }
}

extension OutputRawSpan {
    /// Appends the bytes; the caller has compared their number with `freeCapacity`.
    @_lifetime(self: copy self)
    mutating func append(_ bytes: RawSpan) {
        precondition(bytes.byteCount <= freeCapacity, "the bytes must fit")
        // SAFETY: what is written lies in the room that was just found to be there, and is as much as is counted.
        unsafe withUnsafeMutableBytes { buffer, initializedCount in
            unsafe bytes.withUnsafeBytes { source in
                unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[initializedCount...]).copyMemory(from: source)
            }
            initializedCount += bytes.byteCount
        }
    }

    /// Appends the bytes, with A-Z folded to a-z where that is wanted.
    @_lifetime(self: copy self)
    mutating func append(_ bytes: RawSpan, folding: Bool) {
        guard folding else { return append(bytes) }
        let count = bytes.byteCount
        guard count >= 8 else {
            for offset in 0..<count { append(byte: ASCII.folded(bytes.byte(offset))) }
            return
        }
        precondition(count <= freeCapacity, "the bytes must fit")
        // SAFETY: what is written lies in the room that was just found to be there, and is as much as is counted.
        unsafe withUnsafeMutableBytes { buffer, initializedCount in
            var offset = 0
            while offset < count {
                // The last eight bytes: some of them a second time.
                let place = min(offset, count - 8)
                let word = ASCII.folded(word: bytes.word(place)).littleEndian
                unsafe buffer.storeBytes(of: word, toByteOffset: initializedCount + place, as: UInt64.self)
                offset += 8
            }
            initializedCount += count
        }
    }

    @inline(__always)
    @_lifetime(self: copy self)
    mutating func append(byte: UInt8) {
        // SAFETY: a byte has no padding; the span itself checks its capacity.
        unsafe append(byte, as: UInt8.self)
    }
}
