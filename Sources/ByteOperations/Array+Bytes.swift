// SPDX-License-Identifier: Apache-2.0

extension Array where Element == UInt8 {
    /// The elements as raw bytes, in place.
    @inlinable
    public var rawSpan: RawSpan {
        @_lifetime(borrow self)
        @inline(__always)
        borrowing get {
            // SAFETY: UInt8 has no padding.
            unsafe span.bytes
        }
    }

    /// Creates an array with capacity for `byteCount` bytes. Its count becomes the number of bytes that `write`
    /// appends.
    public init(byteCount: Int, _ write: (inout OutputRawSpan) -> Void) {
        // SAFETY: the span counts the initialized bytes, within its capacity.
        unsafe self.init(unsafeUninitializedCapacity: byteCount) { buffer, count in
            let room = UnsafeMutableRawBufferPointer(buffer)
            var output = unsafe OutputRawSpan(buffer: room, initializedCount: 0)
            write(&output)
            count = unsafe output.finalize(for: room)
        }
    }

    /// Appends the bytes.
    @inlinable @inline(__always)
    public mutating func append(_ bytes: RawSpan) {
        // SAFETY: the buffer is only read, inside the closure.
        unsafe bytes.withUnsafeBytes { buffer in unsafe append(contentsOf: buffer) }
    }

    /// Appends a number in little-endian byte order.
    @inlinable @inline(__always)
    public mutating func append<Number: FixedWidthInteger>(littleEndian number: Number) {
        // SAFETY: the bytes of a number that lives until the end of the call.
        unsafe Swift.withUnsafeBytes(of: number.littleEndian) { unsafe append(contentsOf: $0) }
    }

    /// Appends the numbers in order, each in little-endian byte order.
    @inlinable @inline(__always)
    public mutating func append<let count: Int>(words: InlineArray<count, UInt64>) {
        var words = words
        for index in words.indices { words[index] = words[index].littleEndian }
        append(words.rawSpan)
    }

    /// Appends `count` zero bytes.
    @inlinable
    public mutating func append(zeros count: Int) {
        append(contentsOf: repeatElement(0, count: count))
    }

    /// Overwrites the bytes at `offset` with a number in little-endian byte order. Traps if the array is too short.
    @inlinable
    public mutating func put<Number: FixedWidthInteger & UnsignedInteger>(_ number: Number, at offset: Int) {
        for index in 0..<Number.bitWidth / 8 {
            self[offset + index] = UInt8(truncatingIfNeeded: number >> Number(8 * index))
        }
    }
}

extension InlineArray where Element == UInt64 {
    /// The elements as raw bytes, in memory order.
    @inlinable
    public var rawSpan: RawSpan {
        @_lifetime(borrow self)
        @inline(__always)
        borrowing get {
            // SAFETY: numbers have no padding.
            unsafe span.bytes
        }
    }
}

extension Hasher {
    /// Mixes in the bytes, without their count.
    public mutating func combine(_ bytes: RawSpan) {
        // SAFETY: the buffer is only read, inside the closure.
        unsafe bytes.withUnsafeBytes { buffer in unsafe combine(bytes: buffer) }
    }
}
