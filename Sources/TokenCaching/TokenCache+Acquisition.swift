internal import RecordStorage

extension TokenCache {
    /// Gets a token of the application itself (client credentials), asking the server where none is good, and sees to it
    /// that only one in the whole group asks: of all the threads, tasks and processes that want the same token at once one
    /// calls its closure, and the others get what came of it.
    ///
    /// ```swift
    /// let query = TokenQuery(
    ///     applicationScopes: ["https://graph.microsoft.com/.default"], tenant: tenant, environment: host)
    /// let result = try await cache.acquire(query) {
    ///     .response(try TokenResponse(json: try await post(credentials)))
    /// }
    /// ```
    ///
    /// What the server refuses is noted for the whole group and answers for two minutes: after putting a secret right, ask with
    /// ``TokenQueryOptions/forceRefresh``, or wait that long.
    ///
    /// Where the one who asks fails, is killed, or throws, the next one tries. Where the token that the query got last is
    /// still good this is a lookup; where the group is busy, one that was known last and is good is handed out.
    ///
    /// - Parameters:
    ///   - query: made by ``TokenQuery/init(applicationScopes:tenant:environment:options:)``, with an environment. A token
    ///     that is good is renewed where ``AccessToken/shouldRenew`` says so, and handed out as it is where that fails for
    ///     whatever reason.
    ///   - timeout: how long to wait for others who ask; one minute as a rule. The closure sees to its own time.
    ///   - requesting: sends the application's credentials to the token endpoint.
    /// - Returns: ``TokenResult/valid(_:)`` as a rule; ``TokenResult/scopesDeclined(_:)`` where the server granted
    ///   something else; ``TokenResult/interactionRequired(_:)`` with ``InteractionReason/applicationTokenMissing`` where
    ///   it refused.
    /// - Throws: ``TokenCacheError/Code/invalidRequest`` for a query of an account or without an environment, and as
    ///   ``renew(_:timeout:spending:)``.
    nonisolated(nonsending) public func acquire(
        _ query: TokenQuery,
        timeout: Duration = .seconds(60),
        requesting: () async throws -> RenewalOutcome
    ) async throws(TokenCacheError) -> TokenResult {
        try AcquisitionRun.check(query.terms)
        if let good = engine.goodToken(for: query) { return .valid(good) }
        let run = try AcquisitionRun(engine, query, deadline: .after(timeout))
        return try await run.drive { _ in try await requesting() }
    }

    /// The same for code that is not asynchronous: the calling thread waits.
    ///
    /// Parameters, result and errors as for ``acquire(_:timeout:requesting:)``.
    @available(*, noasync, message: "it would block a thread that other tasks need: use acquire(_:timeout:requesting:)")
    public func acquireSynchronously(
        _ query: TokenQuery,
        timeout: Duration = .seconds(60),
        requesting: () throws -> RenewalOutcome
    ) throws(TokenCacheError) -> TokenResult {
        try AcquisitionRun.check(query.terms)
        if let good = engine.goodToken(for: query) { return .valid(good) }
        let run = try AcquisitionRun(engine, query, deadline: .after(timeout))
        return try run.driveSynchronously { _ in try requesting() }
    }
}
