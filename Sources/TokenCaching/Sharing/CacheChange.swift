internal import UnifiedSchema

/// That an entry of the group was added, replaced or removed, by whichever application and process.
///
/// Says which entry, never what is secret in it. Look the token up to get it.
public struct CacheChange: Hashable, Sendable {
    /// What happened to the entry. Changes that follow each other may be told as one. Later versions may tell more apart.
    @nonexhaustive
    public enum Action: String, Hashable, Sendable, CaseIterable {
        /// It was not there before.
        case added
        /// It was there and is another version now: a token was renewed, a profile changed.
        case replaced
        /// It is not there any more.
        case removed
    }

    /// What happened.
    public let action: Action

    /// What the entry is.
    public let kind: CachedEntryKind

    /// What else is known; nil for an entry that cannot be read.
    package let summary: EntrySummary?

    init(_ action: Action, kind: EntryKind, summary: EntrySummary?) {
        self.action = action
        self.kind = CachedEntryKind(kind)
        self.summary = summary
    }

    /// The home account id of the account that it belongs to; nil for what belongs to an application or has no such id.
    public var accountID: Account.ID? { summary?.homeAccountID.map { Account.ID($0) } }

    /// The username of the account, where it is known.
    public var username: String? { summary?.username }

    /// The application that it belongs to, as it was stored; nil for accounts and for entries that cannot be read.
    public var clientID: String? { summary?.clientID }

    /// The host of the authority that issued it, as it was stored.
    public var environment: String? { summary?.environment }

    /// The tenant that issued it, as it was stored; nil where it is of none.
    public var tenant: String? { summary?.realm }

    /// The scopes of an access token; empty for anything else.
    public var scopes: [String] { summary?.scopes ?? [] }
}

extension CacheChange: CustomStringConvertible, CustomReflectable {
    /// What happened to what kind of entry; no identity.
    public var description: String { "CacheChange(\(action.rawValue) \(kind))" }

    /// No children: identities of people stay out of logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
