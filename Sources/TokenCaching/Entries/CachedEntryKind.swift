// SPDX-License-Identifier: Apache-2.0

package import UnifiedSchema

/// The kind of a stored entry, with the names used in the documents of other libraries.
public struct CachedEntryKind: Hashable, Sendable {
    /// The name, stable across versions and suitable for programs: `AccessToken`, `Account`, `other`.
    public let name: String
    /// Its position in listings.
    private let order: UInt8

    package init(_ kind: EntryKind) {
        name =
            switch kind {
            case .account: "Account"
            case .appMetadata: "AppMetadata"
            case .accountMetadata: "AccountMetadata"
            case .opaque: "other"
            default: kind.typeString?.string ?? "other"
            }
        order = kind.rawValue
    }
}

extension CachedEntryKind {
    /// A bearer access token.
    public static let accessToken = Self(.accessToken)
    /// An access token that is bound to a key: proof of possession, SSH.
    public static let boundAccessToken = Self(.accessTokenWithAuthScheme)
    /// A refresh token of one client.
    public static let refreshToken = Self(.refreshToken)
    /// A refresh token that the clients of a family share.
    public static let familyRefreshToken = Self(.familyRefreshToken)
    /// An id token.
    public static let idToken = Self(.idToken)
    /// An account in one tenant.
    public static let account = Self(.account)
    /// A client's metadata: its family.
    public static let appMetadata = Self(.appMetadata)
    /// A client's records about its accounts: which are signed in, and by which authority.
    public static let accountMetadata = Self(.accountMetadata)
    /// An entry that this version preserves without knowing its kind.
    public static let other = Self(.opaque)
}

extension CachedEntryKind: CaseIterable {
    /// All kinds in their usual order, including kinds that only other libraries write.
    public static let allCases = EntryKind.allCases.map { Self($0) }.sorted()
}

extension CachedEntryKind: Comparable, CustomStringConvertible {
    /// The usual order of sections: tokens first, then accounts, then unknown entries.
    public static func < (left: CachedEntryKind, right: CachedEntryKind) -> Bool { left.order < right.order }

    /// The same as ``name``.
    public var description: String { name }
}
