// SPDX-License-Identifier: Apache-2.0

internal import TokenCaching

/// What a repair found, kept and quarantined, or would.
public struct RepairReport: Hashable, Sendable {
    /// The damage.
    public package(set) var findings: [VerificationReport.Finding] = []
    /// The number of kept records.
    public package(set) var keptCount = 0
    /// The number of records dropped because a lost change removed them, which their overwritten tokens show. Records
    /// that damage erased count as lost instead.
    public package(set) var removedCount = 0
    /// The number of records that existed and cannot be read. Their bytes are quarantined.
    public package(set) var lostCount = 0
    /// The maximum number of lost records; nil if it is unknown. Equal to ``lostCount`` if it is known exactly.
    public package(set) var maximumLostCount: Int? = 0
    /// The number of changes that were lost. They may have signed accounts out.
    public package(set) var lostTransactionCount = 0
    /// The number of newer changes that another place has recorded and the file does not have, because it is an older
    /// copy. They may have signed accounts out.
    public package(set) var missingTransactionCount: UInt64 = 0
    /// Whether nothing can be recovered: everything is quarantined, and the group starts over, empty.
    public package(set) var beginsAnew = false
    /// The number of quarantined bytes.
    public package(set) var quarantinedByteCount: UInt64 = 0
    /// The files in the group's folder `quarantine` that contain them.
    public package(set) var quarantinedFiles: [String] = []
    /// The paths of the key files of the group that an adopted folder was copied from. They stay, because the original needs
    /// them. Empty otherwise, and if they cannot be listed.
    public package(set) var keptKeyFiles: [String] = []
    /// The number of items that the keyring keeps of that group, if an interrupted migration left some there. They may be
    /// tokens of accounts that have signed out since.
    public package(set) var keptItemCount = 0
    /// Whether anything was changed.
    public package(set) var isRepaired = false

    /// Whether there was anything to repair.
    public var wasDamaged: Bool { missingTransactionCount > 0 || findings.contains(where: \.isDamage) }

    package init() {}
}
