// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import TokenCaching
internal import UnifiedSchema

extension PublicClient {
    /// Gets a token without interaction: from the cache, or else with a refresh token, which is redeemed once for all
    /// processes of the group.
    ///
    /// If the cache has a valid token, this starts no task and no thread. If the server wants the token renewed early,
    /// it is renewed in the background, unless ``ClientConfiguration/renewsInBackground`` is off.
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
    /// If the task is cancelled, or the request times out, after a refresh token was sent, the client waits in the
    /// background for the server's response and saves it, so that the next refresh token is not lost; ``close()`` waits
    /// for that.
    ///
    /// - Parameter request: the request.
    /// - Returns: the token, with access to its account.
    /// - Throws: ``AcquisitionError/Code/interactionRequired``; ``AcquisitionError/Code/scopesDeclined``, with the
    ///   token for the granted scopes in ``AcquisitionError/result``; ``AcquisitionError/Code/accountMismatch``;
    ///   ``AcquisitionError/Code/renewalBusy`` if another process is still renewing the token at the timeout. The
    ///   server can cause ``AcquisitionError/Code/declinedByUser``, ``AcquisitionError/Code/serverRefused``,
    ///   ``AcquisitionError/Code/grantNotSupported``, ``AcquisitionError/Code/deviceRegistrationRequired``,
    ///   ``AcquisitionError/Code/protectionPolicyRequired``, ``AcquisitionError/Code/serverUnavailable``,
    ///   ``AcquisitionError/Code/throttled``, ``AcquisitionError/Code/authorityRejected``,
    ///   ``AcquisitionError/Code/issuerRejected``, ``AcquisitionError/Code/idTokenRejected``, and
    ///   ``AcquisitionError/Code/responseRejected``, also with a token of another type than that of
    ///   ``SilentRequest/authenticationScheme``. This machine can cause ``AcquisitionError/Code/networkFailed``,
    ///   ``AcquisitionError/Code/timeout``, ``AcquisitionError/Code/cacheFailed``, and the caller
    ///   ``AcquisitionError/Code/cancelled``. ``AcquisitionError/Code/requestRejected`` for a request without scopes,
    ///   or with ``SilentRequest/isolatedParameters`` that are not allowed. The errors of a ``Broker`` are thrown as they are. If a request with ``SilentRequest/forceRefresh`` gets no new
    ///   token, ``AcquisitionError/result`` has the token that is still valid, if there is one.
    nonisolated(nonsending) public func acquireTokenSilent(
        _ request: SilentRequest
    ) async throws(AcquisitionError) -> AuthenticationResult {
        let prepared = try request.preparation.prepared(request, for: self)
        let decision: TokenDecision
        do throws(TokenCacheError) {
            decision = try await cache.token(for: prepared.query)
        } catch {
            throw AcquisitionError(error)
        }
        if case .valid(let token) = decision {
            if token.shouldRenew { renewInBackground(prepared, token) }
            return AuthenticationResult(token, from: .cache, context: prepared.context)
        }
        return try await renew(prepared, as: .silent)
    }

    private func renewInBackground(_ request: PreparedSilentRequest, _ token: AccessToken) {
        guard configuration.renewsInBackground else { return }
        let refreshToken = BackgroundRenewals.RefreshTokenKey(account: token.accountID, environment: token.environment)
        let key = BackgroundRenewals.Key(
            refreshToken: refreshToken,
            scopes: request.request.scopes,
            isolatedParameters: request.request.isolatedParameters
        )
        background.start(key) { [self] in
            do throws(AcquisitionError) {
                // If the renewal fails, the token that is still valid is returned.
                let result = try await renew(request, as: .backgroundRenewal)
                return result.source == .renewal || !result.accessToken.shouldRenew
            } catch {
                return error.code == .scopesDeclined
            }
        }
    }

    // MARK: - Renewing

    nonisolated(nonsending) private func renew(
        _ prepared: PreparedSilentRequest,
        as kind: AcquisitionEvent.Kind
    ) async throws(AcquisitionError) -> AuthenticationResult {
        let request = prepared.request
        let correlationID = request.correlationID ?? CorrelationID()
        return try await services.reporting(kind, correlationID) { () async throws(AcquisitionError) in
            let deadline = RequestDeadline(after: request.timeout)
            do throws(AcquisitionError) {
                return try await renew(prepared, correlationID: correlationID, until: deadline)
            } catch {
                if request.forceRefresh {
                    guard let token = await storedToken(prepared, { $0.forceRefresh = false }) else { throw error }
                    let result = AuthenticationResult(token, from: .cache, context: prepared.context)
                    throw error.changed { $0.result = $0.result ?? result }
                }
                guard error.isOutage, configuration.allowsExtendedLifetime,
                    let token = await storedToken(prepared, { $0.allowsExtendedLifetime = true })
                else { throw error }
                return AuthenticationResult(
                    token,
                    from: .cacheWhileServerUnavailable,
                    context: prepared.context,
                    correlationID: correlationID
                )
            }
        }
    }

