/// What a cache has for a query.
///
/// ```swift
/// switch try cache.token(for: query) {
/// case .valid(let token): use(token)                      // and renew soon where token.shouldRenew
/// case .renew(let refreshToken, let stillValid): …        // spend the refresh token, save the response
/// case .interactionRequired(let reason): …                // the person has to sign in
/// @unknown default: …                                     // the same: what a later version may answer
/// }
/// ```
///
/// Later versions may have more cases. What one of them says a person who signs in settles.
@nonexhaustive
public enum TokenDecision: Sendable {
    /// An access token that can be used now.
    case valid(AccessToken)

    /// No access token can be used, or the query passes them over, but there is a refresh token to spend. The second
    /// value is an access token that is still good, where the query asked for a new one all the same.
    case renew(RefreshToken, stillValid: AccessToken?)

    /// Nothing that is stored helps.
    case interactionRequired(InteractionReason)
}
