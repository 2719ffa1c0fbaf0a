// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

extension TokenCache {
    /// Gets an app-only token (client credentials), and asks the server if none is valid. Of all the threads, tasks and
    /// processes of the group that need the same token at the same time, one calls its closure, and the others get the
    /// result.
    ///
    /// ```swift
    /// let query = TokenQuery(
    ///     applicationScopes: ["https://graph.microsoft.com/.default"], tenant: tenant, environment: host)
    /// let result = try await cache.acquireApplicationToken(query) {
    ///     .response(try TokenResponse(json: try await post(credentials)))
    /// }
    /// ```
    ///
    /// A server's refusal is recorded for the whole group and stays in effect for two minutes: after correcting a
    /// secret, use ``TokenQueryOptions/forceRefresh``, or wait that long.
    ///
    /// If the caller that asks the server fails, is killed, or throws, the next caller tries. If the query's last token
    /// is still valid, the call is a lookup; if the group is busy, it returns the last known token if that is valid.
    ///
    /// - Parameters:
    ///   - query: created by ``TokenQuery/init(applicationScopes:tenant:environment:options:)``, with an environment. A
    ///     valid token is renewed if ``AccessToken/shouldRenew`` is true, and returned unchanged if that fails for any
    ///     reason.
    ///   - timeout: how long to wait while another caller asks the server; one minute by default. The closure limits
    ///     its own time.
    ///   - requesting: sends the application's credentials to the token endpoint.
    /// - Returns: usually ``TokenResult/valid(_:)``; ``TokenResult/scopesDeclined(_:)`` if the server granted something
    ///   else; ``TokenResult/interactionRequired(_:)`` with ``InteractionReason/applicationTokenMissing`` if it
    ///   refused.
    /// - Throws: ``TokenCacheError/Code/invalidRequest`` for a query for an account or without an environment, and the
    ///   errors of ``renew(_:timeout:redeeming:)``.
    nonisolated(nonsending) public func acquireApplicationToken(
        _ query: TokenQuery,
        timeout: Duration = .seconds(60),
        requesting: () async throws -> RenewalOutcome
    ) async throws(TokenCacheError) -> TokenResult {
        try translating(try AcquisitionRun.check(query.terms))
        if let token = engine.reusableToken(for: query) { return .valid(token) }
        let run = try translating(try AcquisitionRun(engine, query, deadline: .after(timeout)))
        return try await reporting(.acquireApplicationToken) { () async throws(TokenCacheError) in
            try await run.drive { _ in try await requesting() }
        }
    }

    /// The same for synchronous code: the calling thread waits.
    ///
    /// For parameters, result and errors, see ``acquireApplicationToken(_:timeout:requesting:)``.
    @available(
        *,
        noasync,
        message: "this call blocks a thread that other tasks need; use acquireApplicationToken(_:timeout:requesting:)"
    )
    public func acquireApplicationTokenSynchronously(
        _ query: TokenQuery,
        timeout: Duration = .seconds(60),
        requesting: () throws -> RenewalOutcome
    ) throws(TokenCacheError) -> TokenResult {
        try translating(try AcquisitionRun.check(query.terms))
        if let token = engine.reusableToken(for: query) { return .valid(token) }
        let run = try translating(try AcquisitionRun(engine, query, deadline: .after(timeout)))
        return try reporting(.acquireApplicationToken, try run.driveSynchronously { _ in try requesting() })
    }
}
