/// What a repair found, kept and set aside, or would.
public struct RepairSummary: Hashable, Sendable {
    /// What was wrong.
    public package(set) var findings: [VerificationSummary.Finding] = []
    /// Records that are kept.
    public package(set) var keptCount = 0
    /// Records that are dropped because somebody had removed them.
    public package(set) var removedCount = 0
    /// Records that were there and cannot be read. Their bytes are set aside.
    public package(set) var lostCount = 0
    /// Changes that are missing or cannot be read.
    public package(set) var lostTransactionCount = 0
    /// Bytes that are set aside.
    public package(set) var quarantinedByteCount: UInt64 = 0
    /// Files in the folder `quarantine` of the group that hold them.
    public package(set) var quarantinedFiles: [String] = []
    /// Whether anything was changed.
    public package(set) var isRepaired = false

    /// Whether there was anything to repair.
    public var wasDamaged: Bool { findings.contains(where: \.isDamage) }

    package init() {}
}
