/// The keys of a group in one epoch, sealed under each of up to eight secrets, any of which opens them.
///
/// The block stands in the header of a journal and is complete in itself: it names the group and the epoch, holds the
/// tag key, and is authenticated as a whole by a key derived from the root key. Nothing in it is secret. It is a value:
/// changes give a new one.
package struct KeySlots: Hashable, Sendable {
    /// The largest block in bytes.
    package static let maximumByteCount = 3584
    /// The most slots that a block has.
    package static let maximumSlotCount = 8

    /// The group.
    package let uuid: GroupUUID
    /// The number of the root key.
    package let epoch: UInt32
    /// The slots, for people to be shown: none holds a secret.
    package let slots: [KeySlot]
    /// The block as it is written.
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
