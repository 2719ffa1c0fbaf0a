// SPDX-License-Identifier: Apache-2.0

/// The age of an entry according to its own members: when it was cached, otherwise when it was last changed.
package struct EntryAge: Hashable, Sendable {
    /// Since 1970: some libraries write when they changed an entry with fractions of a second.
    @usableFromInline let microseconds: Int64?

    @inlinable
    package init(_ times: EntryTimes) {
        microseconds = times.cachedAt.map { Seconds.microseconds($0) } ?? times.lastModifiedMicroseconds
    }

    /// Whether this is certainly newer. No entry is certainly newer than one of unknown age: in doubt, an import
    /// changes nothing.
    package func isSurelyNewer(than other: EntryAge) -> Bool {
        guard let microseconds, let others = other.microseconds else { return false }
        // Of two times in one second, the one without a fraction may be the later one.
        let areApart = others % 1_000_000 != 0 || microseconds / 1_000_000 > others / 1_000_000
        return microseconds > others && areApart
    }

    /// The age of an entry that has no times.
    package static let unknown = EntryAge(EntryTimes())

    /// Whether the entry has a time.
    package var isKnown: Bool { microseconds != nil }
}

extension EntryAge: Comparable {
    /// Whether this counts as older if one of two has to be chosen: an entry of unknown age is older than any other.
    @inlinable
    package static func < (left: EntryAge, right: EntryAge) -> Bool {
        guard let microseconds = right.microseconds else { return false }
        return left.microseconds.map { $0 < microseconds } ?? true
    }
}
