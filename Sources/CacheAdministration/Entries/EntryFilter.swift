// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// Selects entries. Conditions that are nil are ignored; all others must hold.
public struct EntryFilter: Hashable, Sendable {
    /// A home account id, a username, or the first digits (at least four) of an account's handle, in any case.
    public var account: String?
    /// A client id, in any case.
    public var clientID: String?
    /// A tenant, or another realm, in any case.
    public var tenant: String?
    /// Kinds of entries.
    public var kinds: Set<CachedEntryKind>?
    /// Whether access tokens have expired by ``now``. Entries that do not expire never match.
    public var isExpired: Bool?
    /// The time that counts as now.
    public var now: Timestamp

    /// A filter that means what all of these say; without any, every entry.
    public init(
        account: String? = nil,
        clientID: String? = nil,
        tenant: String? = nil,
        kinds: Set<CachedEntryKind>? = nil,
        isExpired: Bool? = nil,
        now: Timestamp = WallClock.system.now()
    ) {
        self.account = account
        self.clientID = clientID
        self.tenant = tenant
        self.kinds = kinds
        self.isExpired = isExpired
        self.now = now
    }

    /// Whether it matches every entry.
    public var isEmpty: Bool {
        account == nil && clientID == nil && tenant == nil && kinds == nil && isExpired == nil
    }
}
