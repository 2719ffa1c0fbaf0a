// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

extension TokenCache {
    /// Reports that a token endpoint refused a refresh token, so that no process redeems it again in vain.
    ///
    /// - `invalid_grant` with the suberror `bad_token` or `token_expired`, from a Microsoft host: the token is dead.
    ///   The cache removes it and overwrites it on disk wherever it is stored for the account, but keeps a token that
    ///   replaced it in the meantime. Applications remain signed in as they were.
    /// - `invalid_grant` with the suberror `user_account_deleted`, from a Microsoft host: this application is signed
    ///   out of the account.
    /// - `client_mismatch`: the application is not in the token's family. The cache records that, and keeps the token
    ///   for the applications that are.
    /// - `invalid_grant` without a suberror, from B2C and from hosts other than Microsoft's: the reason is unknown. The
    ///   cache keeps the token and records that this application must not redeem it again.
    /// - A status of 429 or 5xx: the cache keeps the token and records that the server asked for time.
    /// - Anything else, such as `interaction_required`: the cache keeps the token. Servers also respond this way about
    ///   scopes that the user did not consent to, and about another client's token, so it is still good for other
    ///   requests. The cache records the refusal of this one.
    ///
    /// These records are for ``renew(_:timeout:redeeming:)``; lookups do not read them. If one cannot be written, as on
    /// a full disk or in a read-only group, this call does not fail: this cache remembers the record as long as it is
    /// open. Never call this without a response of the server.
    ///
    /// - Parameters:
    ///   - token: a token that this cache handed out.
    ///   - response: the server's response.
    /// - Returns: what was done with the token.
    /// - Throws: ``TokenCacheError/Code/invalidRequest`` for a token of another cache; the errors of every call that
    ///   writes if this call removes a token, signs the application out or records that it left a family; and the
    ///   errors of lookups.
    @discardableResult
    public func noteRefusal(
        of token: RefreshToken,
        response: TokenErrorResponse
    ) throws(TokenCacheError) -> RefusalConsequence {
        guard token.answer.engine === engine else {
            throw TokenCacheError(StorageError(.invalidRequest, detail: "the refresh token is from another cache"))
        }
        return try reporting(.noteRefusal, try translating(try engine.refuse(token, response))).consequence
    }
}
