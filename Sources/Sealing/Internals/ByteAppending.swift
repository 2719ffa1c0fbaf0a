extension [UInt8] {
    /// The ASCII bytes of a label.
    init(label: StaticString) {
        self = []
        append(label)
    }

    mutating func append(_ label: StaticString) {
        unsafe append(contentsOf: UnsafeBufferPointer(start: label.utf8Start, count: label.utf8CodeUnitCount))
    }

    mutating func append(littleEndian value: some FixedWidthInteger) {
        unsafe Swift.withUnsafeBytes(of: value.littleEndian) { unsafe append(contentsOf: $0) }
    }

    mutating func append(_ bytes: RawSpan) {
        unsafe bytes.withUnsafeBytes { unsafe append(contentsOf: $0) }
    }

    /// The bytes as a span to be read.
    var rawSpan: RawSpan {
        @_lifetime(borrow self)
        borrowing get { unsafe span.bytes }
    }
}
