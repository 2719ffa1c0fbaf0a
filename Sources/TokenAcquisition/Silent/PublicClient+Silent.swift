// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import TokenCaching

extension PublicClient {
    /// Gets a token without the user: from the cache, otherwise with a refresh token, which is redeemed once for all
    /// processes of the group.
    ///
    /// Prepare a request that you repeat: see ``prepare(_:)``.
    ///
    /// ```swift
    /// do {
    ///     let result = try await client.acquireTokenSilent(SilentRequest(scopes: ["User.Read"], account: account))
    ///     try await send(authorization: result.authorizationHeader)
    /// } catch where error.code == .interactionRequired {
    ///     signIn(asking: error.claimsToRequest)
    /// }
    /// ```
    ///
    /// If the task is cancelled, or the request's time is over, after a refresh token was sent, the server's answer is awaited
    /// in the background and saved, so that the next refresh token is not lost: ``close()`` waits for that.
    ///
    /// - Parameter request: the request.
    /// - Returns: the token, and whose it is.
    /// - Throws: ``AcquisitionError``, usually with one of the codes ``AcquisitionError/Code/interactionRequired``,
    ///   ``AcquisitionError/Code/scopesDeclined``, ``AcquisitionError/Code/networkFailed``,
    ///   ``AcquisitionError/Code/serverUnavailable``, ``AcquisitionError/Code/throttled``,
    ///   ``AcquisitionError/Code/timeout``, ``AcquisitionError/Code/cancelled``.
    public func acquireTokenSilent(_ request: SilentRequest) async throws(AcquisitionError) -> AuthenticationResult {
        try await acquireTokenSilent(try prepare(request))
    }

    /// Prepares a request that is repeated.
    ///
    /// - Parameter request: the request.
    /// - Returns: the same request, for ``acquireTokenSilent(_:)-(PreparedSilentRequest)``.
    /// - Throws: ``AcquisitionError/Code/requestRejected`` if it names no scope.
    public func prepare(_ request: SilentRequest) throws(AcquisitionError) -> PreparedSilentRequest {
        try PreparedSilentRequest(request, configuration, cache: cache)
    }

    /// Gets a token without the user, for a request that was prepared.
    ///
    /// With a valid token in the cache this starts no task and no thread. If the server wants the token renewed early,
    /// that happens in the background, unless ``ClientConfiguration/renewsInBackground`` is off.
    ///
    /// - Parameter request: made by ``prepare(_:)`` of this client.
    /// - Returns: the token, and whose it is.
    /// - Throws: the errors of ``acquireTokenSilent(_:)-(SilentRequest)``, and
    ///   ``AcquisitionError/Code/requestRejected`` if a client with another cache prepared the request.
    nonisolated(nonsending) public func acquireTokenSilent(
        _ request: PreparedSilentRequest
    ) async throws(AcquisitionError) -> AuthenticationResult {
        try requireOwn(request)
        let decision: TokenDecision
        do throws(TokenCacheError) {
            decision = try await cache.token(for: request.query)
        } catch {
            throw AcquisitionError(error)
        }
        if let result = result(of: decision, request) { return result }
        return try await renew(request, as: .silent)
    }

    /// The same for synchronous code: the calling thread waits, and no thread that tasks need.
    ///
    /// A valid token costs what it costs in the asynchronous form. To get another one, a task sends the requests while the
    /// calling thread sleeps.
    ///
    /// It cannot be cancelled. Do not call it on the main thread if the transport or the broker needs that thread.
    ///
    /// - Parameter request: made by ``prepare(_:)`` of this client.
    /// - Returns: the token, and whose it is.
    /// - Throws: the errors of ``acquireTokenSilent(_:)-(SilentRequest)``, and
    ///   ``AcquisitionError/Code/requestRejected`` if a client with another cache prepared the request.
    @available(*, noasync, message: "it would block a thread that other tasks need: use acquireTokenSilent(_:)")
    public func acquireTokenSilentSynchronously(
        _ request: PreparedSilentRequest
    ) throws(AcquisitionError) -> AuthenticationResult {
        try requireOwn(request)
        let decision = try readingCache { () throws(TokenCacheError) in try cache.token(for: request.query) }
        if let result = result(of: decision, request) { return result }
        // The task keeps to the time itself. The second is for a pool whose threads are all busy.
        let outcome = SleepingThread.result(within: request.request.timeout + .seconds(1)) {
            () async throws(AcquisitionError) in
            try await self.renew(request, as: .silent)
        }
        guard let outcome else { throw AcquisitionError(.timeout) }
        return try outcome.get()
    }

    /// A request of another cache names accounts that this one does not have, or has with other tokens.
    private func requireOwn(_ request: PreparedSilentRequest) throws(AcquisitionError) {
        guard request.context.cache === cache else {
            throw AcquisitionError(.requestRejected, detail: "a client with another cache prepared it")
        }
    }

