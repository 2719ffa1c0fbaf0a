// SPDX-License-Identifier: Apache-2.0

internal import UnifiedSchema

/// The requirements of a token query besides account, scopes, tenant and environment.
///
/// ```swift
/// var options = TokenQueryOptions()
/// options.forceRefresh = true
/// ```
public struct TokenQueryOptions: Hashable, Sendable {
    /// The type of the token, such as `pop` or `ssh-cert`; nil for a bearer token. Compared without regard to case.
    public var tokenType: String?

    /// The id of the key that the token is bound to, byte for byte; nil for any. With nil, prove possession of the key
    /// that ``AccessToken/keyID`` names, unless you request a new token with ``forceRefresh``.
    public var keyID: String?

    /// Whether to ignore a valid token and obtain a new one. This also ignores records of refusals that need the user,
    /// and of declined scopes, but not records that a server asked for time, or that a refresh token is useless to this
    /// application.
    public var forceRefresh: Bool

    /// The claims that a resource requested in a challenge, as JSON text. Stored tokens are then ignored, because the
    /// resource rejected one. Send the claims to the token endpoint too, in the field `claims`.
    public var claimsChallenge: String?

    /// Whether to accept an expired token that is still within its extended lifetime, for times when the server that
    /// issues tokens cannot be reached.
    public var allowsExtendedLifetime: Bool

    /// How long before its expiry a token counts as expired, rounded up to whole seconds; nil for five minutes or a
    /// fifth of the token's lifetime, whichever is less. The margin is limited to half of the lifetime, because
    /// otherwise every request would renew.
    public var expirationMargin: Duration?

    /// The claims that isolate the token, as JSON text, byte for byte: only tokens that an SDK stored for the same
    /// claims match. Nil for tokens that are not isolated by claims.
    ///
    /// Unlike ``claimsChallenge`` this selects a stored token, and ignores none.
    public var isolatedClaims: String?

    /// The extra parts of the request that isolate the token; nil for tokens without any.
    public var extendedCacheKey: ExtendedCacheKey?

    /// The application on the device that the token is isolated for, as an app identifier, compared without regard to
    /// case. Nil for tokens without one.
    public var applicationIdentifier: String?

    /// For a service that acts on behalf of the user: the assertion for which the tokens were obtained. Nil for tokens
    /// without one.
    public var userAssertion: UserAssertionHash?

    /// Whether refresh tokens match however they are isolated: to revoke all of them.
    package var matchesAllRefreshTokens = false

    /// Options that match plain bearer tokens, without further requirements.
    public init(
        tokenType: String? = nil,
        keyID: String? = nil,
        forceRefresh: Bool = false,
        claimsChallenge: String? = nil,
        allowsExtendedLifetime: Bool = false,
        expirationMargin: Duration? = nil,
        isolatedClaims: String? = nil,
        extendedCacheKey: ExtendedCacheKey? = nil,
        applicationIdentifier: String? = nil,
        userAssertion: UserAssertionHash? = nil
    ) {
        self.tokenType = tokenType
        self.keyID = keyID
        self.forceRefresh = forceRefresh
        self.claimsChallenge = claimsChallenge
        self.allowsExtendedLifetime = allowsExtendedLifetime
        self.expirationMargin = expirationMargin
        self.isolatedClaims = isolatedClaims
        self.extendedCacheKey = extendedCacheKey
        self.applicationIdentifier = applicationIdentifier
        self.userAssertion = userAssertion
    }
}

extension TokenQueryOptions: CustomStringConvertible, CustomReflectable {
    /// The type's name; no claims and no hashes.
    public var description: String { "TokenQueryOptions" }

    /// No children, so that claims and hashes do not appear in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The public names of the parts of ``Isolation``: in queries, and in the requests that responses belong to.
protocol IsolatedRequest {
    var isolatedClaims: String? { get set }
    var extendedCacheKey: ExtendedCacheKey? { get set }
    var applicationIdentifier: String? { get set }
    var userAssertion: UserAssertionHash? { get set }
}

extension TokenQueryOptions: IsolatedRequest {}
extension TokenRequest: IsolatedRequest {}

extension IsolatedRequest {
    /// The isolation of the token, part by part.
    var isolation: Isolation<String?> {
        get {
            Isolation(
                claims: isolatedClaims,
                extendedKey: extendedCacheKey?.hash,
                application: applicationIdentifier,
                assertionHash: userAssertion?.base64URL
            )
        }
        set {
            isolatedClaims = newValue.claims
            extendedCacheKey = newValue.extendedKey.map { ExtendedCacheKey(hash: $0) }
            applicationIdentifier = newValue.application
            userAssertion = newValue.assertionHash.map { UserAssertionHash(hash: $0) }
        }
    }
}
