/// What a repair found, kept and set aside.
package struct RepairReport: Hashable, Sendable {
    /// What was wrong, in the order of its places.
    package internal(set) var findings: [JournalFinding] = []
    /// Records that are kept.
    package internal(set) var keptRecordCount = 0
    /// Records that are dropped because a transaction that can be read only in part removed them.
    package internal(set) var erasedRecordCount = 0
    /// Records that are known to have been there and do not verify. Their bytes are set aside.
    package internal(set) var lostRecordCount = 0
    /// How many records may be lost beside those; nil where nothing tells.
    package internal(set) var largestUnknownLossCount: Int? = 0
    /// Transactions that are missing, or of which something is.
    package internal(set) var lostTransactionCount = 0
    /// Accounts that count as signed out, because what is lost may have said that they are.
    package internal(set) var signedOutAccountCount = 0
    /// Whether records are kept of a transaction that never was acknowledged, as far as anything tells.
    package internal(set) var hasTornRecords = false
    /// Bytes that were set aside, or would be.
    package internal(set) var quarantinedByteCount: UInt64 = 0
    /// Names of the files in the quarantine; empty where nothing was set aside.
    package internal(set) var quarantinedFiles: [String] = []
    /// Whether the file that says where the records of the group are cannot be read.
    package internal(set) var isStateUnusable = false
    /// Whether a new journal, a new state file or both were put in the place of the old ones.
    package internal(set) var isRepaired = false

    /// Whether there was anything to repair in the journal.
    package var wasDamaged: Bool { hasTornRecords || findings.contains(where: \.isDamage) }
}

/// What reading a whole journal found.
package struct VerificationReport: Hashable, Sendable {
    /// In the order in which they were met.
    package internal(set) var findings: [JournalFinding] = []
    /// Bytes of the file.
    package internal(set) var byteCount: UInt64 = 0
    package internal(set) var partitionCount = 0
    /// Records that are there, sound or not.
    package internal(set) var recordCount = 0
    /// Transactions behind the snapshot.
    package internal(set) var frameCount = 0

    /// Whether there is no damage.
    package var isSound: Bool { !findings.contains(where: \.isDamage) }
}
