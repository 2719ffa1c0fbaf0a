// SPDX-License-Identifier: Apache-2.0

/// Loads little-endian numbers at any offset of a span.
extension RawSpan {
    /// The byte at `offset`. Traps if the span is too short.
    @inlinable @inline(__always)
    public func uint8(at offset: Int) -> UInt8 {
        // SAFETY: any byte is a number, and the load checks the bounds.
        unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }

    /// The two-byte number at `offset`. Traps if the span is too short.
    @inlinable @inline(__always)
    public func uint16(at offset: Int) -> UInt16 {
        // SAFETY: any bytes are a number, and the load checks the bounds.
        UInt16(littleEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    /// The four-byte number at `offset`. Traps if the span is too short.
    @inlinable @inline(__always)
    public func uint32(at offset: Int) -> UInt32 {
        // SAFETY: any bytes are a number, and the load checks the bounds.
        UInt32(littleEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// The eight-byte number at `offset`. Traps if the span is too short.
    @inlinable @inline(__always)
    public func uint64(at offset: Int) -> UInt64 {
        // SAFETY: any bytes are a number, and the load checks the bounds.
        UInt64(littleEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// The byte at `offset`. The caller has checked it against `byteCount`; only debug builds check it again.
    @inlinable @inline(__always)
    public func byte(at offset: Int) -> UInt8 {
        assert(offset >= 0 && offset < byteCount)
        // SAFETY: every caller compares the offset with `byteCount` first; debug builds check it again.
        return unsafe unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
    }

    /// The eight-byte number at `offset`. The caller has checked it against `byteCount`; only debug builds check it
    /// again.
    @inlinable @inline(__always)
    public func word(at offset: Int) -> UInt64 {
        assert(offset >= 0 && offset + 8 <= byteCount)
        // SAFETY: every caller compares `offset + 8` with `byteCount` first; debug builds check it again.
        return UInt64(littleEndian: unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
    }

    /// The four-byte number at `offset`. The caller has checked it against `byteCount`; only debug builds check it
    /// again.
    @inlinable @inline(__always)
    public func halfWord(at offset: Int) -> UInt32 {
        assert(offset >= 0 && offset + 4 <= byteCount)
        // SAFETY: every caller compares `offset + 4` with `byteCount` first; debug builds check it again.
        return UInt32(littleEndian: unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt32.self))
    }

    /// The number of `count` (at most eight) bytes at `offset`, zero-extended. The caller has checked it against
    /// `byteCount`.
    @inlinable @inline(__always)
    public func partialWord(at offset: Int, count: Int) -> UInt64 {
        if count >= 8 { return word(at: offset) }
        var result: UInt64 = 0
        for index in 0..<max(0, count) {
            result |= UInt64(byte(at: offset + index)) << UInt64(8 * index)
        }
        return result
    }

    /// The bytes as an array. The copy is in ordinary memory, so never use it for a secret.
    @inlinable
    public func copied() -> [UInt8] {
        // SAFETY: the buffer is only read, inside the closure.
        unsafe withUnsafeBytes { buffer in unsafe Array(buffer) }
    }
}
