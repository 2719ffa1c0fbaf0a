/// The user's account, with what each of its tenants knows of it.
///
/// A value as of the moment it was read: it keeps nothing of the cache, and asking it for something never waits. Pass it, or
/// its ``id``, to ``TokenCache/signOut(_:)`` or a ``TokenQuery``.
public struct Account: Hashable, Sendable, Identifiable {
    /// The home account id, as it was stored; for an account without one (of an old library), its username.
    public let id: ID

    /// Whether ``id`` is a home account id. False for an account that an old library stored under its username alone.
    public let hasHomeAccountID: Bool

    /// The username for people, from the home tenant where that is known; empty where none was stored.
    public let username: String

    /// The host of the authority that the account came from, as it was stored.
    public let environment: String

    /// One for each tenant and cloud, the home tenant first.
    public let tenantProfiles: [TenantProfile]

    /// Whether this application is signed in to it: not signed out, and in possession of a token, or of a family
    /// refresh token that it may spend.
    public let isSignedIn: Bool
}

extension Account: CustomStringConvertible, CustomReflectable {
    /// In how many tenants it is known; no identity.
    public var description: String {
        "Account(\(tenantProfiles.count) tenants, \(isSignedIn ? "signed in" : "not signed in"))"
    }

    /// No children: identities of people stay out of logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
