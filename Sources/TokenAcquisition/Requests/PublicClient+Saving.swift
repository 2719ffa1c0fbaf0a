// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import TokenCaching
internal import UnifiedSchema

extension PublicClient {
    /// Saves the tokens of a sign-in: a server's response whose id token was checked.
    func save(
        _ response: TransportResponse,
        from endpoint: TokenEndpoint,
        scopes: [String],
        isolatedBy isolation: ExtendedCacheKey? = nil,
        for accountID: Account.ID? = nil,
        source: AuthenticationResult.Source,
        holding lease: InteractionLease? = nil
    ) async throws(AcquisitionError) -> AuthenticationResult {
        let authority = endpoint.authority
        var request = TokenRequest(
            environment: authority.environment,
            tenant: authority.tenant ?? "",
            // A server that grants all that was requested need not name it (RFC 6749, section 5.1).
            scopes: authority.kind.renewsForAnyScope || !authority.kind.namesUsers
                ? scopes : try endpoint.signInScopes(scopes),
            grant: .interactive,
            accountID: accountID
        )
        request.interaction = lease?.subject
        request.extendedCacheKey = isolation
        request.isolatesRefreshToken = !authority.kind.renewsForAnyScope
        let context = AuthenticationResult.Context(cache: cache, authority: authority)
        return try await save(
            response.body,
            for: request,
            source: source,
            context: context,
            correlationID: endpoint.correlationID
        )
    }

    /// Saves the body of a token response whose id token was checked.
    ///
    /// - Throws: `accountMismatch`, `scopesDeclined` with the token, `interactionRequired` if there is none, and the
    ///   errors of the cache.
    func save(
        _ body: [UInt8],
        for request: TokenRequest,
        source: AuthenticationResult.Source,
        context: AuthenticationResult.Context,
        correlationID: CorrelationID
    ) async throws(AcquisitionError) -> AuthenticationResult {
        let saved = try await usingCache(try await cache.save(try TokenResponse(json: body), for: request))
        let token = try await usingCache(try await saved.accessToken())
        guard !saved.belongsToAnotherAccount else { throw AcquisitionError(.accountMismatch) }
        guard let token else { throw AcquisitionError(.interactionRequired) { $0.reason = .scopesNotGranted } }
        let result = AuthenticationResult(token, from: source, context: context, correlationID: correlationID)
        let granted = saved.grantedScopes
        let declined = TokenEndpoint.compared(request.scopes).filter { scope in
            !granted.contains { $0.lowercased() == scope.lowercased() }
        }
        guard declined.isEmpty else {
            throw AcquisitionError(.scopesDeclined) { facts in
                facts.grantedScopes = granted
                facts.declinedScopes = declined
                facts.result = result
            }
        }
        return result
    }
}

extension TokenEndpoint {
    /// The same endpoints with a new deadline.
    func until(_ timeout: Duration) -> TokenEndpoint {
        var endpoint = self
        endpoint.deadline = RequestDeadline(after: timeout)
        return endpoint
    }
}
