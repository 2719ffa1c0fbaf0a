// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// The result of one check when a group was examined. Contains no content.
public struct ExaminationFinding: Hashable, Sendable {
    /// The severity.
    public enum Level: String, Hashable, Sendable {
        /// As it should be.
        case fine
        /// Good to know; nothing is wrong.
        case note
        /// Something is wrong and affects the group.
        case problem
    }

    /// What was checked. Later versions may look at more.
    @nonexhaustive
    public enum Topic: String, Hashable, Sendable {
        /// The folder of the group.
        case folder
        /// The files in it.
        case files
        /// The note that ties the folder to its group.
        case pin
        /// Where the records are, and why there.
        case store
        /// What opens the group.
        case slots
        /// Who holds a lock now.
        case locks
        /// Opening the group, as a program does.
        case opening
        /// The records, each opened.
        case records
        /// The room for a save on the disk.
        case space
        /// The accounts and tokens in the group, and whether they can be used.
        case accounts
        /// What an interrupted operation left behind.
        case leftovers
        /// The memory that secrets are kept in.
        case memory
        /// The keyring of the session.
        case keyring
        /// Writing something, reading it back and removing it.
        case roundTrip = "round_trip"
        /// What a new group would get.
        case choice
    }

    /// What was looked at.
    public let topic: Topic
    /// How it is.
    public let level: Level
    /// What was found: a phrase to display.
    public let text: String
    /// What to do about it. A problem and a note always have one; for what is fine it is what that protects against, or nil.
    public let advice: String?
    /// Since when it has been so; nil if that is unknown.
    public let since: Timestamp?
    /// The error that ``text`` describes; nil if there was none.
    public let error: TokenCacheError?

    /// A finding of a tool's own, beside those of ``CacheGroup/examine(_:root:storage:fallbackUnlocking:timeout:prompts:probesWriting:checksAllRecords:requiresUsableAccounts:progress:)``.
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
