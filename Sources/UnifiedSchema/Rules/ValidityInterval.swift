// SPDX-License-Identifier: Apache-2.0

/// When an access token may be handed out, in seconds since 1970; `until` is excluded.
///
/// It ends before the token does, by a margin: 300 s or a fifth of the lifetime, whichever is less, unless the request
/// gives one. The margin is at most half of the lifetime, so that a newly issued token is usable for a while; otherwise
/// every request would renew it. The interval begins the same margin before the token was cached: a token from further
/// in the future was cached before the clock was set back, so its expiry is unknown.
package struct ValidityInterval: Hashable, Sendable {
    package let from: Int64
    package let until: Int64

    /// The longest margin in seconds if the request gives none.
    package static let largestMargin: Int64 = 300

    /// No server issues access tokens for a century: a later time is in milliseconds, or damaged. .NET rejects times
    /// more than ten years ahead, but a cache made for tests may well end in 2100.
    package static let longestCredibleLifetime: Int64 = 100 * 31_557_600

    /// - Parameters:
    ///   - times: the times of the token. A token of unknown expiry counts as expired.
    ///   - margin: the margin in seconds that the request gives; nil for the default rule.
    package init(_ times: EntryTimes, margin: Int64?) {
        let (cachedAt, expiresOn) = (times.cachedAt, times.expiresOn)
        let lifetime = cachedAt.flatMap { cachedAt in expiresOn.map { max(0, $0.subtractingClamped(cachedAt)) } }
        let rule = lifetime.map { min(Self.largestMargin, $0 / 5) } ?? Self.largestMargin
        let margin = min(max(0, margin ?? rule), lifetime.map { $0 / 2 } ?? .max)
        let cached = cachedAt?.subtractingClamped(margin) ?? .min
        guard let expiresOn else {
            from = cached
            until = .min
            return
        }
        // An implausible expiry prevents the token from being used, but not from being stored.
        from = max(cached, expiresOn.subtractingClamped(Self.longestCredibleLifetime))
        until = expiresOn.subtractingClamped(margin)
    }

    package func contains(_ now: Int64) -> Bool { from <= now && now < until }

    /// Whether the token may be used until the end of its extended lifetime, while the server that would renew it
    /// cannot be reached.
    package func isExtended(until end: Int64, now: Int64) -> Bool {
        from <= now && now < end && ValidityInterval.isCredible(end, now: now)
    }

    /// Whether a time is not implausibly far ahead.
    package static func isCredible(_ time: Int64, now: Int64) -> Bool {
        time.subtractingClamped(now) <= longestCredibleLifetime
    }
}

extension Int64 {
    /// The difference, clamped to the representable range.
    func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}
