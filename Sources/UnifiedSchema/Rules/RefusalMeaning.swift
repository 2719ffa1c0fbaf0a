/// What a refusal by a token endpoint says of the refresh token that was spent.
///
/// A refresh token is somebody's session, and others may share it: it is dead only by the server's own word. A bare
/// `invalid_grant` is none. Microsoft answers it where the user has not consented to the scopes that were asked for, where the
/// token is another client's, and where a policy wants another proof: the same token is then good for other requests.
package enum RefusalMeaning: Hashable, Sendable, CaseIterable {
    /// The client is not in the family that the token belongs to.
    case foreignFamily
    /// Nobody will ever get anything for the token again.
    case deadToken
    /// The account does not exist any more.
    case deletedAccount
    /// Nobody knows why: the token may be dead, or not for this client. Asked again for anything, the server would say the same.
    case unexplained
    /// The server has trouble of its own.
    case serverTrouble
    /// The token may be good: the user has to do something, or the request was wrong.
    case personNeeded

    /// - Parameters:
    ///   - error: the member `error` of the response.
    ///   - suberror: the member `suberror`, where there is one. Only Microsoft's hosts say by it what became of a token.
    ///   - issuer: whose host answered.
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
            default: self = .personNeeded
            }
        default: self = .personNeeded
        }
    }

    /// Whether an HTTP answer of a token endpoint refuses something: by its status, and by the member `error` of its body, empty
    /// if there is none. RFC 6749, section 5.2, has 400 and 401; there are servers that answer 403 for a dead token. A
    /// server that had no time (408, 429) says nothing of the token.
    package static func isRefusal(status: Int, error: UTF8Text) -> Bool {
        (400...499).contains(status) && status != 408 && status != 429 && !error.isEmpty
    }

    /// Whether another refresh token may get what one did not: not where the request itself is wrong, or the device has to be
    /// managed first. As MSAL for ObjC has it.
    package static func mayHelpAnotherToken(error: UTF8Text, suberror: UTF8Text?) -> Bool {
        let error = error.normalized()
        return error != "invalid_scope" && error != "invalid_client"
            && suberror?.normalized() != "protection_policy_required"
    }
}
