// SPDX-License-Identifier: Apache-2.0

internal import TokenCaching
internal import UnifiedSchema

extension PublicClient {
    /// Gets a token without interaction if that is possible, and with the browser otherwise.
    ///
    /// ```swift
    /// let result = try await client.acquireToken(askingIfNeeded: InteractiveRequest(scopes: ["User.Read"]))
    /// try await send(authorization: result.authorizationHeader)
    /// ```
    ///
    /// The account is that of the request; without one, the only account of its authority with the request's
    /// ``InteractiveRequest/loginHint`` as its username; without that, the one that the application is signed in to there. The
    /// user is asked if there is no such account, if a silent request fails with ``AcquisitionError/Code/interactionRequired``, and for any
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
        return try await acquireTokenSilent(request, of: account) { (claims) throws(AcquisitionError) in
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
        let authority = request.authority ?? configuration.authority
        guard let account = try await knownAccount(try request.namedAccount(at: authority), at: authority) else {
            return try await acquireToken(request, prompting: prompting)
        }
        return try await acquireTokenSilent(request, of: account) { (claims) throws(AcquisitionError) in
            var request = request
            request.claims = claims
            return try await acquireToken(request, prompting: prompting)
        }
    }

    /// Makes the silent request for the same token; if the user has to sign in, calls `ask` with the claims to request.
    nonisolated(nonsending) private func acquireTokenSilent(
        _ request: some SignInRequest,
        of account: Account,
        orAsk ask: (ClaimsRequest?) async throws(AcquisitionError) -> AuthenticationResult
    ) async throws(AcquisitionError) -> AuthenticationResult {
        var silent = SilentRequest(scopes: request.scopes, account: account)
        silent.authority = request.authority
        silent.claims = request.claims
        silent.isolatedParameters = request.isolatedParameters
        silent.correlationID = request.correlationID
        let claims: ClaimsRequest?
        do throws(AcquisitionError) {
            return try await acquireTokenSilent(silent)
        } catch {
            guard error.code == .interactionRequired else { throw error }
            claims = error.claimsToRequest ?? request.claims
        }
        return try await ask(claims)
    }

    private func account(for request: InteractiveRequest) async throws(AcquisitionError) -> Account? {
        if let account = request.account { return account }
        let authority = request.authority ?? configuration.authority
        let id = try request.namedAccount(at: authority)
        guard id == nil, let username = request.loginHint else { return try await knownAccount(id, at: authority) }
        // A username may be that of another person elsewhere.
        let named = try await accounts(matching: AccountFilter(username: username)).filter(authority.mayHave)
        return named.count == 1 ? named[0] : nil
    }

    /// The account with an id; the current one without an id, if it is of the authority.
    private func knownAccount(
        _ id: Account.ID?,
        at authority: Authority
    ) async throws(AcquisitionError) -> Account? {
        if let id { return try await account(id: id) }
        guard let current = try await currentAccount().current, authority.mayHave(current) else { return nil }
        return current
    }
}

/// What a sign-in and a silent request have in common.
private protocol SignInRequest: IsolatedRequest {
    var scopes: [String] { get }
    var authority: Authority? { get }
    var claims: ClaimsRequest? { get }
    var correlationID: CorrelationID? { get }
}

extension InteractiveRequest: SignInRequest {}
extension DeviceCodeRequest: SignInRequest {}

extension Authority {
    /// Whether an account may have signed in here: in the same cloud, and at the same issuer where accounts have one.
    fileprivate func mayHave(_ account: Account) -> Bool {
        guard isOfCloud(account.environment) else { return false }
        guard kind == .openIDConnect || kind == .oauth, let own = account.id.issuer else { return true }
        return UTF8Text(own) == HomeAccountID.named(UTF8Text(issuer))
    }
}
