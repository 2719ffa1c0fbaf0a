// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

extension PublicClient {
    /// Signs this application out of an account: removes its tokens, so that silent requests for the account require
    /// interaction.
    ///
    /// The cache comes first: the account is signed out whatever the server answers, even if it does not answer, and
    /// whether or not a browser opens. Refresh tokens that could not be revoked become `PendingRevocation`s, and so do
    /// those of a process that is killed meanwhile; signing out again, or ``revokePending(of:timeout:)``, repeats that.
    ///
    /// Without ``SignOutRequest/endsBrowserSession`` the user remains signed in to the server in the browser, so that the
    /// next sign-in may need no password.
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
        let kept: KeptRevocations
        let hints =
            request.endsBrowserSession ? await EndSessionRequest.Hints(of: account, at: authority, in: cache) : nil
        do throws(TokenCacheError) {
            kept = try await cache.signOut(account, wiping: request.wipesAccount, keeping: found.tokens)
        } catch {
            found.wipe()
            throw AcquisitionError(error)
        }
        found.release()
        found.note(kept)
        var revocation = SignOutReport.Outcome.notAsked
        var outcomes: [SignOutReport.Outcome] = []
        var pending: [PendingRevocation] = []
        if request.revokesTokens {
            let end = RequestDeadline(after: max(deadline.remaining, .seconds(1)))
            outcomes = await revoke(&found.all, correlationID: correlationID) { end }
            revocation = found.outcome(outcomes)
            // If it cannot be read any more, what was kept is still there.
            pending = await pendingRevocations(of: account.id) ?? found.all.compactMap(\.pending)
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
        return SignOutReport(
            revocation: revocation,
            revokedCount: outcomes.count { $0 == .done },
            unrevokedCount: outcomes.count { $0 != .done },
            browserSession: browserSession,
            pendingRevocations: pending,
            discardedRevocationCount: kept.discardedCount
        )
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
            let endpoint = try await endpoint(
                authority,
                naming: .endSession,
                correlationID: correlationID,
                until: deadline
            )
            guard let address = try endpoint.metadata.url(of: .endSession) else { return .notSupported }
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
}
