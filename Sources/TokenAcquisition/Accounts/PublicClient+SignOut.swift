// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

extension PublicClient {
    /// Signs this application out of an account: its tokens go, and silent requests for the account need the user again.
    ///
    /// The cache comes first: whatever the server answers, or does not, and whether or not a browser opens, the account is
    /// signed out. Without ``SignOutRequest/endsBrowserSession`` the user remains signed in to the server in the browser,
    /// so that the next sign-in may need no password.
    ///
    /// - Parameters:
    ///   - account: the account.
    ///   - request: what else to do; nothing by default.
    /// - Returns: what was done beyond the cache.
    /// - Throws: ``AcquisitionError/Code/cacheFailed``; the account is then not signed out.
    @discardableResult
    public func signOut(
        _ account: Account,
        _ request: SignOutRequest = SignOutRequest()
    ) async throws(AcquisitionError) -> SignOutReport {
        let correlationID = CorrelationID()
        return try await services.reporting(.signOut, correlationID) { () async throws(AcquisitionError) in
            try await signOut(account, request, correlationID)
        }
    }

    private func signOut(
        _ account: Account,
        _ request: SignOutRequest,
        _ correlationID: CorrelationID
    ) async throws(AcquisitionError) -> SignOutReport {
        // What is sent has to be read before it is removed.
        let forms = request.revokesTokens ? await revocationForms(account) : []
        let hints =
            request.endsBrowserSession ? await EndSessionRequest.Hints(account, configuration.authority, cache) : nil
        do throws(TokenCacheError) {
            if request.wipesAccount { try await cache.wipe(account) } else { try await cache.signOut(account) }
        } catch {
            throw AcquisitionError(error)
        }
        var revocation = SignOutReport.Outcome.notAsked
        if request.revokesTokens {
            revocation = await revoke(forms, correlationID, RequestDeadline(after: request.timeout))
        }
        var browserSession = SignOutReport.Outcome.notAsked
        if let hints {
            browserSession = await endSession(hints, correlationID, RequestDeadline(after: request.timeout))
        }
        return SignOutReport(revocation: revocation, browserSession: browserSession)
    }

    // MARK: - The session in the browser

    private func endSession(
        _ hints: EndSessionRequest.Hints,
        _ correlationID: CorrelationID,
        _ deadline: RequestDeadline
    ) async -> SignOutReport.Outcome {
        do throws(AcquisitionError) {
            guard let browser = services.browser else { throw AcquisitionError(.browserMissing) }
            guard let listener = services.redirectListener else { throw AcquisitionError(.redirectUnavailable) }
            let (endpoint, _) = try await endpoint(configuration.authority, correlationID, deadline)
            guard let address = endpoint.metadata.endSessionEndpoint else { return .notSupported }
            let session = try await listener.listen(at: configuration.redirectURI)
            do throws(AcquisitionError) {
                let request = EndSessionRequest(
                    at: address,
                    clientID: configuration.clientID,
                    hints,
                    redirectURI: session.redirectURI
                )
                try await browser.open(await session.startURL(for: request.url))
                let response = try await session.response(until: deadline) { request.verdict(on: $0) }
                await session.close()
                guard request.verdict(on: response) == .completed else {
                    return .failed(AcquisitionError(.serverRefused, detail: "the session was not ended"))
                }
                return .done
            } catch {
                await session.close()
                throw error
            }
        } catch {
            return .failed(error)
        }
    }

    // MARK: - Revocation

    private struct Revocation: Sendable {
        let authority: Authority
        let body: FormBody
    }

    /// A request for each of this application's own refresh tokens that the configured authority issued.
    private func revocationForms(_ account: Account) async -> [Revocation] {
        let authority = configuration.authority
        var options = TokenQueryOptions()
        options.forceRefresh = true
        let query = TokenQuery(
            account: account,
            scopes: ["openid"],
            tenant: authority.tenant,
            environment: authority.environment,
            options: options
        )
        var forms: [Revocation] = []
        do throws(TokenCacheError) {
            guard case .renew(let first, _) = try await cache.token(for: query) else { return [] }
            var next: RefreshToken? = first
            while let token = next, forms.count < Self.revocationLimit {
                if token.familyID == nil, token.clientID == cache.clientID.lowercased(),
                    authority.isSource(of: token, aliases: [])
                {
                    var form = FormBody()
                    form.add("client_id", configuration.clientID)
                    form.add("token_type_hint", "refresh_token")
                    try token.withSecret { (secret) throws(TokenCacheError) in form.add("token", secret: secret) }
                    let tenant = authority.tenantWord == nil ? authority : authority.tenant(token.requestTenant)
                    forms.append(Revocation(authority: tenant, body: form))
                }
                next = try await token.next()
            }
        } catch {
            // A damaged token must not keep the user from signing out.
            return forms
        }
        return forms
    }

    /// How many tokens are revoked at most.
    private static let revocationLimit = 8

    private func revoke(
        _ forms: [Revocation],
        _ correlationID: CorrelationID,
        _ deadline: RequestDeadline
    ) async -> SignOutReport.Outcome {
        for revocation in forms {
            do throws(AcquisitionError) {
                let (endpoint, _) = try await endpoint(revocation.authority, correlationID, deadline)
                guard let url = endpoint.metadata.revocationEndpoint else { return .notSupported }
                let response = try await endpoint.post(revocation.body, to: url)
                guard response.status == 200 else {
                    return .failed(AcquisitionError(response.errorResponse, correlationID))
                }
            } catch {
                return .failed(error)
            }
        }
        return .done
    }
}
