// SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension RawSpan {
    /// Whether both contain the same bytes. Returns early at the first difference, so it must not compare secrets.
    @inlinable
    public func isEqual(to other: RawSpan) -> Bool {
        let count = byteCount
        guard count == other.byteCount else { return false }
        var offset = 0
        while offset &+ 8 <= count {
            if word(at: offset) != other.word(at: offset) { return false }
            offset &+= 8
        }
        // The last eight bytes overlap those before them.
        if count >= 8 { return word(at: count &- 8) == other.word(at: count &- 8) }
        while offset < count {
            if byte(at: offset) != other.byte(at: offset) { return false }
            offset &+= 1
        }
        return true
    }

    /// Whether these bytes equal `folded` once A-Z are folded to a-z.
    @inlinable
    public func isEqual(toFolded folded: RawSpan) -> Bool {
        let count = byteCount
        guard count == folded.byteCount else { return false }
        var offset = 0
        while offset &+ 8 <= count {
            if ASCII.folded(word: word(at: offset)) != folded.word(at: offset) { return false }
            offset &+= 8
        }
        if count >= 8 { return ASCII.folded(word: word(at: count &- 8)) == folded.word(at: count &- 8) }
        if count >= 4 {
            // The last four bytes overlap the first ones.
            let (first, last) = (UInt64(halfWord(at: 0)), UInt64(halfWord(at: count &- 4)))
            return ASCII.folded(word: first | last << 32)
                == UInt64(folded.halfWord(at: 0)) | UInt64(folded.halfWord(at: count &- 4)) << 32
        }
        while offset < count {
            if ASCII.folded(byte(at: offset)) != folded.byte(at: offset) { return false }
            offset &+= 1
        }
        return true
    }

    /// Whether both contain the same bytes once A-Z are folded to a-z.
    public func isEqual(ignoringCase other: RawSpan) -> Bool {
        let count = byteCount
        guard count == other.byteCount else { return false }
        var offset = 0
        while offset &+ 8 <= count {
            let (word, others) = (word(at: offset), other.word(at: offset))
            if word != others, ASCII.folded(word: word) != ASCII.folded(word: others) { return false }
            offset &+= 8
        }
        // The last eight bytes overlap those before them.
        let start = max(0, count &- 8)
        let (word, others) = (partialWord(at: start, count: count), other.partialWord(at: start, count: count))
        return word == others || ASCII.folded(word: word) == ASCII.folded(word: others)
    }

    /// Whether no byte is above 0x7F.
    @inlinable
    public var isASCII: Bool {
        let count = byteCount
        var offset = 0
        while offset + 8 <= count {
            if word(at: offset) & ASCII.highBits != 0 { return false }
            offset += 8
        }
        return partialWord(at: offset, count: count - offset) & ASCII.highBits == 0
    }

    /// Whether all bytes are zero.
    @inlinable
    public var isZero: Bool {
        let count = byteCount
        var offset = 0
        while offset + 8 <= count {
            if word(at: offset) != 0 { return false }
            offset += 8
        }
        return partialWord(at: offset, count: count - offset) == 0
    }

    /// The number of bytes without the zeros at the end.
    public var byteCountWithoutLastZeros: Int {
        var count = byteCount
        while count >= 8, word(at: count - 8) == 0 { count -= 8 }
        while count > 0, byte(at: count - 1) == 0 { count -= 1 }
        return count
    }

    /// Whether any byte equals `wanted`.
    public func contains(_ wanted: UInt8) -> Bool { firstOffset(of: wanted, from: 0) != nil }

    /// The offset of the first `wanted` byte at or after `start`.
    public func firstOffset(of wanted: UInt8, from start: Int) -> Int? {
        guard start < byteCount else { return nil }
        // SAFETY: the buffer is only read, inside the closure, and the result is within it.
        return unsafe extracting(start...).withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress, let found = unsafe memchr(base, Int32(wanted), buffer.count) else {
                return nil
            }
            return unsafe start + (UnsafeRawPointer(found) - base)
        }
    }
}

extension RawSpan {
    /// Whether the bytes equal a constant.
    @inlinable
    public func isEqual(to constant: StaticString) -> Bool {
        guard byteCount == constant.utf8CodeUnitCount else { return false }
        for offset in 0..<byteCount where byte(at: offset) != constant.byte(at: offset) { return false }
        return true
    }

    /// Whether the bytes equal a constant once A-Z are folded to a-z.
    @inlinable
    public func folds(to constant: StaticString) -> Bool {
        // SAFETY: the constant has that many bytes, and is never freed.
        let folded = unsafe RawSpan(_unsafeStart: constant.utf8Start, byteCount: constant.utf8CodeUnitCount)
        return isEqual(toFolded: folded)
    }
}

extension StaticString {
    /// The byte at `offset`. The caller has checked it against `utf8CodeUnitCount`; only debug builds check it again.
    @inlinable @inline(__always)
    public func byte(at offset: Int) -> UInt8 {
        assert(offset >= 0 && offset < utf8CodeUnitCount)
        // SAFETY: constants are never freed; every caller compares the offset with the count first.
        return unsafe utf8Start[offset]
    }
}
