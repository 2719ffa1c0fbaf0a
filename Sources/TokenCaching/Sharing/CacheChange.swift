// SPDX-License-Identifier: Apache-2.0

internal import UnifiedSchema

/// An entry of the group that any application or process added, replaced or removed.
///
/// Identifies the entry, without its secrets. Look up the token to get it.
public struct CacheChange: Hashable, Sendable {
    /// What happened to the entry. Successive changes may be reported as one. Later versions may distinguish more.
    @nonexhaustive
    public enum Action: String, Hashable, Sendable, CaseIterable {
        /// It did not exist before.
        case added
        /// It was replaced by another version: a token was renewed, a profile changed.
        case replaced
        /// It no longer exists.
        case removed
    }

    /// What happened.
    public let action: Action

    /// The kind of entry.
    public let kind: CachedEntryKind

    /// A summary of the entry; nil if the entry cannot be read.
    public let entry: EntrySummary?

    init(_ action: Action, kind: EntryKind, entry: EntrySummary?) {
        self.action = action
        self.kind = CachedEntryKind(kind)
        self.entry = entry
    }

    /// The home account id of its account; nil for an entry of an application, or without such an id.
    public var accountID: Account.ID? { entry?.accountID }

    /// The username of the account, if it is known.
    public var username: String? { entry?.username }

    /// The application that it belongs to, as stored; nil for accounts and for entries that cannot be read.
    public var clientID: String? { entry?.clientID }

    /// The host of the authority that issued it, as stored.
    public var environment: String? { entry?.environment }

    /// The tenant that issued it, as stored; nil if it belongs to none.
    public var tenant: String? { entry?.tenant }

    /// The scopes of an access token; empty for anything else.
    public var scopes: [String] { entry?.scopes ?? [] }
}

extension CacheChange: CustomStringConvertible, CustomReflectable {
    /// The action and the kind of entry; no identity.
    public var description: String { "CacheChange(\(action.rawValue) \(kind))" }

    /// No children, so that identities do not appear in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
