// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// The result of verifying a group. Identifies entries by handle and contains no content.
public struct VerificationReport: Hashable, Sendable {
    /// Something that differs from what was written.
    public struct Finding: Hashable, Sendable, CustomStringConvertible {
        /// A sentence to display.
        public let description: String
        /// The handle of the entry concerned, if it is a single one.
        public let entryHandle: EntryHandle?
        /// The handle of the account concerned, if it is known.
        public let accountHandle: AccountHandle?
        /// Whether something is lost or cannot be trusted. Otherwise the library repairs it by itself.
        public let isDamage: Bool
    }

    /// The findings, in the order in which they were found.
    public package(set) var findings: [Finding] = []
    /// The number of entries and internal records that were verified.
    public package(set) var recordCount = 0
    /// The number of bytes read.
    public package(set) var byteCount: UInt64 = 0

    /// Whether the group is undamaged.
    public var isSound: Bool { !findings.contains(where: \.isDamage) }

    package init() {}
}
