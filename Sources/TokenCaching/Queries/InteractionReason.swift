/// Why a token cannot be had without the person, or at all, from what is stored.
///
/// Later versions may add reasons: a `switch` needs a `default`.
public struct InteractionReason: Hashable, Sendable {
    private let value: Value

    private init(value: Value) {
        self.value = value
    }

    private enum Value: String, Sendable {
        case accountUnknown
        case refreshTokenMissing
        case tokensExpired
        case claimsRequested
        case refreshTokenLost
        case renewalRefused
        case scopesNotGranted
        case signedOut
        case severalAccounts
        case accountMismatch
        case applicationTokenMissing
    }

    /// Nothing is stored for that account. Sign in interactively.
    public static let accountUnknown = Self(value: .accountUnknown)

    /// The account is known, but there is no refresh token that this client may spend, and no access token that serves
    /// the query; or there is one and the query passes it over by ``TokenQueryOptions/forceRefresh``. Sign in
    /// interactively, with the account as a hint.
    public static let refreshTokenMissing = Self(value: .refreshTokenMissing)

    /// Every access token that serves the query has ended (or its times cannot be trusted), and there is no refresh token
    /// that this client may spend. Sign in interactively, with the account as a hint.
    public static let tokensExpired = Self(value: .tokensExpired)

    /// A resource asked for claims that no stored token can have, and there is no refresh token that this client may
    /// spend. Sign in interactively with these claims, and with the account as a hint.
    public static let claimsRequested = Self(value: .claimsRequested)

    /// There was a refresh token, and the server refused it for good: it was revoked, has ended, or somebody spent it whose
    /// answer was lost. Sign in interactively, with the account as a hint.
    public static let refreshTokenLost = Self(value: .refreshTokenLost)

    /// The server refused to renew without the person, who has to consent or to prove who it is. The refresh token is kept.
    /// Sign in interactively, with the account as a hint.
    public static let renewalRefused = Self(value: .renewalRefused)

    /// The server answered without an access token: it granted none of the scopes. Ask for others, or let the person consent.
    public static let scopesNotGranted = Self(value: .scopesNotGranted)

    /// The account was signed out of this client. Only an interactive sign-in brings it back.
    public static let signedOut = Self(value: .signedOut)

    /// Several accounts have the username. Ask by home account id.
    public static let severalAccounts = Self(value: .severalAccounts)

    /// The server answered with tokens of another account. They are stored under that one, unless this application signed out
    /// of it, and the refresh token that was spent is not spent again for this application. Sign in interactively, with the
    /// account as a hint.
    public static let accountMismatch = Self(value: .accountMismatch)

    /// There is no good token of the application itself, whatever the reason. Acquire one with the client's credentials:
    /// no person is needed.
    public static let applicationTokenMissing = Self(value: .applicationTokenMissing)
}

extension InteractionReason: CustomStringConvertible {
    /// The reason's name, such as `signedOut`: stable across versions, fit for programs.
    public var description: String { value.rawValue }
}
