/// What became of a refresh token that the server refused.
///
/// Later versions may add consequences: a `switch` needs a `default`.
public struct RefusalConsequence: Hashable, Sendable {
    private let value: Value

    private enum Value: String, Sendable {
        case kept
        case blocked
        case removed
        case leftFamily
        case superseded
        case signedOut
    }

    /// The token is kept: the refusal says nothing against it. What was asked for is noted as refused, or the server as one that
    /// wants to be left alone, and ``TokenCache/renew(_:timeout:spending:)`` answers by that note. Where it cannot be written, as on
    /// a full disk, only this cache knows. Try the ``RefreshToken/next()`` token, or let the person sign in; but where the server wants
    /// to be left alone, wait.
    public static let kept = Self(value: .kept)

    /// The token is kept, and noted as one that this application spends no more: nobody knows whether it is dead. The note goes
    /// with the token, and when the person signs in. Where it cannot be written, as on a full disk, only this cache knows. Try the
    /// ``RefreshToken/next()`` one.
    public static let blocked = Self(value: .blocked)

    /// The token was removed and overwritten on disk, under every key that it was stored under.
    public static let removed = Self(value: .removed)

    /// The token belongs to a family that the application is not in. That is noted, and the token stays for the others.
    public static let leftFamily = Self(value: .leftFamily)

    /// The account does not exist any more: this application was signed out of it, as by ``TokenCache/signOut(_:)``.
    public static let signedOut = Self(value: .signedOut)

    /// Another token has taken its place meanwhile. Ask the cache again.
    public static let superseded = Self(value: .superseded)
}

extension RefusalConsequence: CustomStringConvertible {
    /// The name, such as `removed`: stable across versions, fit for programs.
    public var description: String { value.rawValue }
}
