/// An account as one tenant knows it: a guest has another object id, and may have another username, in each.
///
/// What it says of the user was decoded from the id token when that was saved. ``TokenCache/claims(for:)`` has all that the token
/// says.
public struct TenantProfile: Hashable, Sendable {
    /// The account that it is a profile of.
    public internal(set) var accountID: Account.ID

    /// The tenant, as it was stored.
    public let tenant: String

    /// The host of the authority that the profile came from, as it was stored.
    public let environment: String

    /// The account's id in that tenant; nil if none was stored.
    public let localAccountID: String?

    /// The username in that tenant; empty where none was stored.
    public let username: String

    /// The name for people; nil if none was stored.
    public let name: String?

    /// The given name; nil if none was stored.
    public let givenName: String?

    /// The family name; nil if none was stored.
    public let familyName: String?

    /// The middle name; nil if none was stored.
    public let middleName: String?

    /// Whether it is the tenant that the account is at home in.
    public internal(set) var isHome: Bool
}

extension TenantProfile: CustomStringConvertible, CustomReflectable {
    /// Whether it is the home tenant; no identity.
    public var description: String { isHome ? "TenantProfile(home)" : "TenantProfile(guest)" }

    /// No children: identities of people stay out of logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
