// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// The result of one check of an examination. Contains nothing from the cache.
public struct ExaminationFinding: Hashable, Sendable {
    /// The severity. Later versions may distinguish more.
    @nonexhaustive
    public enum Level: String, Hashable, Sendable {
        /// The check passed.
        case fine
        /// Nothing is wrong, but worth knowing.
        case note
        /// Something is wrong and affects the group.
        case problem
    }

    /// What was checked. Later versions may add topics.
    @nonexhaustive
    public enum Topic: String, Hashable, Sendable {
        /// The folder of the group.
        case folder
        /// The files in it.
        case files
        /// The store that holds the records, and why it was chosen.
        case store
        /// The key slots that open the group.
        case slots
        /// The processes that hold a lock now.
        case locks
        /// Opening the group, as a program does.
        case opening
        /// The records, each opened.
        case records
        /// The free disk space that a save needs.
        case space
        /// The accounts and tokens in the group, and whether they can be used.
        case accounts
        /// What interrupted operations left behind.
        case leftovers
        /// Whether the memory that holds secrets is locked.
        case memory
        /// The keyring of the session.
        case keyring
        /// Writing a canary, reading it back and removing it.
        case roundTrip = "round_trip"
        /// The store that a new group would get.
        case choice
    }

    /// What was checked.
    public let topic: Topic
    /// The severity.
    public let level: Level
    /// What was found, as a phrase to display.
    public let text: String
    /// What to do about it. Always set for a problem or a note; for a passed check, what the result protects against,
    /// or nil.
    public let advice: String?
    /// When it began; nil if that is unknown.
    public let since: Timestamp?
    /// The error that ``text`` describes; nil if there was none.
    public let error: TokenCacheError?

    /// Creates a finding of the tool's own, to list with those of
    /// ``GroupReference/examine(probesWriting:checksAllRecords:requiresUsableAccounts:progress:)``.
    public init(
        _ topic: Topic,
        level: Level,
        text: String,
        advice: String? = nil,
        since: Timestamp? = nil,
        error: TokenCacheError? = nil
    ) {
        self.since = since
        self.error = error
        self.topic = topic
        self.level = level
        self.text = text
        self.advice = advice
    }
}
