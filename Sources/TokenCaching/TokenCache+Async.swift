internal import RecordStorage

/// The forms for asynchronous code of the calls that may wait for the disk, a lock or the keyring. Swift picks the form by where it is
/// called.
///
/// The work is done on a few threads of the library's own, so that it blocks neither the caller's actor nor a thread of Swift's pool.
/// Where all of these are taken, a call waits for one up to the cache's timeout and then throws
/// ``TokenCacheError/Code/timeout``: nothing was done. Cancelling the task does not interrupt what has begun; that ends by its timeout.
extension TokenCache {
    /// What there is for a query, without blocking the calling thread.
    ///
    /// Where the query's last answer stands, this is as good as the synchronous form: no thread, no task, no allocation. Otherwise what
    /// changed is read on a thread of the library's own.
    ///
    /// - Parameter query: prepared once, asked as often as needed.
    /// - Returns: what to do.
    /// - Throws: what the synchronous form throws.
    nonisolated(nonsending) public func token(for query: TokenQuery) async throws(TokenCacheError) -> TokenDecision {
        if let decision = engine.standingDecision(for: query) { return decision }
        return try await engine.onPool { () throws(TokenCacheError) in try self.token(for: query) }
    }

    /// Stores what a token endpoint sent, without blocking the calling thread.
    ///
    /// What it stores, returns and throws is what the synchronous form does. It is stored even if the task is cancelled meanwhile.
    ///
    /// ```swift
    /// let saved = try await cache.save(TokenResponse(json: body), for: request)
    /// ```
    ///
    /// - Parameters:
    ///   - response: the body of the response.
    ///   - request: what the response does not say.
    /// - Returns: what was saved.
    /// - Throws: what the synchronous form throws.
    @discardableResult
    nonisolated(nonsending) public func save(
        _ response: consuming TokenResponse,
        for request: TokenRequest
    ) async throws(TokenCacheError) -> SavedTokens {
        let kept = KeptResponse(response)
        return try await engine.onPool { () throws(TokenCacheError) in try self.save(kept.response, for: request) }
    }

    /// The accounts that fit a filter, without blocking the calling thread. Parameters, result and errors are those of the
    /// synchronous form.
    nonisolated(nonsending) public func accounts(
        matching filter: AccountFilter = .signedIn
    ) async throws(TokenCacheError) -> [Account] {
        try await engine.onPool { () throws(TokenCacheError) in try self.accounts(matching: filter) }
    }

    /// The current account and the previous one, without blocking the calling thread. Result and errors are those of the
    /// synchronous form.
    nonisolated(nonsending) public func currentAccount() async throws(TokenCacheError) -> CurrentAccount {
        try await engine.onPool { () throws(TokenCacheError) in try self.currentAccount() }
    }

    /// The id token that this application got for an account, without blocking the calling thread. Parameters, result and errors
    /// are those of the synchronous form.
    nonisolated(nonsending) public func idToken(
        for account: Account,
        tenant: String? = nil,
        environment: String? = nil
    ) async throws(TokenCacheError) -> IDToken? {
        try await engine.onPool { () throws(TokenCacheError) in
            try self.idToken(for: account, tenant: tenant, environment: environment)
        }
    }

    /// The id token that this application got for the account, tenant and cloud of a query, without blocking the calling thread.
    /// Parameters, result and errors are those of the synchronous form.
    nonisolated(nonsending) public func idToken(for query: TokenQuery) async throws(TokenCacheError) -> IDToken? {
        try await engine.onPool { () throws(TokenCacheError) in try self.idToken(for: query) }
    }

    /// What the id token of one of an account's tenants says, without blocking the calling thread. Parameters, result and errors
    /// are those of the synchronous form.
    nonisolated(nonsending) public func claims(
        for profile: TenantProfile
    ) async throws(TokenCacheError) -> IDTokenClaims? {
        try await engine.onPool { () throws(TokenCacheError) in try self.claims(for: profile) }
    }

