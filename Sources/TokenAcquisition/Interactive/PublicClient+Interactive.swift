// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import TokenCaching
internal import UnifiedSchema

extension PublicClient {
    /// Signs the user in with the browser.
    ///
    /// ```swift
    /// let result = try await client.acquireToken(InteractiveRequest(scopes: ["User.Read"]))
    /// ```
    ///
    /// Always uses PKCE with S256, state and nonce. A response without the state of this request does not end the wait.
    /// A response that names another issuer, or that arrives in another response mode than requested, ends it with an
    /// error. The code is redeemed once. If the task is cancelled after it was sent, the call still waits for the
    /// server's response, saves it, and returns it.
    ///
    /// In a group, only one caller at a time asks the user, for the same client or clients of one family, at the same
    /// authority. The others wait: they get the token of the account that signs in if that satisfies their requests,
    /// and the same error if the user declines or the asking caller is cancelled. A request with special requirements
    /// (a ``InteractiveRequest/prompt`` other than ``Prompt/ifNecessary``, ``InteractiveRequest/extraScopesToConsent``,
    /// ``InteractiveRequest/maximumAge``) or for another account asks the user when its turn comes. If the asking
    /// process ends, the next caller asks.
    ///
    /// - Parameter request: the request.
    /// - Returns: the token, with access to its account. Its source is ``AuthenticationResult/Source/cache`` or
    ///   ``AuthenticationResult/Source/renewal`` if another caller asked and the user signed in there.
    /// - Throws: ``AcquisitionError/Code/scopesDeclined`` if the server granted only some of the scopes: the user is
    ///   signed in nevertheless, and ``AcquisitionError/result`` has the token for the granted ones.
    ///   ``AcquisitionError/Code/interactionRequired`` if it granted none (with the reason `scopesNotGranted`, although
    ///   the user is signed in), or refused the code. The user can cause ``AcquisitionError/Code/declinedByUser``,
    ///   ``AcquisitionError/Code/accountMismatch`` (after which nothing is saved),
    ///   ``AcquisitionError/Code/passwordResetRequired``, ``AcquisitionError/Code/timeout``,
    ///   ``AcquisitionError/Code/cancelled``. Other callers can cause ``AcquisitionError/Code/interactionBusy``, if
    ///   another process is still asking at the timeout or has shown no activity for five minutes, and
    ///   ``AcquisitionError/Code/renewalBusy``. The server can cause ``AcquisitionError/Code/serverRefused``,
    ///   ``AcquisitionError/Code/grantNotSupported``, ``AcquisitionError/Code/deviceRegistrationRequired``,
    ///   ``AcquisitionError/Code/protectionPolicyRequired``, ``AcquisitionError/Code/serverUnavailable``,
    ///   ``AcquisitionError/Code/throttled``, and ``AcquisitionError/Code/authorityRejected``,
    ///   ``AcquisitionError/Code/issuerRejected``, ``AcquisitionError/Code/responseRejected`` or
    ///   ``AcquisitionError/Code/idTokenRejected``, after which nothing is saved, or
    ///   ``AcquisitionError/Code/issuerNotAllowed``, before anything is sent. This machine can cause
    ///   ``AcquisitionError/Code/browserMissing``, ``AcquisitionError/Code/redirectUnavailable``,
    ///   ``AcquisitionError/Code/configurationRejected`` for a redirect URI that the listener does not support,
    ///   ``AcquisitionError/Code/networkFailed``, ``AcquisitionError/Code/cacheFailed``.
    ///   ``AcquisitionError/Code/requestRejected`` for a request without scopes, with a negative maximum age, with
    ///   ``InteractiveRequest/isolatedParameters`` that are not allowed, or if not exactly one of request and authority
    ///   names the account.
    public func acquireToken(_ request: InteractiveRequest) async throws(AcquisitionError) -> AuthenticationResult {
        guard request.scopes.contains(where: { !$0.isEmpty }) else {
            throw AcquisitionError(.requestRejected, detail: "it names no scope")
        }
        if let age = request.maximumAge, age < .zero {
            throw AcquisitionError(.requestRejected, detail: "its maximum age is negative")
        }
        _ = try request.isolation()
        guard let browser = services.browser else { throw AcquisitionError(.browserMissing) }
        guard let listener = services.redirectListener else { throw AcquisitionError(.redirectUnavailable) }
        let authority = request.authority ?? configuration.authority
        let named = try request.namedAccount(at: authority)
        if request.maximumAge != nil, !authority.kind.namesUsers {
            throw AcquisitionError(.requestRejected, detail: "nothing says at this authority when the user signed in")
        }
        let deadline = RequestDeadline(after: request.timeout)
        let correlationID = request.correlationID ?? CorrelationID()
        return try await services.reporting(.interactive, correlationID) { () async throws(AcquisitionError) in
            let endpoint = try await endpoint(
                authority,
                naming: .authorization,
                correlationID: correlationID,
                until: deadline
            )
            try endpoint.checkSource(ofAccount: named)
            let interaction = cache.interaction(
                at: authority.url,
                environment: authority.environment,
                timeout: deadline.remaining
            )
            while true {
                switch try await usingCache(try await interaction.turn()) {
                case .ask(let lease):
                    return try await lease.asking { () async throws(AcquisitionError) in
                        try await signIn(
                            request,
                            as: named,
                            at: endpoint,
                            in: browser,
                            redirectingTo: listener,
                            holding: lease
                        )
                    }
                case .signedIn(let account):
                    guard request.accepts(account, named: named) else { continue }
                    if let result = try await result(of: account, for: request, at: endpoint) { return result }
                case .declined: throw AcquisitionError(.declinedByUser, detail: "in the window of another request")
                case .cancelled: throw AcquisitionError(.cancelled, detail: "in the window of another request")
                case .busy(let processID): throw AcquisitionError(.interactionBusy) { $0.processID = processID }
                }
            }
        }
    }

