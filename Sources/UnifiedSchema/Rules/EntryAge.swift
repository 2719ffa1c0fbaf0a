/// How old an entry is, as far as it says so itself: when it was cached, else when it was changed last.
package struct EntryAge: Hashable, Sendable {
    /// Seconds since 1970.
    @usableFromInline let seconds: Int64?

    @inlinable
    package init(_ times: EntryTimes) {
        seconds = times.cachedAt ?? times.lastModified
    }

    /// Whether this is newer beyond doubt. Nothing is newer than what does not say how old it is: an import that is in
    /// doubt changes nothing.
    package func isSurelyNewer(than other: EntryAge) -> Bool {
        guard let seconds, let otherSeconds = other.seconds else { return false }
        return seconds > otherSeconds
    }

    /// Whether this counts as newer where one of two has to be taken. What says how old it is goes before what does
    /// not; of two that say the same, the one that was committed later counts.
    @inlinable
    package func isNewer(than other: EntryAge, orElse isCommittedLater: Bool) -> Bool {
        if seconds == other.seconds { return isCommittedLater }
        guard let seconds else { return false }
        return other.seconds.map { seconds > $0 } ?? true
    }
}
