extension RawSpan {
    /// One byte.
    subscript(byte offset: Int) -> UInt8 {
        precondition(offset >= 0 && offset < byteCount, "beyond the bytes")
        // SAFETY: checked above; any byte is a byte.
        return unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }

    /// A copy.
    var copied: [UInt8] {
        unsafe withUnsafeBytes { unsafe Array($0) }
    }
}

extension [UInt8] {
    /// The bytes, to be read.
    var raw: RawSpan {
        @_lifetime(borrow self)
        borrowing get { unsafe span.bytes }
    }

    /// Appends a number, its lowest byte first.
    mutating func append<Number: FixedWidthInteger>(number: Number) {
        for index in 0..<Number.bitWidth / 8 { append(UInt8(truncatingIfNeeded: number >> Number(8 * index))) }
    }
}
