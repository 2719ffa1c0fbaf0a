internal import UnifiedSchema

/// What a refusal by a token endpoint says of the refresh token that was spent.
enum RefusalMeaning: Hashable {
    /// The client is not in the family that the token belongs to.
    case foreignFamily
    /// Nobody will ever get anything for the token again.
    case deadToken
    /// The token may be good: the person has to do something, the request was wrong, or the server had trouble.
    case somethingElse

    /// - Parameters:
    ///   - error: the member `error` of the response.
    ///   - suberror: the member `suberror`, where there is one. With it the servers of the known clouds say what the person
    ///     has to do; without, or with one of two, an invalid grant is what the standard says it is.
    init(error: String, suberror: String?) {
        let error = UTF8Text(error).normalized()
        let suberror = suberror.map { UTF8Text($0).normalized() } ?? ""
        if error == "client_mismatch" || suberror == "client_mismatch" {
            self = .foreignFamily
        } else if error == "invalid_grant", suberror.isEmpty || suberror == "bad_token" || suberror == "token_expired" {
            self = .deadToken
        } else {
            self = .somethingElse
        }
    }
}
