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

    /// The age of an entry that has no times.
    package static let unknown = EntryAge(seconds: nil)

    package init(seconds: Int64?) {
        self.seconds = seconds
    }

    /// Whether the entry has a time.
    package var isKnown: Bool { seconds != nil }
}

extension EntryAge: Comparable {
    /// Whether this counts as older if one of two has to be chosen: an entry of unknown age is older than any other.
    @inlinable
    package static func < (left: EntryAge, right: EntryAge) -> Bool {
        guard let seconds = right.seconds else { return false }
        return left.seconds.map { $0 < seconds } ?? true
    }
}
