// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// The result of a change of keys.
public struct RekeyReport: Hashable, Sendable {
    /// The epoch: the number of the new root key.
    public let epoch: UInt32
    /// The slots that open the group now.
    public let slots: [SlotSummary]
    /// The dropped slots, with their old ids.
    public let droppedSlots: [SlotSummary]
    /// The library's own key files that no longer open the group but were kept, because another folder may contain a
    /// copy of the group.
    public let keptKeyFiles: [String]
}

/// The options of a change of keys.
public struct RekeyOptions: Sendable {
    /// Secrets for the slots to keep, besides those that the group was opened with. The library's own key file is
    /// always replaced by a new one.
    public var keeping: [FileUnlocking]
    /// Whether to drop slots for which no secret was given. Otherwise the change fails.
    public var dropsOtherSlots: Bool

    /// Creates options; by default every slot whose secret the group was opened with is kept.
    public init(keeping: [FileUnlocking] = [], dropsOtherSlots: Bool = false) {
        self.keeping = keeping
        self.dropsOtherSlots = dropsOtherSlots
    }
}

/// The steps of a change of keys. If the process is killed between any two of them, the group still opens, and the next
/// change of keys removes the remains.
package enum RekeyStep: Hashable, Sendable, CaseIterable {
    /// The new key file exists; the old one still opens the group.
    case keyFileMade
    /// The new keys are in effect.
    case keysReplaced
    /// The old key file is removed.
    case oldKeyFilesRemoved
}