    private func signIn(
        _ request: InteractiveRequest,
        as named: Account.ID?,
        at endpoint: TokenEndpoint,
        in browser: any Browser,
        redirectingTo listener: any RedirectListener,
        holding lease: InteractionLease
    ) async throws(AcquisitionError) -> AuthenticationResult {
        let redirectURI = configuration.redirectURI(at: endpoint.authority)
        try await requireAllowedIssuer(endpoint, redirectURI: redirectURI)
        // The user must not sign in for nothing.
        _ = try await endpoint.credential()?.current()
        let session = try await listener.listen(at: redirectURI)
        let authorization: AuthorizationRequest
        let code: String
        do throws(AcquisitionError) {
            authorization = try AuthorizationRequest(request, endpoint, redirectURI: session.redirectURI)
            let window = BrowserWindow(browser: browser, session: session, authorizationURL: authorization.url)
            code = try await self.code(of: authorization, from: session) {
                () async throws(AcquisitionError) in
                try await window.reopen()
                request.onBrowserOpened?(window)
            }
        } catch {
            await session.close()
            throw error
        }
        await session.close()
        // The code can be redeemed only once.
        return try await completing { () async throws(AcquisitionError) in
            let response = try await self.redeem(code, of: authorization)
            try self.check(response, of: authorization, as: named)
            await self.noteSignIn(endpoint, redirectURI: redirectURI)
            return try await self.save(
                response,
                from: endpoint,
                scopes: request.scopes,
                isolatedBy: try request.isolation(),
                for: named,
                source: .interactive,
                holding: lease
            )
        }
    }

    /// Gets a token for this request without interaction, after an account signed in for another request.
    ///
    /// - Returns: the result; nil if the user has to be asked again.
    private func result(
        of account: Account,
        for request: InteractiveRequest,
        at endpoint: TokenEndpoint
    ) async throws(AcquisitionError) -> AuthenticationResult? {
        var silent = SilentRequest(scopes: request.scopes, account: account)
        silent.authority = request.authority
        silent.claims = request.claims
        silent.extraParameters = request.extraParameters
        silent.isolatedParameters = request.isolatedParameters
        silent.correlationID = endpoint.correlationID
        silent.timeout = endpoint.deadline.remaining
        do throws(AcquisitionError) {
            return try await acquireTokenSilent(silent)
        } catch {
            switch error.code {
            case .cancelled, .timeout, .renewalBusy, .cacheFailed, .networkFailed: throw error
            default: return nil
            }
        }
    }

