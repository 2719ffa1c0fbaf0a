package import TokenCaching

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

/// How the keys of a group are changed.
package struct RekeyOptions: Sendable {
    /// What opens the slots that are to be kept, beside what the group was opened with. The key file that the library
    /// made is always replaced by a new one.
    package var keeping: [FileUnlocking]
    /// Give up slots that nothing was given for. Otherwise they keep the keys from being changed.
    package var dropsOtherSlots: Bool

    package init(keeping: [FileUnlocking] = [], dropsOtherSlots: Bool = false) {
        self.keeping = keeping
        self.dropsOtherSlots = dropsOtherSlots
    }
}

/// The steps of a change of keys. After a kill between any two of them the group opens, and the next change of keys
/// clears up what was left.
package enum RekeyStep: Hashable, Sendable, CaseIterable {
    /// The new key file is there; the old one still opens the group.
    case keyFileMade
    /// The new keys are in force.
    case keysReplaced
    /// The old key file is gone.
    case oldKeyFilesRemoved
}
