// SPDX-License-Identifier: Apache-2.0

/// What a repair found, kept and quarantined.
package struct JournalRepairReport: Hashable, Sendable {
    /// The damage, in order of file offset.
    package internal(set) var findings: [JournalFinding] = []
    /// Records that are kept.
    package internal(set) var keptRecordCount = 0
    /// Records dropped because their secrets were overwritten, which a lost transaction must have asked for.
    package internal(set) var erasedRecordCount = 0
    /// Records that are known to have existed but do not verify. Their bytes are quarantined.
    package internal(set) var lostRecordCount = 0
    /// Whether an unknown number of further records may be lost.
    package internal(set) var hasUnknownLoss = false
    /// Transactions that are lost.
    package internal(set) var lostTransactionCount = 0
    /// Transactions that the journal never had, because it is older than the state that another place knows.
    package internal(set) var missingTransactionCount: UInt64 = 0
    /// The number of bytes that were, or would be, quarantined.
    package internal(set) var quarantinedByteCount: UInt64 = 0
    /// The names of the files in the quarantine; empty if nothing was quarantined.
    package internal(set) var quarantinedFiles: [String] = []
    /// Whether the state file cannot be read.
    package internal(set) var isStateUnusable = false
    /// Whether a new journal, a new state file or both were installed.
    package internal(set) var isRepaired = false

    /// Whether the journal needed repair.
    package var wasDamaged: Bool { missingTransactionCount > 0 || findings.contains(where: \.isDamage) }
}

/// The result of verifying a whole journal.
package struct JournalVerificationReport: Hashable, Sendable {
    /// The findings in the order of their discovery.
    package internal(set) var findings: [JournalFinding] = []
    /// The length of the file.
    package internal(set) var byteCount: UInt64 = 0
    package internal(set) var partitionCount = 0
    /// The number of records, intact or not.
    package internal(set) var recordCount = 0
    /// The number of transactions after the snapshot.
    package internal(set) var frameCount = 0

    /// Whether the journal is undamaged.
    package var isSound: Bool { !findings.contains(where: \.isDamage) }
}
