// SPDX-License-Identifier: Apache-2.0

public import TokenCaching

/// Selects entries. Conditions that are nil are ignored; all others must hold.
public struct EntryFilter: Hashable, Sendable {
    /// A home account id, a username, or all digits of an account's handle, in any case. A username may be that of several
    /// accounts.
    public var account: String?
    /// A client id, in any case.
    public var clientID: String?
    /// A tenant, or another realm, in any case.
    public var tenant: String?
    /// Kinds of entries.
    public var kinds: Set<CachedEntryKind>?
    /// Whether to select access tokens that have expired by ``now``, or those that have not. Other entries never match.
    public var isExpired: Bool?
    /// The time that counts as now: for ``isExpired``, and as the time of removal that ``CacheGroup/clear(matching:progress:)``
    /// records.
    public var now: Timestamp

    /// Creates a filter from conditions that must all hold; without any, every entry matches.
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
