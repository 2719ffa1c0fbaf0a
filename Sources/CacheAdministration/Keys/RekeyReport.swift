internal import TokenCaching

/// What a change of keys did.
package struct RekeyReport: Hashable, Sendable {
    /// The number of the new root key.
    package let epoch: UInt32
    /// Slots that open the group now.
    package let slots: [SlotSummary]
    /// Slots that were given up, with their old ids.
    package let droppedSlots: [SlotSummary]
    /// Paths of the library's own key files that open the group no more and stay: another folder may hold a copy of it.
    package let keptKeyFiles: [String]
}
