internal import RecordStorage

extension TokenCache {
    /// Gets a token that can be used, spending the refresh token where that is needed, and sees to it that only one in the
    /// whole group spends it: of all the threads, tasks and processes that want a new token at once one calls its closure,
    /// and the others get what came of it.
    ///
    /// ```swift
    /// let result = try await cache.renew(query) { refreshToken in
    ///     let body = try await post(refreshToken)   // to the token endpoint of .networkHost and .requestTenant
    ///     return .response(try TokenResponse(json: body))
    /// }
    /// ```
    ///
    /// Where the one who renews fails, is killed, or throws, the next one tries. A dead refresh token is removed, and all
    /// who wait are told that the person has to sign in. New tokens take the place of every copy of the spent one in one
    /// transaction.
    ///
    /// What a server refused is noted for the whole group, and nobody is asked again until that is over: see
    /// <doc:SilentRequests>.
    ///
    /// The closure is called at most a few times: again only where the account has another refresh token after the server
    /// refused one. What it returns is stored even if the task was cancelled meanwhile, because the refresh token is spent.
    /// Storage is read and written on a few threads of the library's own.
    ///
    /// Where the group is busy, a token that was known last and is good is handed out, as ``token(for:)`` does; whoever has none
    /// waits until the time is over.
    ///
    /// Where the token that the query got last is still good this is a lookup, and costs little more than ``token(for:)``: so
    /// keep the queries that you repeat.
    ///
    /// - Parameters:
    ///   - query: what is wanted. A token that is good is renewed where ``AccessToken/shouldRenew`` says so, and handed out
    ///     as it is where that fails for whatever reason, but for a sign-out. With ``TokenQueryOptions/forceRefresh`` a token is
    ///     renewed that is still good, but one that another one got meanwhile will do.
    ///   - timeout: how long to wait for others who renew; one minute as a rule. The closure sees to its own time.
    ///   - spending: sends the refresh token to the token endpoint.
    /// - Returns: ``TokenResult/valid(_:)`` as a rule: of a new response the token that came with it, whatever its
    ///   lifetime. ``TokenResult/scopesDeclined(_:)`` where the server granted less than the query asks for;
    ///   ``TokenResult/interactionRequired(_:)`` with the reason, such as ``InteractionReason/refreshTokenLost``.
    /// - Throws: where no stored token is good, ``TokenCacheError/Code/renewalBusy`` where another one still renews when the time
    ///   is over, ``TokenCacheError/Code/renewalUnavailable`` where the server cannot be reached, has trouble, or wants to be left
    ///   alone (then the closure is not called), ``TokenCacheError/Code/renewalFailed`` with what the closure threw as
    ///   ``TokenCacheError/underlying``, ``TokenCacheError/Code/readOnly``, and what lookups and saves throw;
    ///   ``TokenCacheError/Code/cancelled``; ``TokenCacheError/Code/signedOut`` where the account was signed out meanwhile.
    nonisolated(nonsending) public func renew(
        _ query: TokenQuery,
        timeout: Duration = .seconds(60),
        spending: (RefreshToken) async throws -> RenewalOutcome
    ) async throws(TokenCacheError) -> TokenResult {
        if let good = engine.goodToken(for: query) { return .valid(good) }
        return try await RenewalRun(engine, query, deadline: .after(timeout)).drive(spending)
    }

    /// The same for code that is not asynchronous: the calling thread waits.
    ///
    /// Parameters, result and errors as for ``renew(_:timeout:spending:)``. It cannot be cancelled, but for what the closure does.
    @available(*, noasync, message: "it would block a thread that other tasks need: use renew(_:timeout:spending:)")
    public func renewSynchronously(
        _ query: TokenQuery,
        timeout: Duration = .seconds(60),
        spending: (RefreshToken) throws -> RenewalOutcome
    ) throws(TokenCacheError) -> TokenResult {
        if let good = engine.goodToken(for: query) { return .valid(good) }
        return try RenewalRun(engine, query, deadline: .after(timeout)).driveSynchronously(spending)
    }
}
