// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// The asynchronous forms of calls that may wait for the disk, a lock or the keyring. Swift selects the form by the
/// context of the call. <doc:Threads> lists the calls with two names and those with one form.
///
/// The work runs on a few threads of the library, so it blocks neither the caller's actor nor a thread of Swift's pool.
/// If all of these are in use, a call waits for one up to the cache's timeout and then throws
/// ``TokenCacheError/Code/timeout`` without having done anything; the time that it waited is part of its timeout.
/// Cancelling the task does not interrupt a call that has begun; the call ends by its timeout.
extension TokenCache {
    /// Answers a query without blocking the calling thread.
    ///
    /// If the query's last answer is still valid, this is as fast as the synchronous form: no thread, no task, no
    /// allocation. A new query that gives an account's id is answered on the calling thread too, if its account was
    /// queried before, nothing has changed since, and its token is valid. Everything else is read on a thread of the
    /// library, which takes some 50 µs more.
    ///
    /// - Parameter query: prepared once, used as often as needed.
    /// - Returns: what to do.
    /// - Throws: the errors of the synchronous form.
    nonisolated(nonsending) public func token(for query: TokenQuery) async throws(TokenCacheError) -> TokenDecision {
        if let decision = engine.validDecision(for: query) ?? engine.cachedDecision(for: query) { return decision }
        return try await engine.onPool { () throws(TokenCacheError) in try self.token(for: query) }
    }

    /// Saves a token endpoint's response without blocking the calling thread.
    ///
    /// Effects, result and errors are those of the synchronous form. The response is stored even if the task is
    /// cancelled in the meantime.
    ///
    /// ```swift
    /// let saved = try await cache.save(TokenResponse(json: body), for: request)
    /// ```
    ///
    /// - Parameters:
    ///   - response: the body of the response.
    ///   - request: the parameters of the request that the response does not contain.
    /// - Returns: what was saved.
    /// - Throws: the errors of the synchronous form.
    @discardableResult
    nonisolated(nonsending) public func save(
        _ response: consuming TokenResponse,
        for request: TokenRequest
    ) async throws(TokenCacheError) -> SavedTokens {
        let kept = KeptResponse(response)
        return try await engine.onPool { () throws(TokenCacheError) in try self.save(kept.response, for: request) }
    }

    /// The accounts that match a filter, without blocking the calling thread. Parameters, result and errors are those
    /// of the synchronous form.
    nonisolated(nonsending) public func accounts(
        matching filter: AccountFilter = .signedIn
    ) async throws(TokenCacheError) -> [Account] {
        try await engine.onPool { () throws(TokenCacheError) in try self.accounts(matching: filter) }
    }

    /// The current account and the previous one, without blocking the calling thread. Result and errors are those of
    /// the synchronous form.
    nonisolated(nonsending) public func currentAccount() async throws(TokenCacheError) -> CurrentAccount {
        try await engine.onPool { () throws(TokenCacheError) in try self.currentAccount() }
    }

    /// The id token that this application obtained for an account, without blocking the calling thread. Parameters,
    /// result and errors are those of the synchronous form.
    nonisolated(nonsending) public func idToken(
        for account: Account,
        tenant: String? = nil,
        environment: String? = nil
    ) async throws(TokenCacheError) -> IDToken? {
        try await engine.onPool { () throws(TokenCacheError) in
            try self.idToken(for: account, tenant: tenant, environment: environment)
        }
    }

    /// The id token that this application obtained for the account, tenant and cloud of a query, without blocking the
    /// calling thread. Parameters, result and errors are those of the synchronous form.
    nonisolated(nonsending) public func idToken(for query: TokenQuery) async throws(TokenCacheError) -> IDToken? {
        try await engine.onPool { () throws(TokenCacheError) in try self.idToken(for: query) }
    }

    /// The claims of the id token for one of an account's tenants, without blocking the calling thread. Parameters,
    /// result and errors are those of the synchronous form.
    nonisolated(nonsending) public func claims(
        for profile: TenantProfile
    ) async throws(TokenCacheError) -> IDTokenClaims? {
        try await engine.onPool { () throws(TokenCacheError) in try self.claims(for: profile) }
    }

    /// Signs this application out of an account, without blocking the calling thread. Parameters and errors are those
    /// of the synchronous form.
    nonisolated(nonsending) public func signOut(_ account: Account) async throws(TokenCacheError) {
        try await engine.onPool { () throws(TokenCacheError) in try self.signOut(account) }
    }

