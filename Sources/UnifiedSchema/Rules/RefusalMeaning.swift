/// What a refusal by a token endpoint says of the refresh token that was spent.
///
/// A refresh token is somebody's session, and others may share it: it is dead only by the server's own word. A bare
/// `invalid_grant` is none. Microsoft answers it where the person has not consented to the scopes that were asked for, where the
/// token is another client's, and where a policy wants another proof: the same token is then good for other requests.
package enum RefusalMeaning: Hashable, Sendable, CaseIterable {
    /// The client is not in the family that the token belongs to.
    case foreignFamily
    /// Nobody will ever get anything for the token again.
    case deadToken
    /// The account does not exist any more.
    case deletedAccount
    /// The token may be good: the person has to do something, the request was wrong, or the server had trouble.
    case somethingElse

    /// - Parameters:
    ///   - error: the member `error` of the response.
    ///   - suberror: the member `suberror`, where there is one. Only Microsoft's hosts say by it what became of a token.
    ///   - issuer: whose host answered.
    package init(error: UTF8Text, suberror: UTF8Text?, issuer: IssuerKind) {
        let error = error.normalized()
        let suberror = suberror?.normalized() ?? ""
        if error == "client_mismatch" || suberror == "client_mismatch" {
            self = .foreignFamily
        } else if issuer.isMicrosoft, error == "invalid_grant" {
            switch suberror {
            case "bad_token", "token_expired": self = .deadToken
            case "user_account_deleted": self = .deletedAccount
            default: self = .somethingElse
            }
        } else {
            self = .somethingElse
        }
    }
}
