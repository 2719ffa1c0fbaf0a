// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

extension PublicClient {
    /// Repeats the pending revocations of this application: asks the servers to revoke refresh tokens that a sign-out
    /// removed but could not revoke.
    ///
    /// The endpoint is looked up again, and must be one that the authority may have. A token that is revoked, or that the
    /// server refuses to revoke, is no longer kept.
    ///
    /// - Parameters:
    ///   - accountID: whose tokens; nil for all accounts.
    ///   - timeout: the maximum time for each authority.
    /// - Returns: what became of each; empty if nothing is pending.
    /// - Throws: ``AcquisitionError/Code/cacheFailed``; nothing was sent then.
    public func revokePending(
        of accountID: Account.ID? = nil,
        timeout: Duration = .seconds(30)
    ) async throws(AcquisitionError) -> [RevocationReport] {
        try await revoke(of: accountID, timeout: timeout) { _ in true }
    }

    func revoke(
        of accountID: Account.ID?,
        timeout: Duration = .seconds(30),
        where isMeant: @Sendable (PendingRevocation) -> Bool
    ) async throws(AcquisitionError) -> [RevocationReport] {
        let all = try await usingCache(try await cache.pendingTokens(of: accountID))
        let pending = all.filter { isMeant($0.revocation) }
        var revocations = pending.map { revocation(of: $0, near: configuration.authority) }
        let outcomes = await revoke(&revocations, correlationID: CorrelationID()) { RequestDeadline(after: timeout) }
        let left = await pendingRevocations(of: accountID).map { Set($0) }
        return zip(pending, outcomes).map { token, outcome in
            RevocationReport(
                revocation: token.revocation,
                outcome: outcome,
                isPending: left?.contains(token.revocation) ?? (outcome != .done)
            )
        }
    }

    /// The pending revocations that are left; nil if the cache cannot be read.
    func pendingRevocations(of accountID: Account.ID?) async -> [PendingRevocation]? {
        try? await cache.pendingTokens(of: accountID).map(\.revocation)
    }

    // MARK: - The tokens

    struct Revocation: Sendable {
        let authority: Result<Authority, AcquisitionError>
        var body: FormBody
        /// Its record; nil if the token is not kept.
        var pending: PendingRevocation?
    }

    struct Revocations: Sendable {
        /// Those of ``tokens``, then those that were pending before.
        var all: [Revocation] = []
        /// The stored tokens, which the sign-out removes.
        var tokens: [TokenToRevoke] = []
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

        /// The outcome of all, from those of each.
        func outcome(_ outcomes: [SignOutReport.Outcome]) -> SignOutReport.Outcome {
            if let error { return .failed(error) }
            let failure = outcomes.last { if case .failed = $0 { true } else { false } }
            return failure ?? outcomes.first { $0 == .notSupported } ?? outcomes.first ?? .nothingToDo
        }

        mutating func note(_ kept: KeptRevocations) {
            for (index, pending) in kept.all.enumerated() { all[index].pending = pending }
        }
    }

