// SPDX-License-Identifier: Apache-2.0

internal import TokenCaching

/// What a repair found, kept and quarantined, or would.
public struct RepairReport: Hashable, Sendable {
    /// The damage.
    public package(set) var findings: [VerificationReport.Finding] = []
    /// The number of kept records.
    public package(set) var keptCount = 0
    /// The number of records dropped because a change removed them whose list of records is no longer reliable. Records
    /// that damage erased count as lost instead.
    public package(set) var removedCount = 0
    /// The number of records that existed and cannot be read. Their bytes are quarantined.
    public package(set) var lostCount = 0
    /// The maximum number of lost records; nil if it is unknown. Equal to ``lostCount`` if it is known exactly.
    public package(set) var maximumLostCount: Int? = 0
    /// The number of changes that were lost in whole or in part.
    public package(set) var lostTransactionCount = 0
    /// The number of accounts that now count as signed out, because a lost record may have signed them out.
    public package(set) var signedOutAccountCount = 0
    /// Whether the repair kept records of a change that may never have been acknowledged.
    public package(set) var hasTornRecords = false
    /// Whether nothing can be recovered: everything is quarantined, and the group starts over, empty.
    public package(set) var beginsAnew = false
    /// The number of quarantined bytes.
    public package(set) var quarantinedByteCount: UInt64 = 0
    /// The files in the group's folder `quarantine` that contain them.
    public package(set) var quarantinedFiles: [String] = []
    /// Whether anything was changed.
    public package(set) var isRepaired = false

    /// Whether there was anything to repair.
    public var wasDamaged: Bool { hasTornRecords || findings.contains(where: \.isDamage) }

    package init() {}
}
