// SPDX-License-Identifier: Apache-2.0

/// What a token endpoint's refusal means for the redeemed refresh token.
///
/// A refresh token is a user's session, and other clients may share it: it counts as dead only if the server says so.
/// `invalid_grant` alone does not. Microsoft returns it if the user has not consented to the requested scopes, if the
/// token belongs to another client, and if a policy requires further proof: the same token remains good for other
/// requests.
package enum RefusalMeaning: Hashable, Sendable, CaseIterable {
    /// The client does not belong to the token's family.
    case foreignFamily
    /// The token can never be redeemed again.
    case deadToken
    /// The account no longer exists.
    case deletedAccount
    /// The reason is unknown: the token may be dead, or not for this client. The server would refuse a repeated request
    /// too.
    case unexplained
    /// The server itself has a problem.
    case serverTrouble
    /// The token may be good: the user has to act, or the request was wrong.
    case userNeeded

    /// - Parameters:
    ///   - error: the member `error` of the response.
    ///   - suberror: the member `suberror`, if there is one. Only Microsoft's hosts use it to say what happened to a
    ///     token.
    ///   - issuer: the issuer that answered.
    package init(error: UTF8Text, suberror: UTF8Text?, issuer: IssuerKind) {
        let suberror = suberror?.normalized() ?? ""
        switch error.normalized() {
        case "client_mismatch": self = .foreignFamily
        case _ where suberror == "client_mismatch": self = .foreignFamily
        case "temporarily_unavailable", "server_error": self = .serverTrouble
        case "invalid_grant":
            switch suberror {
            case "bad_token" where issuer.isMicrosoft, "token_expired" where issuer.isMicrosoft: self = .deadToken
            case "user_account_deleted" where issuer.isMicrosoft: self = .deletedAccount
            case "" where issuer != .entra: self = .unexplained
            default: self = .userNeeded
            }
        default: self = .userNeeded
        }
    }

    /// Whether an HTTP response of a token endpoint is a refusal, by its status and the member `error` of its body
    /// (empty if there is none). RFC 6749, section 5.2, specifies 400 and 401; some servers answer 403 for a dead
    /// token. A busy server (408, 429) says nothing about the token. A refusal must name its error, except that
    /// Glewlwyd refuses a token that was used before with 400 and an empty body.
    package static func isRefusal(status: Int, error: UTF8Text, hasBody: Bool) -> Bool {
        if status == 400, !hasBody { return true }
        return (400...499).contains(status) && status != 408 && status != 429 && !error.isEmpty
    }

    /// Whether another refresh token may succeed. It cannot if the request itself is wrong, or the device must be
    /// managed first. The same as in MSAL for ObjC.
    package static func mayHelpAnotherToken(error: UTF8Text, suberror: UTF8Text?) -> Bool {
        let error = error.normalized()
        return error != "invalid_scope" && error != "invalid_client"
            && suberror?.normalized() != "protection_policy_required"
    }
}
