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
