extension [UInt8] {
    /// So many zeros, to be written over.
    ///
    /// Made from a repeated element: to write the zeros takes less than half of what it takes to look up the type of an
    /// array that is not initialised yet.
    init(zeros count: Int) {
        self.init(repeatElement(0, count: count))
    }

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
