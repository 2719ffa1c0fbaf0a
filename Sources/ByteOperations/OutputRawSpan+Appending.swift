// SPDX-License-Identifier: Apache-2.0

extension OutputRawSpan {
    /// Appends the bytes. Traps if there is too little room.
    @_lifetime(self: copy self)
    @inlinable
    public mutating func append(_ bytes: RawSpan) {
        precondition(bytes.byteCount <= freeCapacity, "the bytes must fit")
        // SAFETY: the free capacity was just checked, and exactly the written bytes are counted.
        unsafe withUnsafeMutableBytes { buffer, initializedCount in
            unsafe bytes.withUnsafeBytes { source in
                unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[initializedCount...]).copyMemory(from: source)
            }
            initializedCount += bytes.byteCount
        }
    }

    /// Appends the bytes, folding A-Z to a-z on request. Traps if there is too little room.
    @_lifetime(self: copy self)
    @inlinable
    public mutating func append(_ bytes: RawSpan, folding: Bool) {
        guard folding else { return append(bytes) }
        let count = bytes.byteCount
        guard count >= 8 else {
            for offset in 0..<count { append(byte: ASCII.folded(bytes.byte(at: offset))) }
            return
        }
        precondition(count <= freeCapacity, "the bytes must fit")
        // SAFETY: the free capacity was just checked, and exactly the written bytes are counted.
        unsafe withUnsafeMutableBytes { buffer, initializedCount in
            var offset = 0
            while offset < count {
                // The last eight bytes overlap those before them.
                let location = min(offset, count - 8)
                let word = ASCII.folded(word: bytes.word(at: location)).littleEndian
                unsafe buffer.storeBytes(of: word, toByteOffset: initializedCount + location, as: UInt64.self)
                offset += 8
            }
            initializedCount += count
        }
    }

    /// Appends a byte. Traps if there is no room.
    @inlinable @inline(__always)
    @_lifetime(self: copy self)
    public mutating func append(byte: UInt8) {
        // SAFETY: a byte has no padding; the span itself checks its capacity.
        unsafe append(byte, as: UInt8.self)
    }
}
