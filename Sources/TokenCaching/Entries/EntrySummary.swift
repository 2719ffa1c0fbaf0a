package import UnifiedSchema

/// The information about an entry that lists show: everything that distinguishes it, and nothing secret. Times are
/// seconds since 1970.
package struct EntrySummary: Hashable, Sendable {
    package let handle: EntryHandle
    /// The account that the entry belongs to; nil for an entry of an application or of the whole group.
    package let accountHandle: AccountHandle?
    package let kind: CachedEntryKind
    /// The kind of its record.
    package let entryKind: EntryKind
    package let homeAccountID: String?
    /// Its own username, or that of its account.
    package let username: String?
    package let environment: String?
    package let realm: String?
    package let clientID: String?
    package let familyID: String?
    package let scopes: [String]
    /// Folded; nil for any entry except an access token.
    package let tokenType: String?
    package let cachedAt: Int64?
    package let expiresOn: Int64?
    package let extendedExpiresOn: Int64?
    package let refreshOn: Int64?
    package let lastModificationTime: Int64?
    /// The section of the document that it belongs to.
    package let section: String
    /// The number of bytes in the store, sealed.
    package let byteCount: Int
    /// The transaction that wrote it.
    package let sequence: UInt64

    /// Whether it had expired by `now`; nil if it does not expire.
    package func isExpired(at now: Timestamp) -> Bool? {
        times.hasEnded(now.secondsSince1970)
    }

    /// Whether lookups with the default margin ignore it already, although it has not expired.
    package func isInMargin(at now: Timestamp) -> Bool {
        isExpired(at: now) == false && ValidityInterval(times, margin: nil).until <= now.secondsSince1970
    }

    private var times: EntryTimes { EntryTimes(cachedAt: cachedAt, expiresOn: expiresOn) }
}