    /// Signs this application out of the account with this id, without blocking the calling thread. Parameters and
    /// errors are those of the synchronous form.
    nonisolated(nonsending) public func signOut(accountID: Account.ID) async throws(TokenCacheError) {
        try await engine.onPool { () throws(TokenCacheError) in try self.signOut(accountID: accountID) }
    }

    /// Removes all entries of an account, of every application, without blocking the calling thread. Parameters and
    /// errors are those of the synchronous form.
    nonisolated(nonsending) public func wipe(_ account: Account) async throws(TokenCacheError) {
        try await engine.onPool { () throws(TokenCacheError) in try self.wipe(account) }
    }

    /// Removes all entries of the account with this id, of every application, without blocking the calling thread.
    /// Parameters and errors are those of the synchronous form.
    nonisolated(nonsending) public func wipe(accountID: Account.ID) async throws(TokenCacheError) {
        try await engine.onPool { () throws(TokenCacheError) in try self.wipe(accountID: accountID) }
    }

    /// Removes all entries of the group, of every application, without blocking the calling thread. Errors are those of
    /// the synchronous form.
    nonisolated(nonsending) public func clearAll() async throws(TokenCacheError) {
        try await engine.onPool { () throws(TokenCacheError) in try self.clearAll() }
    }

    /// Removes the pending revocations of this application for an account, without blocking the calling thread.
    /// Parameters, result and errors are those of the synchronous form.
    @discardableResult
    nonisolated(nonsending) public func forgetRevocations(
        accountID: Account.ID
    ) async throws(TokenCacheError) -> Int {
        try await engine.onPool { () throws(TokenCacheError) in try self.forgetRevocations(accountID: accountID) }
    }

    /// The last removal in the group, without blocking the calling thread. Result and errors are those of the
    /// synchronous form.
    nonisolated(nonsending) public func lastRemoval() async throws(TokenCacheError) -> RemovalRecord? {
        try await engine.onPool { () throws(TokenCacheError) in try self.lastRemoval() }
    }

    /// The last wipe of an account, without blocking the calling thread. Parameters, result and errors are those of the
    /// synchronous form.
    nonisolated(nonsending) public func lastWipe(
        accountID: Account.ID
    ) async throws(TokenCacheError) -> RemovalRecord? {
        try await engine.onPool { () throws(TokenCacheError) in try self.lastWipe(accountID: accountID) }
    }

    /// Adds the result of instance discovery to the known clouds, without blocking the calling thread. Parameters and
    /// errors are those of the synchronous form.
    nonisolated(nonsending) public func learn(_ clouds: CloudMetadata) async throws(TokenCacheError) {
        try await engine.onPool { () throws(TokenCacheError) in try self.learn(clouds) }
    }

    /// Records that a token endpoint refused a refresh token, without blocking the calling thread. Parameters, result
    /// and errors are those of the synchronous form.
    @discardableResult
    nonisolated(nonsending) public func noteRefusal(
        of token: RefreshToken,
        response: TokenErrorResponse
    ) async throws(TokenCacheError) -> RefusalConsequence {
        try await engine.onPool { () throws(TokenCacheError) in try self.noteRefusal(of: token, response: response) }
    }
}

extension SavedTokens {
    /// The access token of the response, without blocking the calling thread. Result and errors are those of the
    /// synchronous form.
    nonisolated(nonsending) public func accessToken() async throws(TokenCacheError) -> AccessToken? {
        try await engine.onPool { () throws(TokenCacheError) in try self.accessToken() }
    }
}

extension RefreshToken {
    /// The refresh token to try if the server refused this one, without blocking the calling thread. Result and errors
    /// are those of the synchronous form.
    nonisolated(nonsending) public func next() async throws(TokenCacheError) -> RefreshToken? {
        try await answer.engine.onPool { () throws(TokenCacheError) in try self.next() }
    }
}

extension Engine {
    /// Runs a call that may wait. It runs on a thread of the pool, so the caller's thread is not blocked.
    nonisolated(nonsending) func onPool<Value: Sendable>(
        _ call: @escaping @Sendable () throws(TokenCacheError) -> Value
    ) async throws(TokenCacheError) -> Value {
        let deadline = newDeadline()
        let outcome: Result<Value, TokenCacheError>
        do throws(StorageError) {
            outcome = try await BlockingPool.shared.run(until: deadline) {
                Self.$timeOfQueuedCall.withValue(WaitingTime(until: deadline)) {
                    Result { () throws(TokenCacheError) in try call() }
                }
            }
        } catch {
            throw TokenCacheError(error)
        }
        return try outcome.get()
    }
}
