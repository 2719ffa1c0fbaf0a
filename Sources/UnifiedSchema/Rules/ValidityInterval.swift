/// When an access token may be handed out: seconds since 1970, from (included) until (excluded).
///
/// It ends before the token does, by a margin: the smaller of 300 s and a fifth of the lifetime, unless the request
/// names one. No margin is more than half of the lifetime: a token that was just issued is good for a while, or every
/// request would renew it. The interval begins the same margin before the token was cached: a token from further in the
/// future was cached under a clock that was set back since, so nothing is known about its end.
package struct ValidityInterval: Hashable, Sendable {
    package let from: Int64
    package let until: Int64

    /// The longest time, in seconds, that a token counts as expired before it ends, where the request names none.
    package static let largestMargin: Int64 = 300

    /// No server issues access tokens for a century: a time further ahead is in milliseconds, or damaged. .NET stops
    /// trusting a time after ten years; a cache that was made for tests may well end in 2100.
    package static let longestCredibleLifetime: Int64 = 100 * 31_557_600

    /// - Parameters:
    ///   - times: of the token. One that does not say when it ends counts as expired.
    ///   - margin: in seconds, as the request names it; nil for the rule.
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
        // An end that cannot be meant keeps the token from being used, and never from being kept.
        from = max(cached, expiresOn.subtractingClamped(Self.longestCredibleLifetime))
        until = expiresOn.subtractingClamped(margin)
    }

    package func contains(_ now: Int64) -> Bool { from <= now && now < until }

    /// Whether the token may stand in, up to the end of its extended lifetime, while the server that would renew it
    /// cannot be reached.
    package func isExtended(until end: Int64, now: Int64) -> Bool {
        from <= now && now < end && ValidityInterval.isCredible(end, now: now)
    }

    /// Whether a time is so far ahead that it cannot be meant.
    package static func isCredible(_ time: Int64, now: Int64) -> Bool {
        time.subtractingClamped(now) <= longestCredibleLifetime
    }
}

extension Int64 {
    /// The difference, or the nearest number that can be represented.
    func subtractingClamped(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }
}
