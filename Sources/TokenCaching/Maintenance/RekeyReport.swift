/// What a change of keys did.
package struct RekeyReport: Hashable, Sendable {
    /// The number of the new root key.
    package let epoch: UInt32
    /// Slots that open the group now.
    package let slots: [SlotSummary]
    /// Slots that were given up, with their old ids.
    package let droppedSlots: [SlotSummary]
}
