// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import Synchronization
internal import UnifiedSchema

extension TokenCache {
    /// Saves a token endpoint's response: access token, refresh token and id token, the account, and the application's
    /// metadata.
    ///
    /// When this returns, everything is on disk; if it throws, nothing is. It replaces every stored entry that is the
    /// same credential, whichever library wrote it and however it is spelled: access tokens that share a scope, the
    /// client's (or family's) refresh tokens, the id token of the tenant. This client's expired access tokens of the
    /// account are removed too. Nothing else is lost.
    ///
    /// ```swift
    /// let request = TokenRequest(
    ///     environment: "login.microsoftonline.com", tenant: "common", scopes: ["User.Read"], grant: .interactive)
    /// let saved = try cache.save(try TokenResponse(json: body), for: request)
    /// print(saved.account?.username ?? "", saved.grantedScopes)
    /// ```
    ///
    /// - Parameters:
    ///   - response: the body of the response.
    ///   - request: the parameters of the request, which the response does not contain.
    /// - Returns: the account as it is now, the access token, and the granted scopes. If the server answered a renewal
    ///   with another account's tokens, see ``SavedTokens/belongsToAnotherAccount``.
    /// - Throws: ``TokenCacheError/Code/signedOut`` for a renewal of an account that was signed out or removed in the
    ///   meantime, ``TokenCacheError/Code/invalidResponse`` if the response does not identify its account,
    ///   ``TokenCacheError/Code/invalidRequest`` for a request without environment or tenant, if neither request nor
    ///   response names a scope, and for a renewal that names no account, ``TokenCacheError/Code/tooLarge`` for a token
    ///   that is too long for a record, ``TokenCacheError/Code/damaged`` for a renewal if the account's sign-in state
    ///   cannot be read (an interactive sign-in repairs that), and the errors of every call that writes:
    ///   ``TokenCacheError/Code/busy``, ``TokenCacheError/Code/timeout``, ``TokenCacheError/Code/full``,
    ///   ``TokenCacheError/Code/readOnly``, ``TokenCacheError/Code/indeterminate``, ``TokenCacheError/Code/closed``,
    ///   ``TokenCacheError/Code/outOfMemory``, ``TokenCacheError/Code/forkedProcess``.
    @discardableResult
    public func save(
        _ response: borrowing TokenResponse,
        for request: TokenRequest
    ) throws(TokenCacheError) -> SavedTokens {
        switch try reporting(.save, try translating(try engine.save(response, for: request, redeeming: nil))) {
        case .saved(let written):
            let granted = response.accessToken == nil ? nil : response.scopeSet ?? ScopeSet(request.scopes)
            return SavedTokens(written, of: request, granted: granted, engine: engine)
        case .ofAnotherAccount:
            return SavedTokens(ofAnotherAccount: request, engine: engine)
        case .refused, .superseded:
            // Only renewals under a lease can be superseded.
            throw TokenCacheError(.signedOut)
        }
    }
}

extension Engine {
    /// Saves a response.
    ///
    /// - Parameters:
    ///   - response: the body of the response.
    ///   - request: the parameters of the request that the response does not contain.
    ///   - redeemed: the refresh token that it was obtained with, if that was redeemed under a lease.
    /// - Returns: the result, which may be that the renewal was superseded.
    /// - Throws: `signedOut`, and errors of the store.
    func save(
        _ response: borrowing TokenResponse,
        for request: TokenRequest,
        redeeming redeemed: KnownSecret?
    ) throws(StorageError) -> ResponseWriter.Outcome {
        try checkProcess()
        try sealing(try response.json.checkProcess())
        let deadline = newDeadline()
        try addStoredClouds(for: request.environment, until: deadline)
        let now = clock.now().secondsSince1970
        let identity = try ResponseSubject(response, for: request, clouds: clouds) { (id, known) throws(StorageError) in
            try savedID(id, meaning: known, until: deadline)
        }
        let entries = try ResponseEntries(
            response,
            for: request,
            identity: identity,
            clientID: UTF8Text(clientID).trimmed(),
            now: now
        )
        let saving = ResponseWriter(
            entries: entries,
            naming: TenantNaming(identity, for: request),
            grant: request.grant,
            asked: identity.asked?.string,
            renewed: request.redeemed,
            request: request.asked,
            codec: codec,
            clouds: clouds,
            client: foldedClient,
            group: groupPartition,
            now: now,
            redeemed: redeemed,
            lastFacts: lastFacts
        )
        let outcome = try change(until: deadline) { (transaction) throws(StorageError) in
            let outcome = try saving.write(response, with: &transaction)
            if case .ofAnotherAccount = outcome, let redeemed = request.redeemed {
                try block(redeemed.stored, &transaction)
            }
            if let subject = request.interaction, let account = outcome.written?.homeAccountID {
                let partition = try codec.partition(ofAccount: UTF8Text(account).bytes)
                try note(.signedIn(partition: partition), about: subject, &transaction)
            }
            return outcome
        }
        switch outcome {
        case .saved(let written): refusals.withLock { $0.remove(written.answered) }
        case .ofAnotherAccount, .superseded: break
        case .refused: throw StorageError(.signedOut)
        }
        return outcome
    }
}