    /// Opens the browser, and waits for the code until the deadline.
    private func code(
        of authorization: AuthorizationRequest,
        from session: any RedirectSession,
        opening open: () async throws(AcquisitionError) -> Void
    ) async throws(AcquisitionError) -> String {
        let deadline = authorization.endpoint.deadline
        let response = try await session.response(until: deadline, opening: open) { response in
            switch authorization.meaning(of: response) {
            case .foreign: .foreign
            case .code: .completed
            case .failed: .failed
            }
        }
        switch authorization.meaning(of: response) {
        case .code(let code): return code
        case .failed(let error): throw error
        case .foreign: throw AcquisitionError(.responseRejected, detail: "authorization response: it has another state")
        }
    }

    private func redeem(
        _ code: String,
        of authorization: AuthorizationRequest
    ) async throws(AcquisitionError) -> TransportResponse {
        // The user may return in the last second, so this request gets the longest timeout.
        let endpoint = authorization.endpoint.until(RequestDeadline.longestRequest)
        let request = authorization.request
        let scopes = try endpoint.signInScopes(request.scopes)
        let form = endpoint.form(scopes: scopes, claims: request.claims, extra: request.addedParameters) { form in
            form.add("grant_type", "authorization_code")
            form.add("code", code)
            form.add("redirect_uri", authorization.redirectURI)
            form.add("code_verifier", authorization.verifier)
        }
        let response = try await endpoint.post(form, to: endpoint.metadata.tokenEndpoint)
        guard response.status == 200 else {
            let error = endpoint.failure(response)
            // The user has just signed in: that the code is not valid is no reason to ask for it.
            let isOfCode = error.errorResponse?.error == "invalid_grant" && error.code == .interactionRequired
            throw AcquisitionError(
                isOfCode && error.claimsToRequest == nil ? .serverRefused : error.code,
                detail: "the server did not accept the code of this sign-in"
            ) { facts in
                facts.errorResponse = error.errorResponse
                facts.retryAfter = error.retryAfter
            }
        }
        return response
    }

    /// Checks that the response belongs to this sign-in and to the expected account.
    private func check(
        _ response: TransportResponse,
        of authorization: AuthorizationRequest,
        as named: Account.ID?
    ) throws(AcquisitionError) {
        let endpoint = authorization.endpoint
        try TokenResponseCheck().check(response.body)
        var check = IDTokenCheck(
            authority: endpoint.authority,
            issuer: endpoint.metadata.issuer,
            clientID: configuration.clientID,
            nonce: endpoint.authority.kind.namesUsers ? authorization.nonce : nil,
            now: services.clock.now()
        )
        check.isRequired = endpoint.authority.kind.namesUsers
        check.maximumAge = authorization.request.maximumAge?.components.seconds
        guard let user = try check.check(response: response.body) else { return }
        try endpoint.check(user, against: named)
        let isExpected: Bool
        if let account = authorization.request.account {
            let issuer =
                endpoint.authority.kind == .openIDConnect || endpoint.authority.kind == .adfs
                ? UTF8Text(endpoint.metadata.issuer) : nil
            let home = Self.homeAccountID(response.body).map { UTF8Text($0) }
            isExpected = HomeAccountID.areSame(
                home ?? HomeAccountID.joined(UTF8Text(user.subject), issuer),
                UTF8Text(account.id.text)
            )
        } else if let hint = authorization.request.hint, !user.names.isEmpty {
            isExpected = user.names.contains { $0.lowercased() == hint.lowercased() }
        } else {
            isExpected = true
        }
        guard isExpected else { throw AcquisitionError(.accountMismatch) }
    }

    /// The account id in Microsoft's `client_info`; nil if there is none.
    private static func homeAccountID(_ body: [UInt8]) -> String? {
        guard let object = try? JSONObject(body.rawSpan),
            let text = object.text("client_info", in: body.rawSpan)?.string,
            let count = Base64URL.decodedByteCount(text.rawSpan)
        else { return nil }
        var isText = false
        let bytes = [UInt8](byteCount: count) { isText = Base64URL.decode(text.rawSpan, into: &$0) }
        guard isText, let info = try? JSONValue(parsing: bytes.rawSpan) else { return nil }
        return HomeAccountID.of(uid: info["uid"]?.text, utid: info["utid"]?.text)?.string
    }
}
