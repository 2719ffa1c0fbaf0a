package import TokenCaching

/// One thing that was looked at when a group was examined, and how it is. Never content.
package struct ExaminationFinding: Hashable, Sendable {
    /// How it is.
    package enum Level: String, Hashable, Sendable {
        /// As it should be.
        case fine
        /// Good to know; nothing is wrong.
        case note
        /// Something is wrong, and the group suffers from it.
        case problem
    }

    /// What was looked at.
    package enum Topic: String, Hashable, Sendable {
        case folder, files, store, slots, locks, opening, memory, keyring, roundTrip = "round_trip", choice
    }

    package let topic: Topic
    package let level: Level
    /// What was found: a phrase for people.
    package let text: String
    /// What to do about it, or what it protects against; nil where there is nothing to say.
    package let advice: String?
    /// The error that was met, which ``text`` is of; nil where there was none.
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
