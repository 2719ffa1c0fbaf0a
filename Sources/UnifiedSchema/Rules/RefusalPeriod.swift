/// How long a refusal stands, so that nobody asks a server again in vain: seconds since 1970, from (included) until (excluded).
package struct RefusalPeriod: Hashable, Sendable {
    package let madeOn: Int64
    package let until: Int64

    /// A note from further ahead than any server may ask for was made under another clock, or is damaged.
    package static let longest: Int64 = 3600
    /// As MSAL throttles requests that the user has to answer.
    package static let untilPersonActs: Int64 = 120
    /// Where a server in trouble does not say how long it wants to be left alone.
    package static let untilServerRecovers: Int64 = 60

    package init(madeOn: Int64, until: Int64) {
        self.madeOn = madeOn
        self.until = until
    }

    /// Of a refusal that needs the user.
    package static func ofPerson(from now: Int64) -> RefusalPeriod {
        RefusalPeriod(madeOn: now, lasting: untilPersonActs)
    }

    /// Of a server that asks for time, or has trouble.
    package static func ofServer(from now: Int64, retryAfter: Int64?) -> RefusalPeriod {
        RefusalPeriod(madeOn: now, lasting: min(max(0, retryAfter ?? untilServerRecovers), longest))
    }

    private init(madeOn: Int64, lasting seconds: Int64) {
        let (until, overflow) = madeOn.addingReportingOverflow(seconds)
        self.init(madeOn: madeOn, until: overflow ? madeOn : until)
    }

    /// Whether it counts at a moment. One that was made later does not, nor one that lasts longer than any may.
    package func contains(_ now: Int64) -> Bool {
        guard madeOn <= now, now < until else { return false }
        let (length, overflow) = until.subtractingReportingOverflow(madeOn)
        return !overflow && length <= Self.longest
    }

    /// Whether it will never count again, as far as the clock is right.
    package func hasEnded(_ now: Int64) -> Bool { until <= now }
}
