// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

extension PublicClient {
    /// Signs this application out of an account: removes its tokens, so that silent requests for the account require
    /// interaction.
    ///
    /// The cache comes first: the account is signed out whatever the server answers, even if it does not answer, and
    /// whether or not a browser opens. Without ``SignOutRequest/endsBrowserSession`` the user remains signed in to the
    /// server in the browser, so that the next sign-in may need no password.
    ///
    /// - Parameters:
    ///   - account: the account.
    ///   - request: what else to do; nothing by default.
    /// - Returns: what was done besides signing out in the cache.
    /// - Throws: ``AcquisitionError/Code/cacheFailed``; the account is then not signed out.
    @discardableResult
    public func signOut(
        _ account: Account,
        with request: SignOutRequest = SignOutRequest()
    ) async throws(AcquisitionError) -> SignOutReport {
        let correlationID = request.correlationID ?? CorrelationID()
        return try await services.reporting(.signOut, correlationID) { () async throws(AcquisitionError) in
            try await signOut(account, request, correlationID: correlationID)
        }
    }

    private func signOut(
        _ account: Account,
        _ request: SignOutRequest,
        correlationID: CorrelationID
    ) async throws(AcquisitionError) -> SignOutReport {
        // The sign-out removes the tokens to revoke and the hints, so read them before.
        let authority = request.authority ?? configuration.authority
        let deadline = RequestDeadline(after: request.timeout)
        var found = request.revokesTokens ? await revocations(account, authority, until: deadline) : Revocations()
        let hints =
            request.endsBrowserSession ? await EndSessionRequest.Hints(of: account, at: authority, in: cache) : nil
        do throws(TokenCacheError) {
            if request.wipesAccount { try await cache.wipe(account) } else { try await cache.signOut(account) }
        } catch {
            throw AcquisitionError(error)
        }
        found.release()
        var revocation = SignOutReport.Outcome.notAsked
        if request.revokesTokens {
            revocation = await revoke(
                &found,
                correlationID: correlationID,
                until: RequestDeadline(after: max(deadline.remaining, .seconds(1)))
            )
        }
        var browserSession = SignOutReport.Outcome.notAsked
        if let hints {
            browserSession = await endSession(
                at: authority,
                hints: hints,
                correlationID: correlationID,
                until: RequestDeadline(after: request.timeout)
            )
        }
        return SignOutReport(revocation: revocation, browserSession: browserSession)
    }

    // MARK: - The session in the browser

    private func endSession(
        at authority: Authority,
        hints: EndSessionRequest.Hints,
        correlationID: CorrelationID,
        until deadline: RequestDeadline
    ) async -> SignOutReport.Outcome {
        do throws(AcquisitionError) {
            guard let browser = services.browser else { throw AcquisitionError(.browserMissing) }
            guard let listener = services.redirectListener else { throw AcquisitionError(.redirectUnavailable) }
            let (endpoint, _) = try await endpoint(authority, correlationID: correlationID, until: deadline)
            guard let address = endpoint.metadata.endSessionEndpoint else { return .notSupported }
            let session = try await listener.listen(at: configuration.redirectURI(at: authority))
            do throws(AcquisitionError) {
                let request = EndSessionRequest(
                    at: address,
                    clientID: configuration.clientID,
                    hints,
                    redirectURI: session.redirectURI
                )
                let url = await session.startURL(for: request.url)
                let response = try await session.response(until: deadline) { () async throws(AcquisitionError) in
                    try await browser.open(url)
                } judging: {
                    request.verdict(on: $0)
                }
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
        var body: FormBody
    }

    private struct Revocations: Sendable {
        var all: [Revocation] = []
        /// Keep others from redeeming the tokens until they are removed: a token that is being redeemed has a successor,
        /// which nobody would revoke.
        var holds: [RenewalHold] = []
        /// The error because of which there may be more tokens to revoke; nil if all were found.
        var error: AcquisitionError?

        mutating func release() {
            for hold in holds { hold.release() }
            holds = []
        }

        /// Discards everything.
        mutating func wipe() {
            release()
            for index in all.indices { all[index].body.wipe() }
            all = []
        }
    }

    /// Returns a request for each of this application's own refresh tokens that the authority issued, after waiting for
    /// renewals in progress.
    private func revocations(
        _ account: Account,
        _ authority: Authority,
        until deadline: RequestDeadline
    ) async -> Revocations {
        while true {
            // A renewal that just ended has replaced a token: then look again.
            if let found = await unchangedRevocations(account, authority, until: deadline) { return found }
        }
    }

    /// - Returns: nil if a token was replaced meanwhile.
    private func unchangedRevocations(
        _ account: Account,
        _ authority: Authority,
        until deadline: RequestDeadline
    ) async -> Revocations? {
        var options = TokenQueryOptions()
        options.forceRefresh = true
        let query = TokenQuery(
            account: account,
            scopes: ["openid"],
            tenant: authority.tenant ?? "",
            environment: authority.environment,
            options: options
        )
        var found = Revocations()
        do throws(TokenCacheError) {
            guard case .renew(let first, _) = try await cache.token(for: query) else { return found }
            var next: RefreshToken? = first
            while let token = next, found.all.count < Self.revocationLimit {
                if token.familyID == nil, token.clientID == cache.clientID.lowercased(),
                    authority.isSource(of: token, aliases: [])
                {
                    do throws(TokenCacheError) {
                        guard let hold = try await token.held(within: deadline.remaining) else {
                            found.wipe()
                            return nil
                        }
                        found.holds.append(hold)
                    } catch {
                        // The token is revoked all the same, but its successor will not be.
                        found.error = AcquisitionError(error)
                    }
                    var form = FormBody()
                    form.add("client_id", configuration.clientID)
                    form.add("token_type_hint", "refresh_token")
                    try token.withSecret { (secret) throws(TokenCacheError) in form.add("token", secret: secret) }
                    let tenant = authority.tenantWord == nil ? authority : authority.tenant(token.requestTenant)
                    found.all.append(Revocation(authority: tenant, body: form))
                }
                next = try await token.next()
            }
        } catch {
            // An error must not prevent the user from signing out.
            found.error = AcquisitionError(error)
        }
        return found
    }

    /// The maximum number of tokens to revoke.
    private static let revocationLimit = 8

    /// Tries to revoke each token, even if revoking others fails.
    private func revoke(
        _ found: inout Revocations,
        correlationID: CorrelationID,
        until deadline: RequestDeadline
    ) async -> SignOutReport.Outcome {
        if found.all.isEmpty, found.error == nil { return .nothingToDo }
        var outcome = found.error.map { SignOutReport.Outcome.failed($0) } ?? .done
        for index in found.all.indices {
            // Moved out of the array, so that no other copy of the bytes exists when they are wiped.
            var body = FormBody(capacity: 0)
            swap(&body, &found.all[index].body)
            let endpoint: TokenEndpoint
            do throws(AcquisitionError) {
                (endpoint, _) = try await self.endpoint(
                    found.all[index].authority,
                    correlationID: correlationID,
                    until: deadline
                )
            } catch {
                body.wipe()
                outcome = .failed(error)
                continue
            }
            guard let url = endpoint.metadata.revocationEndpoint else {
                body.wipe()
                if outcome == .done { outcome = .notSupported }
                continue
            }
            do throws(AcquisitionError) {
                let response = try await endpoint.post(consume body, to: url)
                guard response.status == 200 else { throw endpoint.failure(response) }
            } catch {
                outcome = .failed(error)
            }
        }
        return outcome
    }
}
