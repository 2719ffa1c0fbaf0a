// SPDX-License-Identifier: Apache-2.0

package import UnifiedSchema

/// What lists show of an entry: all its identifying fields, and no secret.
public struct EntrySummary: Hashable, Sendable {
    /// The handle of the entry.
    public let handle: EntryHandle
    /// The account that the entry belongs to; nil for entries of an application or of the whole group.
    public let accountHandle: AccountHandle?
    /// The kind of entry.
    public let kind: CachedEntryKind
    /// Whether it is an access token of the application itself, not of a person. A token without a home account id is a
    /// person's if `openid` or `offline_access` was granted, if a service obtained it on behalf of a user, or if a refresh
    /// token, id token or account without an id stands beside it in the same cloud.
    public let isApplicationToken: Bool
    /// The kind, as the entry's record stores it.
    package let entryKind: EntryKind
    /// The home account id; nil if the entry has none.
    public let accountID: Account.ID?
    /// The username of the entry, or of its account.
    public let username: String?
    /// The host of the authority that issued it, as stored.
    public let environment: String?
    /// The tenant or other realm that issued it, as stored; nil if it belongs to none.
    public let tenant: String?
    /// The application that it belongs to, as stored; nil for accounts.
    public let clientID: String?
    /// The family of applications that share it; nil if it belongs to none.
    public let familyID: String?
    /// The scopes of an access token; empty for anything else.
    public let scopes: [String]
    /// The type of an access token, in lowercase, usually `bearer`. Nil for anything else.
    public let tokenType: String?
    /// When the entry was stored; nil if that was not recorded.
    public let cachedAt: Timestamp?
    /// When the token expires; nil for entries that do not expire, or if that was not recorded.
    public let expiresOn: Timestamp?
    /// When the token's extended lifetime ends: until then it may be used while the server cannot be reached. Nil if
    /// the server did not say.
    public let extendedExpiresOn: Timestamp?
    /// When the server wants the token to be renewed; nil if the server did not say.
    public let refreshOn: Timestamp?
    /// When the entry was last changed; nil if that was not recorded.
    public let lastModificationTime: Timestamp?
    /// Whether it contains a token. False for entries other than tokens, and for secrets that are missing, blank, or not
    /// ones that a token can be, which no lookup uses.
    public let hasToken: Bool
    /// The section of the cache document that contains it, such as `AccessToken`.
    public let section: String
    /// Its sealed size in the store, in bytes.
    public let byteCount: Int
    /// The number of the transaction that wrote it; newer versions have higher numbers.
    public let sequence: UInt64

    /// Whether it had expired by `now`; nil for entries that do not expire.
    public func isExpired(at now: Timestamp) -> Bool? {
        times.hasEnded(now.secondsSince1970)
    }

    /// Whether lookups with the default margin already treat it as expired, although it has not expired yet.
    public func isInExpirationMargin(at now: Timestamp) -> Bool {
        isExpired(at: now) == false && ValidityInterval(times, margin: nil).until <= now.secondsSince1970
    }

    /// Whether the token's times allow lookups with the default margin to return it: it has neither expired nor is
    /// about to, and its times can be trusted. Nil for entries that do not expire.
    public func isUsable(at now: Timestamp) -> Bool? {
        entryKind.isAccessToken ? hasToken && ValidityInterval(times, margin: nil).contains(now.secondsSince1970) : nil
    }

    private var times: EntryTimes {
        EntryTimes(cachedAt: cachedAt?.secondsSince1970, expiresOn: expiresOn?.secondsSince1970)
    }
}

extension EntrySummary: CustomStringConvertible, CustomReflectable {
    /// The kind of entry, without any identity.
    public var description: String { "EntrySummary(\(kind))" }

    /// No children, so that personal data does not appear in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
