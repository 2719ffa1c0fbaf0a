// SPDX-License-Identifier: Apache-2.0

/// A cache's answer to a query.
///
/// ```swift
/// switch try cache.token(for: query) {
/// case .valid(let token): use(token)                      // and renew soon where token.shouldRenew
/// case .renew(let refreshToken, let stillValid): …        // redeem the refresh token, save the response
/// case .interactionRequired(let reason): …                // the user has to sign in
/// @unknown default: …                                     // the same: what a later version may answer
/// }
/// ```
///
/// Later versions may have more cases. For an unknown case, let the user sign in.
@nonexhaustive
public enum TokenDecision: Sendable {
    /// A valid access token.
    case valid(AccessToken)

    /// No access token can be used, or the query ignores them, but there is a refresh token to redeem. The second value
    /// is an access token that is still valid although the query requires a new one.
    case renew(RefreshToken, stillValid: AccessToken?)

    /// Nothing stored can be used.
    case interactionRequired(InteractionReason)
}
