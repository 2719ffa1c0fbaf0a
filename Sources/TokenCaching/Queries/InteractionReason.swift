/// Why a token cannot be had without the person, or at all, from what is stored.
///
/// Later versions may add reasons: a `switch` needs a `default`.
public struct InteractionReason: Hashable, Sendable {
    private let value: Value

    private enum Value: String, Sendable {
        case accountUnknown
        case refreshTokenMissing
        case signedOut
        case severalAccounts
        case applicationTokenMissing
    }

    /// Nothing is stored for that account. Sign in interactively.
    public static let accountUnknown = Self(value: .accountUnknown)

    /// The account is known, but there is neither a good access token nor a refresh token that this client may spend.
    /// Sign in interactively, with the account as a hint.
    public static let refreshTokenMissing = Self(value: .refreshTokenMissing)

    /// The account was signed out of this client. Only an interactive sign-in brings it back.
    public static let signedOut = Self(value: .signedOut)

    /// Several accounts have the username. Ask by home account id.
    public static let severalAccounts = Self(value: .severalAccounts)

    /// There is no good token of the application itself. Acquire one with the client's credentials: no person is needed.
    public static let applicationTokenMissing = Self(value: .applicationTokenMissing)
}

extension InteractionReason: CustomStringConvertible {
    /// The reason's name, such as `signedOut`: stable across versions, fit for programs.
    public var description: String { value.rawValue }
}
