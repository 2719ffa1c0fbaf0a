package import UnifiedSchema

/// What lists show of an entry: everything that tells it from others, nothing secret. Times are seconds since 1970.
package struct EntrySummary: Hashable, Sendable {
    package let handle: EntryHandle
    /// The account that the entry belongs to; nil for what belongs to an application or to the group as a whole.
    package let accountHandle: AccountHandle?
    package let kind: CachedEntryKind
    /// The number that its record has.
    package let entryKind: EntryKind
    package let homeAccountID: String?
    /// Its own, or that of the account that it belongs to.
    package let username: String?
    package let environment: String?
    package let realm: String?
    package let clientID: String?
    package let familyID: String?
    package let scopes: [String]
    /// Folded; nil for what is no access token.
    package let tokenType: String?
    package let cachedAt: Int64?
    package let expiresOn: Int64?
    package let extendedExpiresOn: Int64?
    package let refreshOn: Int64?
    package let lastModificationTime: Int64?
    /// The section of the document that it stands in.
    package let section: String
    /// Bytes that it takes in the store, sealed.
    package let byteCount: Int
    /// The transaction that wrote it.
    package let sequence: UInt64

    /// Whether it had expired by `now`; nil for what does not expire.
    package func isExpired(at now: Timestamp) -> Bool? {
        times.hasEnded(now.secondsSince1970)
    }

    /// Whether lookups that name no margin pass it over already, though it has not expired.
    package func isInMargin(at now: Timestamp) -> Bool {
        isExpired(at: now) == false && ValidityInterval(times, margin: nil).until <= now.secondsSince1970
    }

    private var times: EntryTimes { EntryTimes(cachedAt: cachedAt, expiresOn: expiresOn) }
}
