/// Numbers as they stand in the file: little-endian, anywhere. The caller has checked that they lie inside.
extension RawSpan {
    @inline(always)
    func u8(_ offset: Int) -> UInt8 {
        // SAFETY: any byte is a UInt8, and the load checks the bounds.
        unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }

    @inline(always)
    func u16(_ offset: Int) -> UInt16 {
        // SAFETY: any bytes are a number, and the load checks the bounds.
        UInt16(littleEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    @inline(always)
    func u32(_ offset: Int) -> UInt32 {
        // SAFETY: any bytes are a number, and the load checks the bounds.
        UInt32(littleEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    @inline(always)
    func u64(_ offset: Int) -> UInt64 {
        // SAFETY: any bytes are a number, and the load checks the bounds.
        UInt64(littleEndian: unsafe unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Whether there is nothing but zeros.
    var isZero: Bool {
        var offset = 0
        while offset + 8 <= byteCount {
            if u64(offset) != 0 { return false }
            offset += 8
        }
        while offset < byteCount {
            if u8(offset) != 0 { return false }
            offset += 1
        }
        return true
    }

    /// A copy.
    var array: [UInt8] {
        unsafe withUnsafeBytes { unsafe [UInt8]($0) }
    }
}

extension InlineArray where Element == UInt64 {
    /// The bytes as they lie in memory.
    var raw: RawSpan {
        @_lifetime(borrow self)
        @inline(always)
        borrowing get {
            // SAFETY: numbers have no padding.
            unsafe span.bytes
        }
    }
}

extension [UInt8] {
    /// The bytes, to be read without copying.
    var raw: RawSpan {
        @_lifetime(borrow self)
        @inline(always)
        borrowing get {
            // SAFETY: bytes have no padding.
            unsafe span.bytes
        }
    }

    @inline(always)
    mutating func append<Number: FixedWidthInteger>(number: Number) {
        // SAFETY: the bytes of a number that lives until the end of the call.
        unsafe Swift.withUnsafeBytes(of: number.littleEndian) { unsafe append(contentsOf: $0) }
    }

    /// Appends numbers one behind the other.
    @inline(always)
    mutating func append<let count: Int>(words: InlineArray<count, UInt64>) {
        var words = words
        for index in words.indices { words[index] = words[index].littleEndian }
        append(raw: words.raw)
    }

    mutating func append(zeros count: Int) {
        append(contentsOf: repeatElement(0, count: count))
    }

    mutating func append(raw: RawSpan) {
        // SAFETY: only read during the call.
        unsafe raw.withUnsafeBytes { unsafe append(contentsOf: $0) }
    }

    /// Puts a number over what is there already.
    mutating func put<Number: FixedWidthInteger & UnsignedInteger>(_ number: Number, at offset: Int) {
        for index in 0..<Number.bitWidth / 8 {
            self[offset + index] = UInt8(truncatingIfNeeded: number >> Number(8 * index))
        }
    }
}

extension FixedWidthInteger {
    /// The next multiple of `step`, which is a power of two.
    @inline(always)
    func roundedUp(to step: Self) -> Self { (self + step - 1) & ~(step - 1) }
}
