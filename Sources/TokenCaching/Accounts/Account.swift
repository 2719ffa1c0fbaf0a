// SPDX-License-Identifier: Apache-2.0

/// A user's account, with its profiles in each tenant.
///
/// A value as of the moment it was read: it retains nothing of the cache, and accessing it never waits. Pass it, or its
/// ``id``, to ``TokenCache/signOut(_:)`` or a ``TokenQuery``.
public struct Account: Hashable, Sendable, Identifiable {
    /// The home account id, as stored; for an account without one (stored by an old library), its username.
    public let id: ID

    /// Whether ``id`` is a home account id. False for an account that an old library stored only under its username.
    public let hasHomeAccountID: Bool

    /// The username to display, from the home tenant if that is known; nil if none was stored.
    public let username: String?

    /// The host of the authority that the account came from, as stored.
    public let environment: String

    /// The profiles, one for each tenant and cloud, the home tenant first.
    public let tenantProfiles: [TenantProfile]

    /// Whether this application is signed in to the account: it has not signed out, and it has a token, or a family
    /// refresh token that it may redeem.
    public let isSignedIn: Bool

    /// Creates an account, as the library does: for tests and previews of what displays accounts.
    ///
    /// - Parameters:
    ///   - id: the home account id.
    ///   - hasHomeAccountID: whether `id` is one.
    ///   - username: the username to display.
    ///   - environment: the host of the authority.
    ///   - tenantProfiles: the profiles, the home tenant's first.
    ///   - isSignedIn: whether the application is signed in.
    public init(
        id: ID,
        hasHomeAccountID: Bool = true,
        username: String? = nil,
        environment: String = "",
        tenantProfiles: [TenantProfile] = [],
        isSignedIn: Bool = true
    ) {
        self.id = id
        self.hasHomeAccountID = hasHomeAccountID
        self.username = username
        self.environment = environment
        self.tenantProfiles = tenantProfiles
        self.isSignedIn = isSignedIn
    }
}

extension Account: CustomStringConvertible, CustomReflectable {
    /// The number of profiles; no identity.
    public var description: String {
        "Account(\(tenantProfiles.count) tenants, \(isSignedIn ? "signed in" : "not signed in"))"
    }

    /// No children, so that identities do not appear in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