    /// The result for a token that is valid; nil if another one is needed.
    private func result(of decision: TokenDecision, _ request: PreparedSilentRequest) -> AuthenticationResult? {
        guard case .valid(let token) = decision else { return nil }
        if token.shouldRenew { renewInBackground(request, token) }
        return AuthenticationResult(token, from: .cache, context: request.context)
    }

    private func renewInBackground(_ request: PreparedSilentRequest, _ token: AccessToken) {
        guard configuration.renewsInBackground else { return }
        let refreshToken = BackgroundRenewals.RefreshTokenKey(account: token.accountID, environment: token.environment)
        background.start(.init(refreshToken: refreshToken, scopes: request.request.scopes)) { [self] in
            do throws(AcquisitionError) {
                // What is still valid comes back if the renewal fails.
                let result = try await renew(request, as: .backgroundRenewal)
                return result.source == .renewal || !result.accessToken.shouldRenew
            } catch {
                return error.code == .scopesDeclined
            }
        }
    }

    // MARK: - Renewing

    nonisolated(nonsending) private func renew(
        _ request: PreparedSilentRequest,
        as kind: AcquisitionEvent.Kind
    ) async throws(AcquisitionError) -> AuthenticationResult {
        let correlationID = request.request.correlationID ?? CorrelationID()
        return try await services.reporting(kind, correlationID) { () async throws(AcquisitionError) in
            try await renew(request, correlationID: correlationID)
        }
    }

    nonisolated(nonsending) private func renew(
        _ request: PreparedSilentRequest,
        correlationID: CorrelationID
    ) async throws(AcquisitionError) -> AuthenticationResult {
        let deadline = RequestDeadline(after: request.request.timeout)
        do throws(AcquisitionError) {
            return try await renew(request, correlationID: correlationID, until: deadline)
        } catch {
            guard error.isOutage, let token = await tokenDuringOutage(request) else { throw error }
            return AuthenticationResult(
                token,
                from: .cacheWhileServerUnavailable,
                context: request.context,
                correlationID: correlationID
            )
        }
    }

    /// Renews in a task of its own: if the caller is cancelled, or its time is over, the task sends nothing any more, but
    /// saves what the server answers to what was sent.
    nonisolated(nonsending) private func renew(
        _ request: PreparedSilentRequest,
        correlationID: CorrelationID,
        until deadline: RequestDeadline
    ) async throws(AcquisitionError) -> AuthenticationResult {
        try await outliving(deadline, correlationID) { () async throws(AcquisitionError) in
            if let broker = self.services.broker,
                let result = try await self.acquireToken(
                    from: broker,
                    for: request,
                    correlationID: correlationID,
                    until: deadline
                )
            {
                return try self.checked(result, request)
            }
            return try await self.redeem(request, correlationID: correlationID, until: deadline)
        }
    }

    /// Redeems the refresh token, in one process of the group at a time; the others get the result.
    nonisolated(nonsending) private func redeem(
        _ request: PreparedSilentRequest,
        correlationID: CorrelationID,
        until deadline: RequestDeadline
    ) async throws(AcquisitionError) -> AuthenticationResult {
        let hasNewTokens = Mutex(false)
        let outcome: TokenResult
        do throws(TokenCacheError) {
            // It ends before the caller's time does, so that the caller learns that others are renewing.
            let timeout = max(.zero, deadline.remaining - .milliseconds(100))
            outcome = try await cache.renew(request.query, timeout: timeout) { refreshToken in
                let response = try await self.redeem(
                    refreshToken,
                    for: request,
                    correlationID: correlationID,
                    until: deadline
                )
                hasNewTokens.withLock { $0 = response.isSuccess }
                return response.outcome
            }
        } catch {
            throw AcquisitionError(error, correlationID)
        }
        let source: AuthenticationResult.Source = hasNewTokens.withLock { $0 } ? .renewal : .cache
        switch outcome {
        case .valid(let token):
            let id = source == .renewal ? correlationID : nil
            return try checked(
                AuthenticationResult(token, from: source, context: request.context, correlationID: id),
                request
            )
        case .interactionRequired(let required):
            throw AcquisitionError(required, correlationID)
        case .scopesDeclined(let grant):
            let result = try checked(
                AuthenticationResult(
                    grant.accessToken,
                    from: source,
                    context: request.context,
                    correlationID: correlationID
                ),
                request
            )
            throw AcquisitionError(.scopesDeclined) { facts in
                facts.grantedScopes = grant.grantedScopes
                facts.declinedScopes = grant.declinedScopes
                facts.result = result
                facts.correlationID = correlationID
            }
        }
    }

