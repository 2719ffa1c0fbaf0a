/// Keyed hash over one sealed box, with which a store tells a damaged box from a whole one without opening it.
package struct BoxHash: Hashable, Sendable {
    package let first: UInt64
    package let second: UInt64

    /// Number of bytes of a hash.
    package static let byteCount = 16

    /// Stands where there is no box.
    package static let none = BoxHash(first: 0, second: 0)

    package init(first: UInt64, second: UInt64) {
        self.first = first
        self.second = second
    }
}
