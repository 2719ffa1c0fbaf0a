/// What came of a renewal or an acquisition: of ``TokenCache/renew(_:timeout:spending:)`` and
/// ``TokenCache/acquire(_:timeout:requesting:)``.
///
/// ```swift
/// switch try await cache.renew(query, spending: spend) {
/// case .valid(let token): use(token)
/// case .scopesDeclined(let grant): use(grant.accessToken)          // not for grant.declinedScopes
/// case .interactionRequired(let interaction): signIn(claims: interaction.errorResponse?.claims)
/// @unknown default: signIn(claims: nil)
/// }
/// ```
///
/// Later versions may have more cases. What one of them says a person who signs in settles.
@nonexhaustive
public enum TokenResult: Sendable {
    /// An access token that can be used now.
    case valid(AccessToken)

    /// The server granted less than the query asks for.
    case scopesDeclined(PartialGrant)

    /// The person has to sign in; for tokens of the application itself: the server refused its credentials.
    case interactionRequired(InteractionRequired)
}

extension TokenResult {
    static func interactionRequired(
        _ reason: InteractionReason,
        saying response: TokenErrorResponse? = nil
    ) -> TokenResult {
        .interactionRequired(InteractionRequired(reason: reason, errorResponse: response))
    }
}
