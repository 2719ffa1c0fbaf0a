extension TokenCache {
    /// Takes note that a token endpoint refused a refresh token, so that nobody spends it again in vain.
    ///
    /// - `invalid_grant` with the suberror `bad_token` or `token_expired`, from a host of Microsoft's: the token is dead. It is
    ///   removed and overwritten on disk wherever it is stored for the account, but only if it is still stored: one that took
    ///   its place meanwhile stays. Applications stay signed in as they were.
    /// - `invalid_grant` with the suberror `user_account_deleted`, from a host of Microsoft's: this application is signed out of
    ///   the account.
    /// - `client_mismatch`: the application is not in the family of the token. That is noted; the token stays for those
    ///   that are.
    /// - `invalid_grant` without a suberror, from B2C and from hosts that are not Microsoft's: nobody knows why. The token is kept, and
    ///   noted as one that this application spends no more.
    /// - A status of 429 or 5xx: the token is kept, and the server is noted as one that wants to be left alone for a while.
    /// - Anything else, such as `interaction_required`: the token is kept. Servers say that also of scopes that the person did not
    ///   consent to, and of another client's token: it is good for other requests. It is noted that this one was refused.
    ///
    /// Notes are for ``renew(_:timeout:spending:)``; lookups do not read them. One that cannot be written, as on a full disk or in a
    /// group that is read only, is no error: this cache knows it as long as it is open. Never call it for what was no answer of the server.
    ///
    /// - Parameters:
    ///   - token: as this cache handed it out.
    ///   - response: what the server said.
    /// - Returns: what became of the token.
    /// - Throws: ``TokenCacheError/Code/invalidRequest`` for a token of another cache, what every call that writes may throw where
    ///   more than a note is written: a token removed, an application signed out or no longer in a family; and what lookups throw.
    @discardableResult
    public func noteRefusal(
        of token: RefreshToken,
        response: TokenErrorResponse
    ) throws(TokenCacheError) -> RefusalConsequence {
        guard token.answer.engine === engine else {
            throw TokenCacheError(.invalidRequest, detail: "the refresh token is of another cache")
        }
        return try engine.refuse(token, response).consequence
    }
}
