package import TokenCaching

/// Which entries are meant. What is nil does not count; the rest must all be true.
package struct EntryFilter: Hashable, Sendable {
    /// A home account id, a username, or the first digits (four at least) of an account's handle. Case does not count.
    package var account: String?
    /// A client id. Case does not count.
    package var client: String?
    /// A tenant, or another realm. Case does not count.
    package var tenant: String?
    /// Kinds of entries.
    package var kinds: Set<CachedEntryKind>?
    /// Whether access tokens have expired by ``now``. Entries that do not expire are never meant.
    package var isExpired: Bool?
    /// What counts as now.
    package var now: Timestamp

    package init(
        account: String? = nil,
        client: String? = nil,
        tenant: String? = nil,
        kinds: Set<CachedEntryKind>? = nil,
        isExpired: Bool? = nil,
        now: Timestamp = WallClock.system.now()
    ) {
        self.account = account
        self.client = client
        self.tenant = tenant
        self.kinds = kinds
        self.isExpired = isExpired
        self.now = now
    }

    /// Whether it means every entry.
    package var isEmpty: Bool {
        account == nil && client == nil && tenant == nil && kinds == nil && isExpired == nil
    }
}
