// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// Selects entries. Conditions that are nil are ignored; all others must hold.
public struct EntryFilter: Hashable, Sendable {
    /// A home account id, a username, or all digits of an account's handle, in any case. A username may be that of several
    /// accounts.
    public var account: String?
    /// A client id, in any case.
    public var clientID: String?
    /// A tenant or another realm, in any case. A word such as `common` selects what it means for the account of each entry.
    public var tenant: String?
    /// Kinds of entries.
    public var kinds: Set<CachedEntryKind>?
    /// A condition on the expiry of access tokens. Other entries do not match it, because they do not expire.
    public var expiry: Expiry?

    /// When access tokens expire. Later versions may have more.
    @nonexhaustive
    public enum Expiry: Hashable, Sendable {
        /// By this time, so the token has expired then.
        case expired(by: Timestamp)
        /// Later, so the token has not expired at this time.
        case unexpired(at: Timestamp)
    }

    /// Creates a filter from conditions that must all hold; without any, every entry matches.
    public init(
        account: String? = nil,
        clientID: String? = nil,
        tenant: String? = nil,
        kinds: Set<CachedEntryKind>? = nil,
        expiry: Expiry? = nil
    ) {
        self.account = account
        self.clientID = clientID
        self.tenant = tenant
        self.kinds = kinds
        self.expiry = expiry
    }

    /// Whether it matches every entry.
    public var isEmpty: Bool {
        account == nil && clientID == nil && tenant == nil && kinds == nil && expiry == nil
    }
}