    /// A result whose token is of the type that its request asks for: a server may ignore that. Whatever came is kept.
    private func checked(
        _ result: AuthenticationResult,
        _ request: PreparedSilentRequest
    ) throws(AcquisitionError) -> AuthenticationResult {
        guard let scheme = request.context.scheme,
            result.accessToken.tokenType.lowercased() != scheme.tokenType.lowercased()
        else { return result }
        throw AcquisitionError(.responseRejected, detail: "the access token is not of the type that was asked for") {
            $0.correlationID = result.correlationID
        }
    }

    /// A token within its extended lifetime, if the application wants that.
    nonisolated(nonsending) private func tokenDuringOutage(_ request: PreparedSilentRequest) async -> AccessToken? {
        guard let query = request.queryDuringOutage, case .valid(let token)? = try? await cache.token(for: query) else {
            return nil
        }
        return token
    }

    private struct Response {
        let outcome: RenewalOutcome
        let isSuccess: Bool
    }

    /// Redeems a refresh token at the authority that it is from, and nowhere else.
    private func redeem(
        _ refreshToken: RefreshToken,
        for request: PreparedSilentRequest,
        correlationID: CorrelationID,
        until deadline: RequestDeadline
    ) async throws -> Response {
        var authority = request.authority
        if authority.tenantWord != nil { authority = authority.tenant(refreshToken.requestTenant) }
        let (endpoint, finding): (TokenEndpoint, Discovery.Finding)
        do throws(AcquisitionError) {
            (endpoint, finding) = try await self.endpoint(authority, correlationID: correlationID, until: deadline)
        } catch {
            // The group leaves a server alone that wants no request for its metadata either.
            guard error.retryAfter != nil, let response = error.errorResponse else { throw error }
            return Response(outcome: .unavailable(response), isSuccess: false)
        }
        guard authority.isSource(of: refreshToken, aliases: finding.aliases) else {
            throw AcquisitionError(.authorityRejected, detail: "the refresh token is from another host")
        }
        // A task of its own is not cancelled with this one.
        let response = try await Task { try await send(refreshToken, request, to: endpoint) }.value
        if response.status == 200 {
            guard JSONResponse.hasJSON(response) else {
                throw AcquisitionError(.responseRejected, detail: "token response: its content is not JSON") {
                    $0.correlationID = correlationID
                }
            }
            try IDTokenCheck(
                authority: authority,
                issuer: endpoint.metadata.issuer,
                clientID: configuration.clientID
            ).check(response: response.body)
        }
        let outcome = try RenewalOutcome.httpResponse(
            status: response.status,
            body: response.body,
            retryAfter: response.header("Retry-After")
        )
        return Response(outcome: outcome, isSuccess: response.status == 200)
    }

    /// Sends a refresh token, and waits for the answer as long as for any request, regardless of the caller's time: the
    /// answer may contain the only copy of the next refresh token.
    private func send(
        _ refreshToken: RefreshToken,
        _ request: PreparedSilentRequest,
        to endpoint: TokenEndpoint
    ) async throws -> TransportResponse {
        _ = try endpoint.deadline.timeLeft()
        let endpoint = endpoint.until(RequestDeadline.longestRequest)
        let parameters = request.request.extraParameters.merging(
            request.context.scheme?.tokenRequestParameters ?? [:],
            uniquingKeysWith: { $1 }
        )
        func post() async throws -> TransportResponse {
            let form = try endpoint.form(
                scopes: request.request.scopes,
                claims: request.request.claims,
                extra: parameters
            ) { (form) throws(TokenCacheError) in
                form.add("grant_type", "refresh_token")
                try refreshToken.withSecret { (secret) throws(TokenCacheError) in
                    form.add("refresh_token", secret: secret)
                }
            }
            return try await endpoint.post(form, to: endpoint.metadata.tokenEndpoint, account: refreshToken.accountID)
        }
        do {
            return try await post()
        } catch let error as AcquisitionError where error.transportError?.isWorthRepeating == true {
            // Once more, because the token certainly was not sent.
            return try await post()
        }
    }
}

extension Authority {
    /// Whether a refresh token was issued by this authority's server, so that it may be sent there.
    func isSource(of refreshToken: RefreshToken, aliases: [String]) -> Bool {
        let hosts = [refreshToken.networkHost, refreshToken.environment]
        if kind == .entra { return hosts.contains { isOfCloud($0, aliases) } }
        // No other host of what some process of the group took for its cloud.
        return refreshToken.environment == environment && refreshToken.networkHost == environment
    }
}

extension TransportError {
    /// Whether nothing was sent, and another attempt may connect.
    fileprivate var isWorthRepeating: Bool {
        !mayHaveBeenSent && (code == .connectionFailed || code == .connectionClosed || code == .hostNotFound)
    }
}

extension AcquisitionError {
    /// Whether the server could not be reached, or could not answer in time.
    var isOutage: Bool {
        code == .networkFailed || code == .serverUnavailable || code == .throttled || code == .timeout
    }
}
