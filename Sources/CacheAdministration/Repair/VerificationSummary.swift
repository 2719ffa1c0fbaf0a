internal import TokenCaching

/// What checking a group found. Names entries by handles, never by content.
public struct VerificationSummary: Hashable, Sendable {
    /// Something that is not as it was written.
    public struct Finding: Hashable, Sendable, CustomStringConvertible {
        /// What was found, as a sentence.
        public let description: String
        /// The handle of the entry concerned, where it is one: 32 hexadecimal digits.
        public let entryHandle: String?
        /// The handle of the account concerned, where it is known: 32 hexadecimal digits.
        public let accountHandle: String?
        /// Whether something is lost or cannot be trusted; otherwise it puts itself right.
        public let isDamage: Bool
    }

    /// In the order in which they were met.
    public package(set) var findings: [Finding] = []
    /// Entries and notes of the library that were checked.
    public package(set) var recordCount = 0
    /// Bytes that were read.
    public package(set) var byteCount: UInt64 = 0

    /// Whether there is no damage.
    public var isSound: Bool { !findings.contains(where: \.isDamage) }

    package init() {}
}
