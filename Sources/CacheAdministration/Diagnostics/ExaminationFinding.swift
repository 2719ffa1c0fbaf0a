package import TokenCaching

/// The result of one check when a group was examined. Contains no content.
package struct ExaminationFinding: Hashable, Sendable {
    /// The severity.
    package enum Level: String, Hashable, Sendable {
        /// As it should be.
        case fine
        /// Good to know; nothing is wrong.
        case note
        /// Something is wrong and affects the group.
        case problem
    }

    /// What was checked.
    package enum Topic: String, Hashable, Sendable {
        case folder, files, store, slots, locks, opening, memory, keyring, roundTrip = "round_trip", choice
    }

    package let topic: Topic
    package let level: Level
    /// What was found: a phrase to display.
    package let text: String
    /// What to do about it, or what it protects against; nil if there is nothing to add.
    package let advice: String?
    /// The error that ``text`` describes; nil if there was none.
    package let error: TokenCacheError?

    package init(
        _ topic: Topic,
        level: Level,
        text: String,
        advice: String? = nil,
        error: TokenCacheError? = nil
    ) {
        self.error = error
        self.topic = topic
        self.level = level
        self.text = text
        self.advice = advice
    }
}
