// SPDX-License-Identifier: Apache-2.0

/// How long a refusal stays in effect, so that a server is not asked again in vain. In seconds since 1970; `until` is
/// excluded.
package struct RefusalPeriod: Hashable, Sendable {
    package let madeOn: Int64
    package let until: Int64

    /// A period that reaches further ahead was computed with another clock, or is damaged: no server may ask for more.
    package static let longest: Int64 = 3600
    /// The time for which MSAL throttles requests that need the user.
    package static let untilUserActs: Int64 = 120
    /// Used if a server that has too many requests does not say how long to wait.
    package static let untilServerIsFree: Int64 = 60
    /// Used if a server with a problem does not say how long to wait. Each further time in a row doubles it, up to
    /// ``untilServerIsFree``.
    package static let untilServerRecovers: Int64 = 10

    package init(madeOn: Int64, until: Int64) {
        self.madeOn = madeOn
        self.until = until
    }

    /// The period after a refusal that needs the user.
    package static func ofUser(from now: Int64) -> RefusalPeriod {
        RefusalPeriod(madeOn: now, lasting: untilUserActs)
    }

    /// The period after a response from a server that asks for time, or has a problem.
    ///
    /// - Parameters:
    ///   - now: when it responded.
    ///   - retryAfter: how long it asked to wait; nil if it did not say.
    ///   - isBusy: whether it has too many requests (429).
    ///   - last: the period of its last such response to the same request; nil if there was none.
    /// - Returns: the period; empty if the server may be asked again at once.
    package static func ofServer(
        from now: Int64,
        retryAfter: Int64?,
        isBusy: Bool,
        last: RefusalPeriod? = nil
    ) -> RefusalPeriod {
        if let retryAfter { return RefusalPeriod(madeOn: now, lasting: min(max(0, retryAfter), longest)) }
        if isBusy { return RefusalPeriod(madeOn: now, lasting: untilServerIsFree) }
        guard let last, last.isRecent(now) else { return RefusalPeriod(madeOn: now, lasting: untilServerRecovers) }
        let doubled = 2 * min(last.length, untilServerIsFree)
        return RefusalPeriod(madeOn: now, lasting: min(max(doubled, untilServerRecovers), untilServerIsFree))
    }

    /// In seconds; 0 for a period that ends before it begins, or whose length is out of range.
    private var length: Int64 {
        let (length, overflow) = until.subtractingReportingOverflow(madeOn)
        return overflow ? 0 : max(0, length)
    }

    /// Whether it is in effect, or ended so recently that the next one continues it: for as long again, a minute at
    /// most.
    package func isRecent(_ now: Int64) -> Bool {
        guard madeOn <= now else { return false }
        let (end, overflow) = until.addingReportingOverflow(min(length, Self.untilServerIsFree))
        return overflow || now < end
    }

    private init(madeOn: Int64, lasting seconds: Int64) {
        let (until, overflow) = madeOn.addingReportingOverflow(seconds)
        self.init(madeOn: madeOn, until: overflow ? madeOn : until)
    }

    /// Whether it is in effect at a moment. A period that begins later, or is longer than allowed, is not.
    package func contains(_ now: Int64) -> Bool {
        guard madeOn <= now, now < until else { return false }
        let (length, overflow) = until.subtractingReportingOverflow(madeOn)
        return !overflow && length <= Self.longest
    }

    /// Whether it can never be in effect again, provided that the clock is right.
    package func hasEnded(_ now: Int64) -> Bool { until <= now }
}