    /// Signs this application out of an account, without blocking the calling thread. Parameters and errors are those of the
    /// synchronous form.
    nonisolated(nonsending) public func signOut(_ account: Account) async throws(TokenCacheError) {
        try await engine.onPool { () throws(TokenCacheError) in try self.signOut(account) }
    }

    /// Signs this application out of the account with this id, without blocking the calling thread. Parameters and errors are those
    /// of the synchronous form.
    nonisolated(nonsending) public func signOut(accountID: Account.ID) async throws(TokenCacheError) {
        try await engine.onPool { () throws(TokenCacheError) in try self.signOut(accountID: accountID) }
    }

    /// Removes everything that any application has of an account, without blocking the calling thread. Parameters and errors are
    /// those of the synchronous form.
    nonisolated(nonsending) public func wipe(_ account: Account) async throws(TokenCacheError) {
        try await engine.onPool { () throws(TokenCacheError) in try self.wipe(account) }
    }

    /// Removes everything that any application has of the account with this id, without blocking the calling thread. Parameters and
    /// errors are those of the synchronous form.
    nonisolated(nonsending) public func wipe(accountID: Account.ID) async throws(TokenCacheError) {
        try await engine.onPool { () throws(TokenCacheError) in try self.wipe(accountID: accountID) }
    }

    /// Removes everything that any application has in the group, without blocking the calling thread. Errors are those of the
    /// synchronous form.
    nonisolated(nonsending) public func clear() async throws(TokenCacheError) {
        try await engine.onPool { () throws(TokenCacheError) in try self.clear() }
    }

    /// What was removed last in the group, without blocking the calling thread. Result and errors are those of the synchronous form.
    nonisolated(nonsending) public func lastRemoval() async throws(TokenCacheError) -> RemovalRecord? {
        try await engine.onPool { () throws(TokenCacheError) in try self.lastRemoval() }
    }

    /// When all of an account was removed last, without blocking the calling thread. Parameters, result and errors are those of the
    /// synchronous form.
    nonisolated(nonsending) public func lastWipe(
        accountID: Account.ID
    ) async throws(TokenCacheError) -> RemovalRecord? {
        try await engine.onPool { () throws(TokenCacheError) in try self.lastWipe(accountID: accountID) }
    }

    /// Takes in what instance discovery says of clouds, without blocking the calling thread. Parameters and errors are those of the
    /// synchronous form.
    nonisolated(nonsending) public func learn(_ clouds: CloudMetadata) async throws(TokenCacheError) {
        try await engine.onPool { () throws(TokenCacheError) in try self.learn(clouds) }
    }

    /// Takes note that a token endpoint refused a refresh token, without blocking the calling thread. Parameters, result and errors
    /// are those of the synchronous form.
    @discardableResult
    nonisolated(nonsending) public func noteRefusal(
        of token: RefreshToken,
        response: TokenErrorResponse
    ) async throws(TokenCacheError) -> RefusalConsequence {
        try await engine.onPool { () throws(TokenCacheError) in try self.noteRefusal(of: token, response: response) }
    }
}

extension SavedTokens {
    /// The access token of the response, without blocking the calling thread. Result and errors are those of the synchronous form.
    nonisolated(nonsending) public func accessToken() async throws(TokenCacheError) -> AccessToken? {
        try await engine.onPool { () throws(TokenCacheError) in try self.accessToken() }
    }
}

extension RefreshToken {
    /// The refresh token to try where the server refused this one, without blocking the calling thread. Result and errors are those
    /// of the synchronous form.
    nonisolated(nonsending) public func next() async throws(TokenCacheError) -> RefreshToken? {
        try await answer.engine.onPool { () throws(TokenCacheError) in try self.next() }
    }
}

extension Engine {
    /// Runs a call that may wait on a thread that may, and waits for it without blocking the caller's.
    nonisolated(nonsending) func onPool<Value: Sendable>(
        _ call: @escaping @Sendable () throws(TokenCacheError) -> Value
    ) async throws(TokenCacheError) -> Value {
        try await BlockingPool.shared.run(until: newDeadline(), call)
    }
}
