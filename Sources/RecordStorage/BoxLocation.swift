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
