// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import TokenCaching

extension PublicClient {
    /// Gets a token of the application itself: from the cache, or else with the client's credentials, in one process of the
    /// group at a time. The others get the result.
    ///
    /// ```swift
    /// configuration.credential = .assertion(inFileAt: "/var/run/secrets/tokens/token")
    /// let client = try await PublicClient.open(configuration, group: "com.contoso.backup", services: services)
    /// let request = ApplicationTokenRequest(scopes: ["https://vault.azure.net/.default"])
    /// let result = try await client.acquireApplicationToken(request)
    /// ```
    ///
    /// If the cache has a valid token that the server does not want renewed yet, this sends nothing and reads no secret.
    /// Tokens are kept by issuer and client. A refusal is recorded for the whole group and
    /// stays in effect for two minutes: after correcting a secret, use ``ApplicationTokenRequest/forceRefresh``, or wait that
    /// long. For credentials that ``ClientConfiguration/credential`` does not cover, such as a managed identity, call
    /// `TokenCache.acquireApplicationToken` with a closure that requests the token.
    ///
    /// - Parameter request: the request.
    /// - Returns: the token. It has no account.
    /// - Throws: ``AcquisitionError/Code/configurationRejected`` without a credential, or if the credential's closure throws;
    ///   ``AcquisitionError/Code/requestRejected`` for a request without scopes, with
    ///   ``ApplicationTokenRequest/isolatedParameters`` that are not allowed, or for `common`, `organizations` or
    ///   `consumers` in place of a tenant; ``AcquisitionError/Code/scopesDeclined``, with the token for the granted scopes in
    ///   ``AcquisitionError/result``; ``AcquisitionError/Code/renewalBusy`` if another process is still asking at the timeout;
    ///   ``AcquisitionError/Code/serverRefused``, ``AcquisitionError/Code/grantNotSupported``,
    ///   ``AcquisitionError/Code/serverUnavailable``, ``AcquisitionError/Code/throttled``,
    ///   ``AcquisitionError/Code/authorityRejected``, ``AcquisitionError/Code/issuerRejected``,
    ///   ``AcquisitionError/Code/responseRejected``, ``AcquisitionError/Code/networkFailed``,
    ///   ``AcquisitionError/Code/timeout``, ``AcquisitionError/Code/cancelled``, ``AcquisitionError/Code/cacheFailed``.
    public func acquireApplicationToken(
        _ request: ApplicationTokenRequest
    ) async throws(AcquisitionError) -> AuthenticationResult {
        guard request.scopes.contains(where: { !$0.isEmpty }) else {
            throw AcquisitionError(.requestRejected, detail: "it names no scope")
        }
        guard configuration.credential != nil else {
            throw AcquisitionError(
                .configurationRejected,
                detail: "a client without a credential has no tokens of its own"
            )
        }
        let authority = request.authority ?? configuration.authority
        if authority.tenantWord != nil {
            throw AcquisitionError(.requestRejected, detail: "a token of an application is from one tenant: name it")
        }
        var options = TokenQueryOptions()
        options.forceRefresh = request.forceRefresh
        options.claimsChallenge = request.claims?.json
        options.expirationMargin = configuration.expirationMargin
        options.extendedCacheKey = try request.isolation(at: authority)
        let query = TokenQuery(
            applicationScopes: request.scopes,
            tenant: authority.tenant ?? "",
            environment: authority.environment,
            options: options
        )
        let context = AuthenticationResult.Context(cache: cache, authority: authority)
        if case .valid(let token) = try await usingCache(try await cache.token(for: query)), !token.shouldRenew {
            return AuthenticationResult(token, from: .cache, context: context)
        }
        let correlationID = request.correlationID ?? CorrelationID()
        return try await services.reporting(.application, correlationID) { () async throws(AcquisitionError) in
            try await acquire(query, for: request, context, correlationID)
        }
    }

    private func acquire(
        _ query: TokenQuery,
        for request: ApplicationTokenRequest,
        _ context: AuthenticationResult.Context,
        _ correlationID: CorrelationID
    ) async throws(AcquisitionError) -> AuthenticationResult {
        let deadline = RequestDeadline(after: request.timeout)
        let wasIssued = Mutex(false)
        let outcome: TokenResult
        do throws(TokenCacheError) {
            outcome = try await cache.acquireApplicationToken(query, timeout: deadline.remaining) {
                let (outcome, isIssued) = try await self.ask(
                    request,
                    at: context.authority,
                    correlationID,
                    until: deadline
                )
                wasIssued.withLock { $0 = isIssued }
                return outcome
            }
        } catch {
            throw AcquisitionError(error, from: context.authority)
        }
        func result(_ token: AccessToken) -> AuthenticationResult {
            let isNew = wasIssued.withLock { $0 }
            return AuthenticationResult(
                token,
                from: isNew ? .renewal : .cache,
                context: context,
                correlationID: isNew ? correlationID : nil
            )
        }
        switch outcome {
        case .valid(let token): return result(token)
        case .scopesDeclined(let grant): throw AcquisitionError(grant, result(grant.accessToken))
        case .interactionRequired(let required):
            guard let response = required.errorResponse else { throw AcquisitionError(.serverRefused) }
            // There is no user who could help.
            let code = AcquisitionError.Code(refusal: response)
            let needsUser = [.interactionRequired, .declinedByUser, .deviceCodeExpired].contains(code)
            throw AcquisitionError(needsUser ? .serverRefused : code) { facts in
                facts.errorResponse = response
                facts.retryAfter = response.retryAfter
            }
        }
    }

    /// Requests a token from the server.
    private func ask(
        _ request: ApplicationTokenRequest,
        at authority: Authority,
        _ correlationID: CorrelationID,
        until deadline: RequestDeadline
    ) async throws -> (RenewalOutcome, isIssued: Bool) {
        let endpoint: TokenEndpoint
        do throws(AcquisitionError) {
            endpoint = try await self.endpoint(authority, correlationID: correlationID, until: deadline)
        } catch {
            guard let outcome = RenewalOutcome(ofMetadata: error) else { throw error }
            return (outcome, false)
        }
        let form = endpoint.form(
            scopes: request.scopes,
            claims: request.claims,
            extra: request.addedParameters,
            isOfUser: false
        ) { $0.add("grant_type", "client_credentials") }
        let response = try await endpoint.post(form, to: endpoint.metadata.tokenEndpoint)
        if response.status == 200 { try TokenResponseCheck().check(response.body) }
        let outcome = try RenewalOutcome.httpResponse(
            status: response.status,
            body: response.body,
            retryAfter: response.header("Retry-After"),
            date: services.clock.now()
        )
        return (outcome, response.status == 200)
    }
}

extension ApplicationTokenRequest {
    /// The key of the tokens. Entries of the cache have the issuer's path without outer slashes, and ignore its case, so an
    /// issuer that this does not identify is part of the key.
    fileprivate func isolation(at authority: Authority) throws(AcquisitionError) -> ExtendedCacheKey? {
        let own = try isolation()
        let path = authority.tenant.map { "/" + $0.lowercased() } ?? ""
        guard [.openIDConnect, .oauth].contains(authority.kind), authority.url != authority.address.origin + path else {
            return own
        }
        // No parameter's name begins with a space.
        return ExtendedCacheKey(components: isolatedParameters.merging([" issuer": authority.url]) { own, _ in own })
    }
}