    /// Returns a request for each of this application's own refresh tokens that the authority issued, after waiting for
    /// renewals in progress, and for each pending revocation of the account.
    func revocations(
        _ account: Account,
        _ authority: Authority,
        until deadline: RequestDeadline
    ) async -> Revocations {
        while true {
            // A renewal that just ended has replaced a token: then look again.
            guard var found = await unchangedRevocations(account, authority, until: deadline) else { continue }
            do throws(TokenCacheError) {
                found.all += try await cache.pendingTokens(of: account.id).map { revocation(of: $0, near: authority) }
            } catch {
                found.error = found.error ?? AcquisitionError(error)
            }
            return found
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
        options.matchesAllRefreshTokens = true
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
            while let token = next {
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
                        // The token is revoked all the same, and its successor by the caller that redeems it.
                        found.error = AcquisitionError(error)
                    }
                    let tenant = authority.tenantWord == nil ? authority : authority.tenant(token.requestTenant)
                    var form = Self.form(of: configuration.clientID)
                    try token.withSecret { (secret) throws(TokenCacheError) in form.add("token", secret: secret) }
                    found.all.append(Revocation(authority: .success(tenant), body: form))
                    found.tokens.append(TokenToRevoke(token, of: account, authority: tenant.url))
                }
                next = try await token.next()
            }
        } catch {
            // An error must not prevent the user from signing out.
            found.error = AcquisitionError(error)
        }
        return found
    }

    private static func form(of clientID: String) -> FormBody {
        var form = FormBody()
        form.add("client_id", clientID)
        form.add("token_type_hint", "refresh_token")
        return form
    }

    /// `authority` is one that the application names; its URL alone does not say all about it.
    private func revocation(of token: PendingToken, near authority: Authority) -> Revocation {
        let url = token.revocation.authority
        let tenant = String(url.split(separator: "/").last ?? "")
        let known = [authority, authority.tenant(tenant)].first { $0.url == url }
        // A server may distinguish spellings that the cache does not.
        var form = Self.form(of: token.revocation.clientID)
        token.withSecret { form.add("token", secret: $0) }
        return Revocation(
            authority: Result { () throws(AcquisitionError) in if let known { known } else { try Authority(url) } },
            body: form,
            pending: token.revocation
        )
    }

    // MARK: - The requests

    /// Tries to revoke each token, even if revoking others fails, but asks no server again that did not respond.
    ///
    /// - Returns: the outcome for each.
    func revoke(
        _ revocations: inout [Revocation],
        correlationID: CorrelationID,
        until deadline: () -> RequestDeadline
    ) async -> [SignOutReport.Outcome] {
        var outcomes: [SignOutReport.Outcome] = []
        /// The indices of those that need not be sent again.
        var settled: [Int] = []
        var unreachable: [Authority: AcquisitionError] = [:]
        for index in revocations.indices {
            // Moved out of the array, so that no other copy of the bytes exists when they are wiped.
            var body = FormBody(capacity: 0)
            swap(&body, &revocations[index].body)
            do throws(AcquisitionError) {
                let authority = try revocations[index].authority.get()
                if let error = unreachable[authority] { throw error }
                let answer: Answer
                do throws(AcquisitionError) {
                    answer = try await send(&body, to: authority, correlationID, until: deadline())
                } catch {
                    unreachable[authority] = error
                    throw error
                }
                outcomes.append(answer.outcome)
                if answer.isFinal { settled.append(index) }
            } catch {
                body.wipe()
                outcomes.append(.failed(error))
            }
        }
        // What cannot be removed stays pending. To revoke it once more does no harm (RFC 7009, 2.2).
        let records = settled.compactMap { revocations[$0].pending }
        let redeemed = records.isEmpty ? [] : (try? await cache.forget(records)) ?? []
        for index in settled where outcomes[index] == .done {
            // Its next token is valid, and is revoked by the caller that gets it.
            let isRedeemed = revocations[index].pending.map(redeemed.contains) == true
            if isRedeemed { outcomes[index] = .failed(AcquisitionError(.renewalBusy)) }
        }
        return outcomes
    }

    private struct Answer {
        let outcome: SignOutReport.Outcome
        /// Whether another attempt would get the same answer.
        let isFinal: Bool
    }

    /// Sends a request, and wipes it.
    private func send(
        _ body: inout FormBody,
        to authority: Authority,
        _ correlationID: CorrelationID,
        until deadline: RequestDeadline
    ) async throws(AcquisitionError) -> Answer {
        let endpoint = try await endpoint(
            authority,
            naming: .revocation,
            correlationID: correlationID,
            until: deadline
        )
        guard let url = try endpoint.metadata.url(of: .revocation) else {
            body.wipe()
            return Answer(outcome: .notSupported, isFinal: true)
        }
        var form = FormBody(capacity: 0)
        swap(&form, &body)
        let response = try await endpoint.post(consume form, to: url)
        if response.status == 200 { return Answer(outcome: .done, isFinal: true) }
        let error = endpoint.failure(response)
        if error.errorResponse?.error == "unsupported_token_type" {
            return Answer(outcome: .notSupported, isFinal: true)
        }
        let isRefused = response.status == 400 || response.status == 401
        return Answer(
            outcome: .failed(error),
            isFinal: isRefused && Self.refusals.contains(error.errorResponse?.error ?? "")
        )
    }

    /// Errors of RFC 6749 (5.2) with which a server refuses the request itself, and the one with which some answer for a
    /// token that is not valid any more. Any other response may come from a proxy, or from a server that will work again;
    /// after `invalid_client`, the right secret may help.
    private static let refusals: Set<String> = [
        "invalid_request", "invalid_grant", "unauthorized_client", "invalid_token",
    ]
}
