// SPDX-License-Identifier: Apache-2.0

/// The location of a sealed box in a store. Only the ``BoxReader`` returned with it can read it.
package struct BoxLocation: Hashable, Sendable {
    /// The position, as defined by the store: in the file, the byte offset.
    package let offset: UInt64
    /// The length of the sealed box in bytes; 0 for a missing box.
    package let length: UInt32

    package init(offset: UInt64, length: UInt32) {
        self.offset = offset
        self.length = length
    }

    /// The location of a missing box.
    package static let none = BoxLocation(offset: 0, length: 0)
}