    /// A token that is valid with other options; nil if an API rejected it.
    nonisolated(nonsending) private func storedToken(
        _ prepared: PreparedSilentRequest,
        _ change: (inout TokenQueryOptions) -> Void
    ) async -> AccessToken? {
        guard prepared.request.claims == nil,
            case .valid(let token)? = try? await cache.token(for: prepared.query(change))
        else { return nil }
        return token
    }

    /// Renews in a separate task. If the caller is cancelled or times out, that task sends nothing more, but saves the
    /// response to a request that it has sent.
    nonisolated(nonsending) private func renew(
        _ request: PreparedSilentRequest,
        correlationID: CorrelationID,
        until deadline: RequestDeadline
    ) async throws(AcquisitionError) -> AuthenticationResult {
        try await outliving(deadline, correlationID) { () async throws(AcquisitionError) in
            // A broker knows nothing of these parameters.
            if let broker = self.services.broker, request.request.isolatedParameters.isEmpty,
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
        let latest = Mutex(Response?.none)
        let outcome: TokenResult
        do throws(TokenCacheError) {
            // Ends before the caller's deadline, so that the caller learns that other processes are renewing.
            let timeout = max(.zero, deadline.remaining - .milliseconds(100))
            outcome = try await cache.renew(request.query, timeout: timeout) { refreshToken in
                let response = try await self.redeem(
                    refreshToken,
                    for: request,
                    correlationID: correlationID,
                    until: deadline
                )
                latest.withLock { $0 = response }
                return response.outcome
            }
        } catch {
            let failure = AcquisitionError(error, from: request.authority)
            guard let pending = latest.withLock({ $0?.outcome.pendingRevocation }) else { throw failure }
            // Also if the caller was cancelled: nobody else knows that token.
            let reports = await Task { try? await revoke(of: pending.accountID) { $0 == pending } }.value
            let isRevoked = reports?.first?.outcome == .done
            throw failure.changed {
                $0.detail = "its next refresh token \(isRevoked ? "was revoked" : "could not be revoked yet")"
            }
        }
        let response = latest.withLock { $0 }
        func result(_ token: AccessToken) throws(AcquisitionError) -> AuthenticationResult {
            let isNew = response?.isSuccess == true
            let (source, id) = isNew ? (AuthenticationResult.Source.renewal, correlationID) : (.cache, nil)
            return try checked(
                AuthenticationResult(token, from: source, context: request.context, correlationID: id),
                request
            )
        }
        switch outcome {
        case .valid(let token): return try result(token)
        case .interactionRequired(let required):
            if let fault = response?.fault { throw fault }
            if required.errorResponse?.error == "invalid_target", !request.request.isolatedParameters.isEmpty {
                // The refresh token is not for this resource (RFC 8707, section 2.2), but a sign-in may be.
                throw AcquisitionError(.interactionRequired) { facts in
                    facts.reason = .renewalRefused
                    facts.errorResponse = required.errorResponse
                }
            }
            let isNoted = response == nil && required.reason == .accountMismatch
            throw AcquisitionError(required).changed { facts in
                guard isNoted else { return }
                facts.detail = "that was the answer to an earlier request; the refresh token is not sent again"
            }
        case .scopesDeclined(let grant): throw AcquisitionError(grant, try result(grant.accessToken))
        }
    }

    /// Checks that the token has the requested type, which a server may ignore. A token of another type stays in the
    /// cache.
    private func checked(
        _ result: AuthenticationResult,
        _ request: PreparedSilentRequest
    ) throws(AcquisitionError) -> AuthenticationResult {
        guard let scheme = request.context.scheme,
            result.accessToken.tokenType.lowercased() != scheme.tokenType.lowercased()
        else { return result }
        throw AcquisitionError(.responseRejected, detail: "the access token does not have the requested type")
    }

    private struct Response: Sendable {
        let outcome: RenewalOutcome
        var isSuccess = false
        /// Why only the refresh token of a response is kept.
        var fault: AcquisitionError?
    }

    /// Redeems a refresh token at the authority that issued it, and nowhere else.
    private func redeem(
        _ refreshToken: RefreshToken,
        for request: PreparedSilentRequest,
        correlationID: CorrelationID,
        until deadline: RequestDeadline
    ) async throws -> Response {
        var authority = request.authority
        if authority.tenantWord != nil { authority = authority.tenant(refreshToken.requestTenant) }
        let endpoint: TokenEndpoint
        do throws(AcquisitionError) {
            endpoint = try await self.endpoint(authority, correlationID: correlationID, until: deadline)
        } catch {
            guard let outcome = RenewalOutcome(ofMetadata: error) else { throw error }
            return Response(outcome: outcome)
        }
        guard authority.isSource(of: refreshToken, aliases: endpoint.aliases) else {
            throw AcquisitionError(.authorityRejected, detail: "the refresh token is from another host")
        }
        if let issuer = refreshToken.accountID?.issuer,
            UTF8Text(issuer) != HomeAccountID.named(UTF8Text(endpoint.metadata.issuer))
        {
            throw AcquisitionError(.authorityRejected, detail: "the refresh token is from another issuer")
        }
        let scopes = try endpoint.renewalScopes(request.request.scopes, granted: refreshToken.grantedScopes)
        // A separate task is not cancelled with this one.
        let response = try await Task { try await send(refreshToken, request, scopes, to: endpoint) }.value
        if response.status == 200 {
            do throws(AcquisitionError) {
                try TokenResponseCheck(scheme: request.context.scheme).check(response.body)
            } catch {
                guard let kept = try? TokenResponse(onlyRefreshTokenIn: response.body) else { throw error }
                return Response(outcome: .response(kept), fault: error)
            }
            let check = IDTokenCheck(
                authority: authority,
                issuer: endpoint.metadata.issuer,
                clientID: configuration.clientID
            )
            if let fault = try check.fault(ofRenewal: response.body) {
                return Response(outcome: .ofAnotherAccount, fault: fault)
            }
        }
        let outcome = try RenewalOutcome.httpResponse(
            status: response.status,
            body: response.body,
            retryAfter: response.header("Retry-After"),
            date: services.clock.now()
        )
        return Response(outcome: outcome, isSuccess: response.status == 200)
    }

    /// Sends a refresh token, and waits for the response as long as for any request, regardless of the caller's
    /// timeout: the response may contain the only copy of the next refresh token.
    private func send(
        _ refreshToken: RefreshToken,
        _ request: PreparedSilentRequest,
        _ scopes: [String]?,
        to endpoint: TokenEndpoint
    ) async throws -> TransportResponse {
        _ = try endpoint.deadline.timeLeft()
        let endpoint = endpoint.until(RequestDeadline.longestRequest)
        let parameters = request.request.addedParameters.merging(
            request.context.scheme?.tokenRequestParameters ?? [:],
            uniquingKeysWith: { $1 }
        )
        func post() async throws -> TransportResponse {
            let form = try endpoint.form(
                scopes: scopes,
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
            // Try once more, because the token was certainly not sent.
            return try await post()
        }
    }
}

extension Authority {
    /// Whether this authority's server issued a refresh token, so that it may be sent there.
    func isSource(of refreshToken: RefreshToken, aliases: [String]) -> Bool {
        let hosts = [refreshToken.networkHost, refreshToken.environment]
        if kind.sharesRefreshTokensInCloud { return hosts.contains { isOfCloud($0, aliases) } }
        // Do not accept other hosts that a process of the group considered part of the same cloud.
        return refreshToken.environment == environment && refreshToken.networkHost == environment
    }
}

extension IDTokenCheck {
    /// The error because of which nothing of a renewal's response is kept, and the refresh token is not sent again; nil if
    /// the id token is acceptable.
    ///
    /// - Throws: the error at Microsoft, whose servers accept the refresh token again, and errors of this process, such as
    ///   `outOfMemory`.
    fileprivate func fault(ofRenewal body: [UInt8]) throws(AcquisitionError) -> AcquisitionError? {
        do throws(AcquisitionError) {
            try check(response: body)
            return nil
        } catch {
            if authority.kind.isMicrosoft || error.cacheError != nil { throw error }
            guard error.code == .issuerRejected else { return error }
            // An account is a subject at an issuer.
            return AcquisitionError(.accountMismatch, detail: error.detail) { $0.reason = .accountMismatch }
        }
    }
}

extension RenewalOutcome {
    /// If the server asked for time in response to the request for its metadata, the whole group sends it no requests
    /// either; nil for any other error.
    init?(ofMetadata error: AcquisitionError) {
        guard error.retryAfter != nil, let response = error.errorResponse else { return nil }
        self = .unavailable(response)
    }
}

extension TransportError {
    /// Whether nothing was sent, and another attempt may succeed in connecting.
    fileprivate var isWorthRepeating: Bool {
        !mayHaveBeenSent && [.connectionFailed, .connectionClosed, .hostNotFound, .proxyUnreachable].contains(code)
    }
}

extension AcquisitionError {
    /// Whether the server could not be reached, or did not respond in time.
    var isOutage: Bool {
        code == .networkFailed || code == .serverUnavailable || code == .throttled || code == .timeout
    }
}
