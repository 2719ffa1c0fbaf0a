/// A moment in whole seconds since 1970-01-01 00:00:00 UTC, as token endpoints and token caches count time.
///
/// ```swift
/// let date = Date(timeIntervalSince1970: Double(token.expiresOn.secondsSince1970))
/// ```
public struct Timestamp: Hashable, Sendable {
    /// Seconds since 1970-01-01 00:00:00 UTC; negative before.
    public let secondsSince1970: Int64

    /// The moment `secondsSince1970` seconds after 1970-01-01 00:00:00 UTC.
    public init(secondsSince1970: Int64) {
        self.secondsSince1970 = secondsSince1970
    }

    /// The moment `seconds` later, or the last one that can be told.
    public func advanced(bySeconds seconds: Int64) -> Timestamp {
        let (sum, overflow) = secondsSince1970.addingReportingOverflow(seconds)
        return Timestamp(secondsSince1970: overflow ? (seconds < 0 ? .min : .max) : sum)
    }

    /// Seconds from this moment to `other`; negative where `other` is earlier.
    public func seconds(to other: Timestamp) -> Int64 {
        let (difference, overflow) = other.secondsSince1970.subtractingReportingOverflow(secondsSince1970)
        return overflow ? (other < self ? .min : .max) : difference
    }
}

extension Timestamp: Comparable {
    /// Whether `left` is earlier.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.secondsSince1970 < right.secondsSince1970
    }
}

extension Timestamp: CustomStringConvertible {
    /// Seconds since 1970, as caches write them.
    public var description: String { String(secondsSince1970) }
}
