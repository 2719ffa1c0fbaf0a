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

    /// The token is kept, because the refusal does not concern it. The refusal of the request is recorded, or that the
    /// server asked for time, and ``TokenCache/renew(_:timeout:redeeming:)`` answers from that record. If it cannot be
    /// written, as on a full disk, only this cache knows. Try the ``RefreshToken/next()`` token, or let the user sign
    /// in; but if the server asked for time, wait.
    public static let kept = Self(value: .kept)

    /// The token is kept, because it is unknown whether it is dead, and a note is recorded that this application does
    /// not redeem it any more. The note is deleted with the token, and when the user signs in. If it cannot be written,
    /// as on a full disk, only this cache knows. Try the ``RefreshToken/next()`` one.
    public static let blocked = Self(value: .blocked)

    /// The token was removed and overwritten on disk, under every key that it was stored under.
    public static let removed = Self(value: .removed)

    /// The token belongs to a family that the application is not in. That is recorded, and the token stays for the
    /// others.
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
