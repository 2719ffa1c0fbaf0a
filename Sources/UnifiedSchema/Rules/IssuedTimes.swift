/// When an access token ends that was just issued, and from when on it is to be renewed: seconds since 1970, by what its
/// response says.
///
/// What cannot be meant counts as not said: a token that has ended when it comes, one that lives for centuries, one that is
/// to be renewed at once or after its end. Otherwise each request would renew it, and spend a refresh token for it.
package struct IssuedTimes: Hashable, Sendable {
    package let expiresOn: Int64
    package let extendedExpiresOn: Int64?
    package let refreshOn: Int64?

    /// How long a token lives whose response does not say, in seconds (RFC 6749, section 5.1, leaves that to documents of the
    /// server; all of Microsoft's libraries assume an hour).
    package static let assumedLifetime: Int64 = 3600

    /// - Parameters:
    ///   - now: when the response came.
    ///   - expiresIn: the member `expires_in`.
    ///   - expiresOn: the member `expires_on`, which some servers send in its place.
    ///   - extendedExpiresIn: the member `ext_expires_in`.
    ///   - refreshIn: the member `refresh_in`.
    package init(now: Int64, expiresIn: Int64?, expiresOn: Int64?, extendedExpiresIn: Int64?, refreshIn: Int64?) {
        func credible(_ seconds: Int64?) -> Int64? {
            seconds.flatMap { $0 > 0 && $0 <= ValidityInterval.longestCredibleLifetime ? $0 : nil }
        }
        func later(_ seconds: Int64) -> Int64 {
            let (time, overflow) = now.addingReportingOverflow(seconds)
            return overflow ? .max : time
        }
        let said = credible(expiresIn) ?? credible(expiresOn?.subtractingClamped(now))
        let lifetime = said ?? Self.assumedLifetime
        self.expiresOn = later(lifetime)
        extendedExpiresOn = credible(extendedExpiresIn).map(later)
        refreshOn = credible(refreshIn).flatMap { $0 < lifetime ? later($0) : nil }
    }
}
