/// Which accounts are wanted. All that is set must fit; texts are compared without regard to the case of A-Z.
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

    /// The account's id in a tenant: in ``tenant`` where that is set, else in any.
    public var localAccountID: String?

    /// A tenant that the account is known in, as id, domain or path of the issuer, as it was stored.
    public var tenant: String?

    /// Whether accounts count that this application is not signed in to: those it signed out of, and those of other
    /// applications.
    public var includesSignedOut: Bool

    /// A filter; without arguments it is ``signedIn``.
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
    /// Whether signed-out accounts count; no identity.
    public var description: String { "AccountFilter(\(includesSignedOut ? "all" : "signed in"))" }

    /// No children: identities of people stay out of logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
