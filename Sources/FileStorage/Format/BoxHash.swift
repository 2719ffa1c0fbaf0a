/// Keyed hash over one sealed box, with which a store tells a damaged box from a whole one without opening it.
struct BoxHash: Hashable, Sendable {
    let first: UInt64
    let second: UInt64

    static let byteCount = 16

    /// Stands where there is no box.
    static let none = BoxHash(first: 0, second: 0)

    init(first: UInt64, second: UInt64) {
        self.first = first
        self.second = second
    }

    init(in bytes: RawSpan, at offset: Int) {
        first = bytes.u64(offset)
        second = bytes.u64(offset + 8)
    }
}
