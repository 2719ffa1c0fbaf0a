/// What a tag is the hash of: a label, then each part with its length before it, so that no two lists of parts give the
/// same bytes.
struct TagMessage: ~Copyable {
    private var bytes: [UInt8] = []

    init(_ label: StaticString, capacity: Int) {
        bytes.reserveCapacity(Label.byteCount + capacity)
        bytes.append(label)
    }

    /// Adds the length (four bytes, little-endian) and the bytes of a part.
    mutating func append(_ part: RawSpan) {
        bytes.append(littleEndian: UInt32(part.byteCount))
        unsafe part.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    }

    var span: RawSpan {
        @_lifetime(borrow self)
        borrowing get { unsafe bytes.span.bytes }
    }
}
