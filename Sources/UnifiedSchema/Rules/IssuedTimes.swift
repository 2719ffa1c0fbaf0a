// SPDX-License-Identifier: Apache-2.0

/// When a newly issued access token expires, and when it should be renewed, in seconds since 1970, according to its
/// response.
///
/// Implausible values count as missing: a token that has expired on arrival or lives for centuries, or a renewal that
/// is due at once or after the expiry. Otherwise each request would renew the token, and redeem a refresh token each
/// time.
package struct IssuedTimes: Hashable, Sendable {
    package let expiresOn: Int64
    package let extendedExpiresOn: Int64?
    package let refreshOn: Int64?

    /// The lifetime in seconds of a token whose response does not give one (RFC 6749, section 5.1, leaves that to the
    /// server's documentation; all of Microsoft's libraries assume an hour).
    package static let assumedLifetime: Int64 = 3600

    /// - Parameters:
    ///   - now: when the response arrived.
    ///   - expiresIn: the member `expires_in`.
    ///   - expiresOn: the member `expires_on`, which some servers send instead.
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
