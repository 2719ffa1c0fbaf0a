// SPDX-License-Identifier: Apache-2.0

internal import UnifiedSchema

/// An account's profile in one tenant: a guest has a different object id, and possibly a different username, in each.
///
/// Its claims were decoded from the id token when that was saved. For all claims of the token, see
/// ``TokenCache/claims(for:)``.
public struct TenantProfile: Hashable, Sendable {
    /// The account that it is a profile of.
    public internal(set) var accountID: Account.ID

    /// The tenant, as stored; the home tenant's id for a word that means it, such as `organizations`.
    public let tenant: String

    /// The host of the authority that the profile came from, as stored.
    public let environment: String

    /// The account's id in that tenant; nil if none was stored.
    public let localAccountID: String?

    /// The username in that tenant; nil if none was stored.
    public let username: String?

    /// The display name; nil if none was stored.
    public let name: String?

    /// The given name; nil if none was stored.
    public let givenName: String?

    /// The family name; nil if none was stored.
    public let familyName: String?

    /// The middle name; nil if none was stored.
    public let middleName: String?

    /// Whether it is the account's home tenant.
    public internal(set) var isHome: Bool

    /// Creates a profile, as the library does: for tests and previews of what displays profiles.
    ///
    /// - Parameters:
    ///   - accountID: the account.
    ///   - tenant: the tenant.
    ///   - environment: the host of the authority.
    ///   - localAccountID: the account's id in the tenant.
    ///   - username: the username in the tenant.
    ///   - name: the display name.
    ///   - givenName: the given name.
    ///   - familyName: the family name.
    ///   - middleName: the middle name.
    ///   - isHome: whether it is the account's home tenant.
    public init(
        accountID: Account.ID,
        tenant: String,
        environment: String = "",
        localAccountID: String? = nil,
        username: String? = nil,
        name: String? = nil,
        givenName: String? = nil,
        familyName: String? = nil,
        middleName: String? = nil,
        isHome: Bool = true
    ) {
        self.accountID = accountID
        self.tenant = tenant
        self.environment = environment
        self.localAccountID = localAccountID
        self.username = username
        self.name = name
        self.givenName = givenName
        self.familyName = familyName
        self.middleName = middleName
        self.isHome = isHome
    }
}

extension TenantProfile {
    /// Whether a tenant's id means this profile, in any case, or a word that can be used in place of a tenant does:
    /// `common` means the home tenant, `organizations` and `consumers` that of a work or of a personal account. Without a
    /// home tenant in the account's id, a word means what is stored under it.
    public func isOf(tenant name: String) -> Bool {
        let realms = TenantRealms(
            meantBy: UTF8Text(name).normalized(),
            homeAccountID: UTF8Text(accountID.text).normalized()
        )
        return realms.contains(UTF8Text(tenant).normalized())
    }
}

extension TenantProfile: CustomStringConvertible, CustomReflectable {
    /// Whether it is the home tenant; no identity.
    public var description: String { isHome ? "TenantProfile(home)" : "TenantProfile(guest)" }

    /// No children, so that identities do not appear in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
