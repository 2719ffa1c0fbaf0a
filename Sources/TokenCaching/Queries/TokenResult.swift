// SPDX-License-Identifier: Apache-2.0

/// The result of ``TokenCache/renew(_:timeout:redeeming:)`` and
/// ``TokenCache/acquireApplicationToken(_:timeout:requesting:)``.
///
/// ```swift
/// switch try await cache.renew(query, redeeming: redeem) {
/// case .valid(let token): use(token)
/// case .scopesDeclined(let grant): use(grant.accessToken)          // not for grant.declinedScopes
/// case .interactionRequired(let interaction): signIn(claims: interaction.errorResponse?.claims)
/// @unknown default: signIn(claims: nil)
/// }
/// ```
///
/// Later versions may have more cases. For an unknown case, let the user sign in.
@nonexhaustive
public enum TokenResult: Sendable {
    /// A valid access token.
    case valid(AccessToken)

    /// The server granted less than the query asks for.
    case scopesDeclined(PartialGrant)

    /// The user has to sign in; for an app-only token: the server refused the app's credentials.
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
