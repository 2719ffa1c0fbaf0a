/// An account as one tenant knows it: a guest has another object id, and may have another username, in each.
///
/// What it says of the person was decoded from the id token when that was saved. All that the token says is in ``claims``.
public struct TenantProfile: Hashable, Sendable {
    /// The tenant, as it was stored.
    public let tenant: String

    /// The host of the authority that the profile came from, as it was stored.
    public let environment: String

    /// The account's id in that tenant; nil where none was stored.
    public let localAccountID: String?

    /// The username in that tenant; empty where none was stored.
    public let username: String

    /// The name for people; nil where none was stored.
    public let name: String?

    /// The given name; nil where none was stored.
    public let givenName: String?

    /// The family name; nil where none was stored.
    public let familyName: String?

    /// The middle name; nil where none was stored.
    public let middleName: String?

    /// Whether it is the tenant that the account is at home in.
    public internal(set) var isHome: Bool

    /// Where the claims are to be had.
    let origin: ProfileOrigin
}

extension TenantProfile {
    /// What the id token says that this application got from this tenant. It is looked up and decoded when you ask, some
    /// microseconds each time; listing accounts reads no id token.
    ///
    /// ```swift
    /// let roles = try profile.claims?.texts("roles")
    /// ```
    ///
    /// - Returns: nil where this application has no id token of the account from the tenant (it may know the account
    ///   through another application, or through an older library), where it signed out of the account, for a token of
    ///   another shape, and for a profile that was not listed by a cache.
    /// - Throws: as ``TokenCache/idToken(for:)``.
    public var claims: IDTokenClaims? {
        get throws(TokenCacheError) { try origin.claims(tenant: tenant, environment: environment) }
    }
}

extension TenantProfile: CustomStringConvertible, CustomReflectable {
    /// Whether it is the home tenant; no identity.
    public var description: String { isHome ? "TenantProfile(home)" : "TenantProfile(guest)" }

    /// No children: identities of people stay out of logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
