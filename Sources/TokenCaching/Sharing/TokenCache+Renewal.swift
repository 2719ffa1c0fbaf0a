// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

extension TokenCache {
    /// Gets a valid token, and redeems the refresh token if necessary, but only once in the whole group: of all the
    /// threads, tasks and processes that need a new token at the same time, one calls its closure, and the others get
    /// the result.
    ///
    /// ```swift
    /// let result = try await cache.renew(query) { refreshToken in
    ///     let body = try await post(refreshToken)   // to the token endpoint of .networkHost and .requestTenant
    ///     return .response(try TokenResponse(json: body))
    /// }
    /// ```
    ///
    /// If the caller that renews fails, is killed, or throws, the next caller tries. A dead refresh token is removed,
    /// and all waiting callers learn that the user has to sign in. New tokens replace every copy of the redeemed one in
    /// a single transaction.
    ///
    /// A server's refusal is recorded for the whole group, and the server is not asked again while the record is in
    /// effect: see <doc:SilentRequests>.
    ///
    /// The closure is called at most a few times: again only if the server refused one refresh token and the account
    /// has another. Its result is stored even if the task was cancelled in the meantime, because the refresh token has
    /// been redeemed. Storage is read and written on a few threads of the library.
    ///
    /// If the group is busy, the call returns the last known token if that is valid, as ``token(for:)`` does; a caller
    /// without one waits until its timeout.
    ///
    /// If the query's last token is still valid, this is a lookup and costs little more than ``token(for:)``, so keep
    /// the queries that you repeat.
    ///
    /// - Parameters:
    ///   - query: the query. A valid token is renewed if ``AccessToken/shouldRenew`` is true, and returned unchanged if
    ///     that fails for any reason except a sign-out. With ``TokenQueryOptions/forceRefresh`` a valid token is
    ///     renewed too, but one that another caller obtained in the meantime is accepted.
    ///   - timeout: how long to wait while other callers renew; one minute by default. The closure limits its own time.
    ///   - redeeming: sends the refresh token to the token endpoint.
    /// - Returns: usually ``TokenResult/valid(_:)``; after a renewal it contains the token of the response, regardless
    ///   of its lifetime. ``TokenResult/scopesDeclined(_:)`` if the server granted less than the query asks for;
    ///   ``TokenResult/interactionRequired(_:)`` with the reason, such as ``InteractionReason/refreshTokenLost``.
    /// - Throws: if no stored token is valid, ``TokenCacheError/Code/renewalBusy`` if another caller is still renewing
    ///   at the timeout, ``TokenCacheError/Code/renewalUnavailable`` if the server cannot be reached, has a problem, or
    ///   asked for time (then the closure is not called), ``TokenCacheError/Code/renewalFailed`` with the closure's
    ///   error as ``TokenCacheError/underlying``, ``TokenCacheError/Code/readOnly``, and the errors of lookups and
    ///   saves; ``TokenCacheError/Code/cancelled``; ``TokenCacheError/Code/signedOut`` if the account was signed out in
    ///   the meantime.
    nonisolated(nonsending) public func renew(
        _ query: TokenQuery,
        timeout: Duration = .seconds(60),
        redeeming: (RefreshToken) async throws -> RenewalOutcome
    ) async throws(TokenCacheError) -> TokenResult {
        if let token = engine.reusableToken(for: query) { return .valid(token) }
        return try await renewNow(query, timeout: timeout, redeeming: redeeming)
    }

    /// The same for synchronous code: the calling thread waits.
    ///
    /// For parameters, result and errors, see ``renew(_:timeout:redeeming:)``. Only the closure can cancel it.
    @available(*, noasync, message: "this call blocks a thread that other tasks need; use renew(_:timeout:redeeming:)")
    public func renewSynchronously(
        _ query: TokenQuery,
        timeout: Duration = .seconds(60),
        redeeming: (RefreshToken) throws -> RenewalOutcome
    ) throws(TokenCacheError) -> TokenResult {
        if let token = engine.reusableToken(for: query) { return .valid(token) }
        return try renewNowSynchronously(query, timeout: timeout, redeeming: redeeming)
    }

    // A separate function, so that a call with a valid token pays nothing for this.
    @inline(never)
    nonisolated(nonsending) private func renewNow(
        _ query: TokenQuery,
        timeout: Duration,
        redeeming: (RefreshToken) async throws -> RenewalOutcome
    ) async throws(TokenCacheError) -> TokenResult {
        try await reporting(.renew) { () async throws(TokenCacheError) in
            try await RenewalRun(engine, query, deadline: .after(timeout)).drive(redeeming)
        }
    }

    @inline(never)
    private func renewNowSynchronously(
        _ query: TokenQuery,
        timeout: Duration,
        redeeming: (RefreshToken) throws -> RenewalOutcome
    ) throws(TokenCacheError) -> TokenResult {
        try reporting(.renew, try RenewalRun(engine, query, deadline: .after(timeout)).driveSynchronously(redeeming))
    }
}
