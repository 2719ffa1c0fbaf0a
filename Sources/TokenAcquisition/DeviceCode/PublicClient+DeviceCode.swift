// SPDX-License-Identifier: Apache-2.0

internal import TokenCaching

extension PublicClient {
    /// Signs the user in with a device code (RFC 8628): for SSH sessions, containers, and devices without a browser.
    ///
    /// ```swift
    /// let result = try await client.acquireToken(DeviceCodeRequest(scopes: ["User.Read"])) { prompt in
    ///     print(prompt.message)
    /// }
    /// ```
    ///
    /// Returns when the user has signed in; throws when the user declines, the code expires, or the task is cancelled.
    /// If it is cancelled while the server is being asked for the tokens, the call still waits for that response, and
    /// saves and returns the tokens if it contains them. Other requests never fall back to it.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - prompting: shows the code, and returns at once. If it throws, the request ends.
    /// - Returns: the token, with access to its account.
    /// - Throws: ``AcquisitionError/Code/scopesDeclined`` if the server granted only some of the scopes: the user is
    ///   signed in nevertheless, and ``AcquisitionError/result`` has the token for the granted ones.
    ///   ``AcquisitionError/Code/interactionRequired`` if it granted none (with the reason `scopesNotGranted`, although
    ///   the user is signed in), or refused the code. The user can cause ``AcquisitionError/Code/declinedByUser`` and
    ///   ``AcquisitionError/Code/deviceCodeExpired``; the caller ``AcquisitionError/Code/cancelled``, also if
    ///   `prompting` throws (its error is in ``AcquisitionError/underlying``, unless it is an ``AcquisitionError``,
    ///   which is rethrown). The server can cause ``AcquisitionError/Code/serverRefused``,
    ///   ``AcquisitionError/Code/grantNotSupported``, ``AcquisitionError/Code/deviceRegistrationRequired``,
    ///   ``AcquisitionError/Code/protectionPolicyRequired``, ``AcquisitionError/Code/serverUnavailable``,
    ///   ``AcquisitionError/Code/throttled``, and ``AcquisitionError/Code/authorityRejected``,
    ///   ``AcquisitionError/Code/issuerRejected``, ``AcquisitionError/Code/responseRejected`` or
    ///   ``AcquisitionError/Code/idTokenRejected``, after which nothing is saved. This machine can cause
    ///   ``AcquisitionError/Code/networkFailed``, ``AcquisitionError/Code/timeout``,
    ///   ``AcquisitionError/Code/cacheFailed``. ``AcquisitionError/Code/requestRejected`` for a request without scopes, or
    ///   with ``DeviceCodeRequest/isolatedParameters`` that are not allowed, or if not exactly one of request and
    ///   authority names the account.
    public func acquireToken(
        _ request: DeviceCodeRequest,
        prompting: @Sendable (DeviceCodePrompt) async throws -> Void
    ) async throws(AcquisitionError) -> AuthenticationResult {
        guard request.scopes.contains(where: { !$0.isEmpty }) else {
            throw AcquisitionError(.requestRejected, detail: "it names no scope")
        }
        _ = try request.isolation()
        let authority = request.authority ?? configuration.authority
        let named = try request.namedAccount(at: authority)
        let correlationID = request.correlationID ?? CorrelationID()
        return try await services.reporting(.deviceCode, correlationID) { () async throws(AcquisitionError) in
            let endpoint = try await endpoint(
                authority,
                naming: .deviceAuthorization,
                correlationID: correlationID,
                until: RequestDeadline(after: request.timeout)
            )
            try endpoint.checkSource(ofAccount: named)
            let lease = try await usingCache(try cache.leaseForSignIn())
            defer { withExtendedLifetime(lease) {} }
            let authorization = try await deviceAuthorization(request, endpoint)
            do {
                try await prompting(authorization.prompt)
            } catch let error as AcquisitionError {
                throw error
            } catch {
                throw AcquisitionError(.cancelled, detail: "the code was not shown") { $0.underlying = error }
            }
            return try await result(of: authorization, request, endpoint)
        }
    }

    /// Checks and saves the tokens of a response.
    private func save(
        _ response: TransportResponse,
        for request: DeviceCodeRequest,
        from endpoint: TokenEndpoint
    ) async throws(AcquisitionError) -> AuthenticationResult {
        try TokenResponseCheck().check(response.body)
        let named = try request.namedAccount(at: endpoint.authority)
        let user = try IDTokenCheck(
            authority: endpoint.authority,
            issuer: endpoint.metadata.issuer,
            clientID: configuration.clientID,
            now: services.clock.now()
        ).check(response: response.body)
        if let user { try endpoint.check(user, against: named) }
        return try await save(
            response,
            from: endpoint,
            scopes: request.scopes,
            isolatedBy: try request.isolation(),
            for: named,
            source: .deviceCode
        )
    }

    private func deviceAuthorization(
        _ request: DeviceCodeRequest,
        _ endpoint: TokenEndpoint
    ) async throws(AcquisitionError) -> DeviceAuthorization {
        let url = try endpoint.metadata.requiredURL(of: .deviceAuthorization)
        let scopes = try endpoint.signInScopes(request.scopes)
        let form = endpoint.form(scopes: scopes, claims: request.claims, extra: request.addedParameters) { _ in }
        let response = try await endpoint.post(form, to: url)
        if (400...499).contains(response.status) {
            throw endpoint.failure(response)
        }
        return try DeviceAuthorization(response, of: endpoint.authority, now: services.clock.now())
    }

    /// Polls until the user has signed in.
    private func result(
        of authorization: DeviceAuthorization,
        _ request: DeviceCodeRequest,
        _ endpoint: TokenEndpoint
    ) async throws(AcquisitionError) -> AuthenticationResult {
        var polling = DeviceCodePolling(authorization)
        while let pause = polling.next(now: services.clock.now()) {
            try await services.wait(pause)
            // The server issues the tokens only once.
            let (result, next) = try await completing { [polling] () async throws(AcquisitionError) in
                try await self.poll(polling, authorization, request, endpoint)
            }
            if let result { return result }
            polling = next
        }
        throw AcquisitionError(.deviceCodeExpired)
    }

    /// Asks the server once.
    ///
    /// - Returns: the result if the user has signed in, and how to continue if not.
    private func poll(
        _ polling: DeviceCodePolling,
        _ authorization: DeviceAuthorization,
        _ request: DeviceCodeRequest,
        _ endpoint: TokenEndpoint
    ) async throws(AcquisitionError) -> (AuthenticationResult?, DeviceCodePolling) {
        var polling = polling
        let form = endpoint.form(claims: request.claims, extra: request.addedParameters) { form in
            form.add("grant_type", "urn:ietf:params:oauth:grant-type:device_code")
            form.add("device_code", authorization.deviceCode)
        }
        let response: TransportResponse
        do throws(AcquisitionError) {
            response = try await endpoint.until(.seconds(30)).post(form, to: endpoint.metadata.tokenEndpoint)
        } catch {
            guard error.code == .networkFailed, error.transportError?.isOfTLS != true else { throw error }
            polling.backOff()
            return (nil, polling)
        }
        switch polling.step(response, now: services.clock.now()) {
        case .tokens: return (try await save(response, for: request, from: endpoint), polling)
        case .wait: return (nil, polling)
        case .failed(let refusal): throw AcquisitionError(refusal)
        }
    }
}
