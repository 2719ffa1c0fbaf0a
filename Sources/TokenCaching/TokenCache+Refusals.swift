// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

extension TokenCache {
    /// Reports that a token endpoint refused a refresh token, so that it is not redeemed again in vain.
    ///
    /// - `invalid_grant` with the suberror `bad_token` or `token_expired`, from a Microsoft host: the token is dead. It
    ///   is removed and overwritten on disk wherever it is stored for the account, but only if it is still stored: a
    ///   token that replaced it in the meantime stays. Applications remain signed in as they were.
    /// - `invalid_grant` with the suberror `user_account_deleted`, from a Microsoft host: this application is signed
    ///   out of the account.
    /// - `client_mismatch`: the application is not in the token's family. That is recorded; the token stays for the
    ///   applications that are.
    /// - `invalid_grant` without a suberror, from B2C and from hosts other than Microsoft's: the reason is unknown. The
    ///   token is kept, and a note is recorded that this application does not redeem it any more.
    /// - A status of 429 or 5xx: the token is kept, and it is recorded that the server asked for time.
    /// - Anything else, such as `interaction_required`: the token is kept. Servers also respond this way about scopes
    ///   that the user did not consent to, and about another client's token: it is good for other requests. The refusal
    ///   of this one is recorded.
    ///
    /// These records are for ``renew(_:timeout:redeeming:)``; lookups do not read them. If one cannot be written, as on
    /// a full disk or in a read-only group, that is not an error: this cache remembers it as long as it is open. Never
    /// call this without a response of the server.
    ///
    /// - Parameters:
    ///   - token: a token that this cache handed out.
    ///   - response: the server's response.
    /// - Returns: what was done with the token.
    /// - Throws: ``TokenCacheError/Code/invalidRequest`` for a token of another cache; the errors of every call that
    ///   writes if more than a note is written, that is, if a token is removed, or the application signed out or no
    ///   longer in a family; and the errors of lookups.
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
