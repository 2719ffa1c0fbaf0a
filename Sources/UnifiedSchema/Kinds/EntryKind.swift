// SPDX-License-Identifier: Apache-2.0

/// The kind of an entry in the unified schema.
///
/// The numbers are stored in records on disk: they never change and are never reused. Numbers from 128 on belong to
/// internal records.
package enum EntryKind: UInt8, Hashable, Sendable, CaseIterable {
    case accessToken = 1
    case refreshToken = 2
    case idToken = 3
    case account = 4
    case appMetadata = 5
    /// An access token that its SDK marked by its type string as bound to a key (proof of possession, SSH certificate).
    /// Other SDKs use ``accessToken`` and distinguish only by `token_type`.
    case accessTokenWithAuthScheme = 6
    /// The refresh token of a family, stored once for all of its members.
    case familyRefreshToken = 7
    case primaryRefreshToken = 8
    /// A refresh token bound to a device.
    case boundRefreshToken = 9
    case v1IDToken = 10
    /// Sign-in states and the principal account of one client.
    case accountMetadata = 11
    /// An ADAL item that contains an access token, a refresh token, or both.
    case legacySingleResourceToken = 12
    /// An entry that is preserved and exported but not understood: all of it counts as secret.
    case opaque = 127
}

extension EntryKind {
    /// Added to the number of a credential's kind, in facts and records, if its secret is no token: if it is not text,
    /// or has characters that no token has.
    static let withoutToken: UInt8 = 64

    /// Whether the number in facts or of a record may be that of a credential without a token.
    @inlinable
    package static func mayLackToken(_ storedNumber: UInt8) -> Bool { (65...126).contains(storedNumber) }

    /// The kind that the number in facts or of a record stands for; nil if it is unknown, or of an internal record.
    package init?(storedNumber: UInt8) {
        if let kind = EntryKind(rawValue: storedNumber) {
            self = kind
        } else {
            let number = storedNumber ^ EntryKind.withoutToken
            guard number < EntryKind.withoutToken, let kind = EntryKind(rawValue: number), kind.isCredential else {
                return nil
            }
            self = kind
        }
    }

    /// The value of `credential_type`; nil for kinds that are not credentials.
    package var typeString: UTF8Text? {
        switch self {
        case .accessToken: "AccessToken"
        case .refreshToken: "RefreshToken"
        case .idToken: "IdToken"
        case .accessTokenWithAuthScheme: "AccessToken_With_AuthScheme"
        case .familyRefreshToken: "FamilyRefreshToken"
        case .primaryRefreshToken: "PrimaryRefreshToken"
        case .boundRefreshToken: "BoundRefreshToken"
        case .v1IDToken: "V1IdToken"
        case .legacySingleResourceToken: "LegacySingleResourceToken"
        case .account, .appMetadata, .accountMetadata, .opaque: nil
        }
    }

    /// The kind that a `credential_type` names, in any case; nil if it is unknown.
    package init?(typeString: UTF8Text) {
        switch typeString.normalized() {
        // MSAL.NET's name for an access token with extended key components.
        case "accesstoken", "atext": self = .accessToken
        case "refreshtoken": self = .refreshToken
        case "idtoken": self = .idToken
        case "accesstoken_with_authscheme": self = .accessTokenWithAuthScheme
        case "familyrefreshtoken": self = .familyRefreshToken
        case "primaryrefreshtoken": self = .primaryRefreshToken
        case "boundrefreshtoken": self = .boundRefreshToken
        case "v1idtoken": self = .v1IDToken
        case "legacysingleresourcetoken": self = .legacySingleResourceToken
        default: return nil
        }
    }

    /// The type code of keychain items, for kinds whose code does not depend on the entry.
    package var typeCode: Int? {
        switch self {
        case .accessToken: 2001
        case .refreshToken: 2002
        case .idToken: 2003
        case .legacySingleResourceToken: 2004
        case .primaryRefreshToken: 2005
        case .v1IDToken: 2006
        case .accessTokenWithAuthScheme: 2007
        case .familyRefreshToken: 2008
        case .boundRefreshToken: 2009
        case .appMetadata: 3001
        case .accountMetadata: 5001
        case .account, .opaque: nil
        }
    }

    /// Whether entries of the kind contain a token.
    package var isCredential: Bool { typeString != nil }

    @inlinable package var isAccessToken: Bool { self == .accessToken || self == .accessTokenWithAuthScheme }

    @inlinable package var isIDToken: Bool { self == .idToken || self == .v1IDToken }

    /// Whether this is a refresh token that is not bound to a device key.
    @inlinable package var isPlainRefreshToken: Bool { self == .refreshToken || self == .familyRefreshToken }

    /// Whether the token can be redeemed for new ones.
    package var isRefreshToken: Bool {
        switch self {
        case .refreshToken, .familyRefreshToken, .primaryRefreshToken, .boundRefreshToken: true
        default: false
        }
    }
}
