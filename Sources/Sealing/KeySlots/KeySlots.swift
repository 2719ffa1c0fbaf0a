// SPDX-License-Identifier: Apache-2.0

/// The keys of a group in one epoch, sealed under each of up to eight secrets, any of which opens them.
///
/// The block is stored in the header of a journal and is self-contained: it names the group and the epoch, holds the
/// sealed tag key, and is authenticated as a whole by a key derived from the root key. Nothing in it is secret. It is a
/// value: changing it yields a new one.
package struct KeySlots: Hashable, Sendable {
    /// The largest block in bytes.
    package static let maximumByteCount = 3584
    /// The maximum number of slots in a block.
    package static let maximumSlotCount = 8

    /// The group.
    package let uuid: GroupUUID
    /// The number of the root key.
    package let epoch: UInt32
    /// The slots. None holds a secret, so they may be shown to users.
    package let slots: [KeySlot]
    /// The encoded block.
    package let encoded: [UInt8]

    let minorVersion: UInt8
    /// The tag key, sealed under a subkey of the root key.
    let tagKeyBox: [UInt8]
    let fields: [SlotField]

    static let magic: StaticString = "tcsslots"
    static let majorVersion: UInt8 = 1
    static let headByteCount = 40
    static let macByteCount = Digest.byteCount
}
