// SPDX-License-Identifier: Apache-2.0

/// A filter for accounts. Every condition that is set must match; strings are compared without regard to the case of
/// A-Z.
///
/// ```swift
/// let mine = try cache.accounts(matching: .signedIn)
/// let ann = try cache.accounts(matching: AccountFilter(username: "ann@contoso.com"))
/// ```
public struct AccountFilter: Hashable, Sendable {
    /// The ``Account/id`` of the account.
    public var id: Account.ID?

    /// The username in any tenant.
    public var username: String?

    /// The account's id in a tenant: in ``tenant`` if that is set, otherwise in any.
    public var localAccountID: String?

    /// A tenant that the account has a profile in, as an id, domain or path of the issuer, as stored; or a word for one, see
    /// ``TenantProfile/isOf(tenant:)``.
    public var tenant: String?

    /// Whether to include accounts that this application is not signed in to: those that it signed out of, and those of
    /// other applications.
    public var includesSignedOut: Bool

    /// Creates a filter; without arguments it is ``signedIn``.
    public init(
        id: Account.ID? = nil,
        username: String? = nil,
        localAccountID: String? = nil,
        tenant: String? = nil,
        includesSignedOut: Bool = false
    ) {
        self.id = id
        self.username = username
        self.localAccountID = localAccountID
        self.tenant = tenant
        self.includesSignedOut = includesSignedOut
    }

    /// Every account that this application is signed in to.
    public static let signedIn = AccountFilter()

    /// Every account of the group.
    public static let all = AccountFilter(includesSignedOut: true)
}

extension AccountFilter: CustomStringConvertible, CustomReflectable {
    /// Whether signed-out accounts are included; no identity.
    public var description: String { "AccountFilter(\(includesSignedOut ? "all" : "signed in"))" }

    /// No children, so that identities do not appear in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
