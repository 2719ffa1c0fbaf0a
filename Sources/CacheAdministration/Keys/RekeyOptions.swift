package import TokenCaching

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
