// SPDX-License-Identifier: Apache-2.0

/// What the cache did with a refresh token that the server refused.
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

    /// The token is kept, because the refusal does not concern it. The cache records that the server refused the
    /// request, or asked for time, and ``TokenCache/renew(_:timeout:redeeming:)`` answers from that record. If the
    /// record cannot be written, as on a full disk, only this cache remembers it. Try the ``RefreshToken/next()``
    /// token, or let the user sign in; but if the server asked for time, wait.
    public static let kept = Self(value: .kept)

    /// The token is kept, because the server did not say whether it is dead. The cache records that this application
    /// must not redeem it again, and deletes the record with the token or when the user signs in. If the record cannot
    /// be written, as on a full disk, only this cache remembers it. Try the ``RefreshToken/next()`` token.
    public static let blocked = Self(value: .blocked)

    /// The token was removed and overwritten on disk, under every key that it was stored under.
    public static let removed = Self(value: .removed)

    /// The token belongs to a family that this application is not in. The cache records that, and keeps the token for
    /// the family.
    public static let leftFamily = Self(value: .leftFamily)

    /// The account no longer exists: this application was signed out of it, as by ``TokenCache/signOut(_:)``.
    public static let signedOut = Self(value: .signedOut)

    /// Another token replaced it in the meantime. Query the cache again.
    public static let superseded = Self(value: .superseded)
}

extension RefusalConsequence: CustomStringConvertible {
    /// The name, such as `removed`: stable across versions and suitable for programs.
    public var name: String { value.rawValue }

    /// The same as ``name``.
    public var description: String { name }
}
