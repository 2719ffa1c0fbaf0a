// SPDX-License-Identifier: Apache-2.0

/// Why no token can be obtained without the user, or at all.
///
/// Later versions may add reasons: a `switch` needs a `default`.
public struct InteractionReason: Hashable, Sendable {
    package let value: Value

    private init(value: Value) {
        self.value = value
    }

    package enum Value: String, CaseIterable, Sendable {
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

    /// Nothing is stored for this account. Sign in interactively.
    public static let accountUnknown = Self(value: .accountUnknown)

    /// The account is known, but this client may redeem none of the stored refresh tokens, and no access token matches
    /// the query (or the query ignores it because of ``TokenQueryOptions/forceRefresh``). Sign in interactively, with
    /// the account as a hint.
    public static let refreshTokenMissing = Self(value: .refreshTokenMissing)

    /// Every access token that matches the query has expired (or its times cannot be trusted), and this client may
    /// redeem none of the stored refresh tokens. Sign in interactively, with the account as a hint.
    public static let tokensExpired = Self(value: .tokensExpired)

    /// A resource requested claims, which rules out every stored access token, and this client may redeem none of the
    /// stored refresh tokens. Sign in interactively with these claims, and with the account as a hint.
    public static let claimsRequested = Self(value: .claimsRequested)

    /// The server permanently refused the refresh token: it was revoked, has expired, or was redeemed by a request
    /// whose response was lost. Sign in interactively, with the account as a hint.
    public static let refreshTokenLost = Self(value: .refreshTokenLost)

    /// The server refused to renew without the user, who has to consent or to authenticate again. The refresh token is
    /// kept. Sign in interactively, with the account as a hint.
    public static let renewalRefused = Self(value: .renewalRefused)

    /// The server granted none of the scopes, so that its response had no access token; or some of them were not granted
    /// when the user signed in, so that the server would refuse a renewal with them. Request others, or let the user
    /// consent.
    public static let scopesNotGranted = Self(value: .scopesNotGranted)

    /// This client signed out of the account. Only an interactive sign-in brings it back.
    public static let signedOut = Self(value: .signedOut)

    /// Several accounts have this username, and neither the rest of the query nor sign-ins select one. Query by home
    /// account id: ``TokenCache/diagnosis(of:)`` lists the accounts with what tells them apart.
    public static let severalAccounts = Self(value: .severalAccounts)

    /// The server responded with tokens of another account. They are not stored, and the redeemed refresh token is not
    /// redeemed again for this application. Sign in interactively, with the account as a hint.
    public static let accountMismatch = Self(value: .accountMismatch)

    /// No valid app-only token is available, whatever the reason. Acquire one with the client's credentials: no user is
    /// needed.
    public static let applicationTokenMissing = Self(value: .applicationTokenMissing)
}

extension InteractionReason: CustomStringConvertible {
    /// The reason's name, such as `signedOut`: stable across versions and suitable for programs.
    public var name: String { value.rawValue }

    /// The same as ``name``.
    public var description: String { name }
}
