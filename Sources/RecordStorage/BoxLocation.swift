/// Where a sealed box lies in a store. Only the ``BoxReader`` that came with it can read it.
package struct BoxLocation: Hashable, Sendable {
    /// Position, in the store's own terms (for the file: byte offset).
    package let offset: UInt64
    /// Length of the sealed box in bytes; 0 where there is no box.
    package let length: UInt32

    package init(offset: UInt64, length: UInt32) {
        self.offset = offset
        self.length = length
    }

    /// The place of a box that does not exist.
    package static let none = BoxLocation(offset: 0, length: 0)
}

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
