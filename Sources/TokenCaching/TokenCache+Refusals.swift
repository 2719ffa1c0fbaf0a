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
    /// - Anything else, such as `interaction_required`, or `invalid_grant` alone: the token is kept. Servers say that
    ///   also of scopes that the person did not consent to, and of another client's token: it is good for other requests.
    ///
    /// Never call it for what was no answer of the server.
    ///
    /// - Parameters:
    ///   - token: as this cache handed it out.
    ///   - error: the member `error` of the response.
    ///   - suberror: the member `suberror` of the response; nil where it has none.
    /// - Returns: what became of the token.
    /// - Throws: ``TokenCacheError/Code/invalidRequest`` for a token of another cache, ``TokenCacheError/Code/busy``,
    ///   ``TokenCacheError/Code/readOnly``, ``TokenCacheError/Code/indeterminate``, ``TokenCacheError/Code/closed``.
    @discardableResult
    public func noteRefusal(
        of token: RefreshToken,
        error: String,
        suberror: String? = nil
    ) throws(TokenCacheError) -> RefusalConsequence {
        try noteRefusal(of: token, TokenErrorResponse(error: error, suberror: suberror))
    }

    /// Takes note that a token endpoint refused a refresh token, with all that it said. As
    /// ``noteRefusal(of:error:suberror:)``.
    ///
    /// - Parameters:
    ///   - token: as this cache handed it out.
    ///   - response: what the server said.
    /// - Returns: what became of the token.
    /// - Throws: as ``noteRefusal(of:error:suberror:)``.
    @discardableResult
    public func noteRefusal(
        of token: RefreshToken,
        _ response: TokenErrorResponse
    ) throws(TokenCacheError) -> RefusalConsequence {
        guard token.answer.engine === engine else {
            throw TokenCacheError(.invalidRequest, detail: "the refresh token is of another cache")
        }
        return try engine.refuse(token, response).consequence
    }
}
