// SPDX-License-Identifier: Apache-2.0

internal import TokenCaching

/// What a repair found, kept and quarantined, or would.
public struct RepairReport: Hashable, Sendable {
    /// The damage.
    public package(set) var findings: [VerificationReport.Finding] = []
    /// The number of records that are kept.
    public package(set) var keptCount = 0
    /// Records dropped because a change whose record list is no longer reliable removed them. What damage itself erased
    /// counts as lost instead.
    public package(set) var removedCount = 0
    /// Records that existed and cannot be read. Their bytes are quarantined.
    public package(set) var lostCount = 0
    /// The maximum number of lost records; nil if it is unknown. Equal to ``lostCount`` if it is known exactly.
    public package(set) var largestLostCount: Int? = 0
    /// Changes that are lost in whole or in part.
    public package(set) var lostTransactionCount = 0
    /// Accounts that count as signed out from now on, because a lost record may have said so.
    public package(set) var signedOutAccountCount = 0
    /// Whether records of a change were kept that may never have been acknowledged.
    public package(set) var hasTornRecords = false
    /// Whether nothing can be recovered, so that everything is quarantined and the group starts over, empty.
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
