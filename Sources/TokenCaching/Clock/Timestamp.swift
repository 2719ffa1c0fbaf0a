// SPDX-License-Identifier: Apache-2.0

/// A time in whole seconds since 1970-01-01 00:00:00 UTC, as token endpoints and token caches represent it.
///
/// ```swift
/// let date = Date(timeIntervalSince1970: Double(token.expiresOn.secondsSince1970))
/// let inOneHour = clock.now().advanced(by: .seconds(3_600))
/// ```
public struct Timestamp: Hashable, Sendable {
    /// Seconds since 1970-01-01 00:00:00 UTC; negative before.
    public let secondsSince1970: Int64

    /// Creates a timestamp `secondsSince1970` seconds after 1970-01-01 00:00:00 UTC.
    public init(secondsSince1970: Int64) {
        self.secondsSince1970 = secondsSince1970
    }
}

extension Timestamp: InstantProtocol {
    /// This time plus `duration` in whole seconds, rounded down and clamped to the representable range.
    public func advanced(by duration: Duration) -> Timestamp {
        let seconds = duration.secondsRoundedDown
        let (sum, overflow) = secondsSince1970.addingReportingOverflow(seconds)
        return Timestamp(secondsSince1970: overflow ? (seconds < 0 ? .min : .max) : sum)
    }

    /// The time from this timestamp to `other`; negative if `other` is earlier.
    public func duration(to other: Timestamp) -> Duration {
        .seconds(other.secondsSince1970) - .seconds(secondsSince1970)
    }

    /// Whether `left` is earlier.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.secondsSince1970 < right.secondsSince1970
    }
}

extension Timestamp: CustomStringConvertible {
    /// Seconds since 1970, as caches write them.
    public var description: String { String(secondsSince1970) }
}
