internal import UnifiedSchema

/// What a token query asks for beside account, scopes, tenant and environment.
///
/// ```swift
/// var options = TokenQueryOptions()
/// options.forceRefresh = true
/// ```
public struct TokenQueryOptions: Hashable, Sendable {
    /// The type of the token, such as `pop` or `ssh-cert`; nil for a bearer token. Compared without regard to case.
    public var tokenType: String?

    /// The id of the key that the token is bound to, byte for byte; nil where any will do. Then ``AccessToken/keyID`` tells
    /// which one it is: prove possession of that, or ask for a new token by ``forceRefresh``.
    public var keyID: String?

    /// Whether a token that is still good is passed over, so that a new one is acquired. Notes of what needs the person, and of
    /// declined scopes, are passed over. Notes that a server asked for time, or that a refresh token is of no use to this
    /// application, are not.
    public var forceRefresh: Bool

    /// The claims that a resource asked for in a challenge, as JSON text. A stored token is then passed over: it is the
    /// one that the resource refused. Whoever asks the server sends them along, in the field `claims`.
    public var claimsChallenge: String?

    /// Whether a token is taken that has expired but is still within its extended lifetime. For the time in which the server
    /// that issues tokens cannot be reached.
    public var allowsExtendedLifetime: Bool

    /// How long before its end a token counts as expired, rounded up to whole seconds; nil for the smaller of five minutes and a
    /// fifth of the token's lifetime. Never more than half of the lifetime, or each request would renew.
    public var expirationMargin: Duration?

    /// The claims that the token was isolated by, as JSON text, byte for byte: only tokens that an SDK stored for the
    /// same claims serve the query. Nil for tokens that are isolated by none.
    ///
    /// This is another thing than ``claimsChallenge``: it names a token that is stored, and passes none over.
    public var isolatedClaims: String?

    /// The extra parts of the request that the token is kept apart by; nil for tokens that are kept apart by none.
    public var extendedCacheKey: ExtendedCacheKey?

    /// The application on the device that the token is kept apart for, as an app identifier. Compared without regard to
    /// case. Nil for tokens that are kept apart for none.
    public var applicationIdentifier: String?

    /// For a service that acts on behalf of a person: the assertion that the tokens were got for. Nil for tokens that
    /// were got for none.
    public var userAssertion: UserAssertionHash?

    /// Options that ask for a bearer token and nothing else.
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
    /// Nothing of claims and hashes.
    public var description: String { "TokenQueryOptions" }

    /// No children: claims and hashes stay out of logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What names the parts of ``Isolation`` in the public interface: queries, and the requests that responses answer.
protocol IsolatedRequest {
    var isolatedClaims: String? { get set }
    var extendedCacheKey: ExtendedCacheKey? { get set }
    var applicationIdentifier: String? { get set }
    var userAssertion: UserAssertionHash? { get set }
}

extension TokenQueryOptions: IsolatedRequest {}
extension TokenRequest: IsolatedRequest {}

extension IsolatedRequest {
    /// What keeps the token apart from plain ones, part by part.
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
