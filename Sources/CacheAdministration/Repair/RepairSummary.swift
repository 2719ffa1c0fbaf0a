internal import TokenCaching

/// What a repair found, kept and set aside, or would.
public struct RepairSummary: Hashable, Sendable {
    /// What was wrong.
    public package(set) var findings: [VerificationSummary.Finding] = []
    /// Records that are kept.
    public package(set) var keptCount = 0
    /// Records that are dropped because a change of which the list cannot be trusted any more removed them. What damage
    /// erased is lost instead.
    public package(set) var removedCount = 0
    /// Records that were there and cannot be read. Their bytes are set aside.
    public package(set) var lostCount = 0
    /// How many records are lost at most; nil where nothing tells. The same as ``lostCount`` where it is known exactly.
    public package(set) var largestLostCount: Int? = 0
    /// Changes that are missing, or of which something is.
    public package(set) var lostTransactionCount = 0
    /// Accounts that count as signed out from now on, because what is lost may have said that they are.
    public package(set) var signedOutAccountCount = 0
    /// Whether records are kept of a change that never was acknowledged, as far as anything tells.
    public package(set) var hasTornRecords = false
    /// Whether nothing can be saved, so that what is there is set aside and the group begins anew, empty.
    public package(set) var beginsAnew = false
    /// Bytes that are set aside.
    public package(set) var quarantinedByteCount: UInt64 = 0
    /// Files in the folder `quarantine` of the group that hold them.
    public package(set) var quarantinedFiles: [String] = []
    /// Whether anything was changed.
    public package(set) var isRepaired = false

    /// Whether there was anything to repair.
    public var wasDamaged: Bool { hasTornRecords || findings.contains(where: \.isDamage) }

    package init() {}
}
