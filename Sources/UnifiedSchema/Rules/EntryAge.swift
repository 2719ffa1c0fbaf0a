// SPDX-License-Identifier: Apache-2.0

/// The age of an entry according to its own members: when it was cached, otherwise when it was last changed.
package struct EntryAge: Hashable, Sendable {
    /// Seconds since 1970.
    @usableFromInline let seconds: Int64?

    @inlinable
    package init(_ times: EntryTimes) {
        seconds = times.cachedAt ?? times.lastModified
    }

    /// Whether this is certainly newer. No entry is certainly newer than one of unknown age: in doubt, an import
    /// changes nothing.
    package func isSurelyNewer(than other: EntryAge) -> Bool {
        guard let seconds, let otherSeconds = other.seconds else { return false }
        return seconds > otherSeconds
    }

    /// Whether this counts as newer if one of two has to be chosen. An entry of known age is newer than one of unknown
    /// age; of two with the same age, the one committed later is newer.
    @inlinable
    package func isNewer(than other: EntryAge, orElse isCommittedLater: Bool) -> Bool {
        if seconds == other.seconds { return isCommittedLater }
        guard let seconds else { return false }
        return other.seconds.map { seconds > $0 } ?? true
    }
}
