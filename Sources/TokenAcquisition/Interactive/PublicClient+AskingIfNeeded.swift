// SPDX-License-Identifier: Apache-2.0

internal import TokenCaching

extension PublicClient {
    /// Gets a token without interaction if that is possible, and with the browser otherwise.
    ///
    /// ```swift
    /// let result = try await client.acquireToken(askingIfNeeded: InteractiveRequest(scopes: ["User.Read"]))
    /// try await send(authorization: result.authorizationHeader)
    /// ```
    ///
    /// The account is that of the request; without one, the account with the request's ``InteractiveRequest/loginHint`` as
    /// its username; without that, the account that the application is signed in to. The user is asked if there is no such
    /// account, if a silent request fails with ``AcquisitionError/Code/interactionRequired``, and for any
    /// ``InteractiveRequest/prompt`` but ``Prompt/ifNecessary``. The page then asks for the claims that the server required.
    /// A hit costs as much as ``acquireTokenSilent(_:)`` with a new request, and finding the account.
    ///
    /// - Parameter request: the request. Its timeout is for the sign-in; a silent request has its own.
    /// - Returns: the token, with access to its account.
    /// - Throws: the errors of ``acquireTokenSilent(_:)``, except for ``AcquisitionError/Code/interactionRequired``, and those
    ///   of ``acquireToken(_:)``; ``AcquisitionError/Code/severalAccounts`` if the request names no account and the
    ///   application is signed in to several.
    nonisolated(nonsending) public func acquireToken(
        askingIfNeeded request: InteractiveRequest
    ) async throws(AcquisitionError) -> AuthenticationResult {
        let isAsked = request.prompt != .ifNecessary || request.maximumAge != nil
        guard !isAsked, let account = try await account(for: request) else { return try await acquireToken(request) }
        let silent = SilentRequest(
            request.scopes,
            account,
            request.authority,
            request.claims,
            request.isolatedParameters
        )
        switch try await answer(to: silent) {
        case .token(let result): return result
        case .signIn(let claims):
            var request = request
            (request.account, request.claims) = (account, claims)
            return try await acquireToken(request)
        }
    }

    /// The same with a device code instead of the browser, for the account that the application is signed in to.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - prompting: shows the code, and returns at once, if the user has to sign in.
    /// - Returns: the token, with access to its account.
    /// - Throws: the errors of ``acquireTokenSilent(_:)``, except for ``AcquisitionError/Code/interactionRequired``, and those
    ///   of ``acquireToken(_:prompting:)``; ``AcquisitionError/Code/severalAccounts`` if the application is signed in to
    ///   several accounts.
    nonisolated(nonsending) public func acquireToken(
        askingIfNeeded request: DeviceCodeRequest,
        prompting: @Sendable (DeviceCodePrompt) async throws -> Void
    ) async throws(AcquisitionError) -> AuthenticationResult {
        let id = try request.namedAccount(at: request.authority ?? configuration.authority)
        guard let account = try await knownAccount(id) else {
            return try await acquireToken(request, prompting: prompting)
        }
        let silent = SilentRequest(
            request.scopes,
            account,
            request.authority,
            request.claims,
            request.isolatedParameters
        )
        switch try await answer(to: silent) {
        case .token(let result): return result
        case .signIn(let claims):
            var request = request
            request.claims = claims
            return try await acquireToken(request, prompting: prompting)
        }
    }

    private enum Answer {
        case token(AuthenticationResult)
        case signIn(ClaimsRequest?)
    }

    nonisolated(nonsending) private func answer(to request: SilentRequest) async throws(AcquisitionError) -> Answer {
        do throws(AcquisitionError) {
            return .token(try await acquireTokenSilent(request))
        } catch {
            guard error.code == .interactionRequired else { throw error }
            return .signIn(error.claimsToRequest ?? request.claims)
        }
    }

    private func account(for request: InteractiveRequest) async throws(AcquisitionError) -> Account? {
        if let account = request.account { return account }
        let id = try request.namedAccount(at: request.authority ?? configuration.authority)
        guard id == nil, let username = request.loginHint else { return try await knownAccount(id) }
        return try await accounts(matching: AccountFilter(username: username)).first
    }

    /// The account with an id; the current one without an id.
    private func knownAccount(_ id: Account.ID?) async throws(AcquisitionError) -> Account? {
        if let id { return try await account(id: id) }
        return try await currentAccount().current
    }
}

extension SilentRequest {
    fileprivate init(
        _ scopes: [String],
        _ account: Account,
        _ authority: Authority?,
        _ claims: ClaimsRequest?,
        _ isolatedParameters: [String: String]
    ) {
        self.init(scopes: scopes, account: account)
        self.authority = authority
        self.claims = claims
        self.isolatedParameters = isolatedParameters
    }
}
