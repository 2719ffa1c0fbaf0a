// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
public import TokenCaching

extension CacheGroup {
    /// Passes the accounts of the group to `body`, signed in or not, in a stable order.
    ///
    /// Without `clientID`, an account counts as signed in if it is signed in to any application that has tokens of it,
    /// or that the group knows as a member of the family sharing a refresh token of it. Only one account is in memory
    /// at a time; 100,000 accounts take one or two seconds. Omits accounts that cannot be read.
    ///
    /// - Parameters:
    ///   - name: a home account id, a username, or all digits of an account's handle, in any case; nil for
    ///     every account.
    ///   - clientID: the application whose view to use; nil for all applications together.
    ///   - body: is called with each account.
    /// - Throws: `damaged`, `busy`, `closed`, codes about the files or the keyring of the group, and the errors of
    ///   `body`.
    public func forEachAccount(
        named name: String? = nil,
        of clientID: String? = nil,
        _ body: (GroupAccount) throws(TokenCacheError) -> Void
    ) throws(TokenCacheError) {
        let time = newTime()
        let store = try opened.translating(try opened.snapshot(until: time.deadline))
        let listing = EntryListing(store, codec: opened.codec, filter: EntryFilter(account: name))
        let cache = try tokenCache(clientID: clientID ?? "-", on: store)
        defer { cache.close() }
        try cache.forEachAccount(
            in: { (deadline) throws(StorageError) in try listing.accountPartitions(until: deadline) },
            ofEachClient: clientID == nil,
            until: { time.deadline }
        ) { (account, clients) throws(TokenCacheError) in
            try body(GroupAccount(account: account, signedInClients: clients))
            // The time that the caller takes between two accounts does not count.
            time.restart()
        }
    }
}

extension CacheGroup {
    /// The refresh tokens of all applications that signed out, could not revoke them, and may still do so, oldest first.
    ///
    /// - Throws: `damaged`, `busy`, `closed`, codes about the files or the keyring of the group.
    public func pendingRevocations() throws(TokenCacheError) -> [PendingRevocation] {
        let time = newTime()
        return try opened.translating(try pendingRevocations(until: time.deadline))
    }

    func pendingRevocations(until deadline: Deadline) throws(StorageError) -> [PendingRevocation] {
        let store = try opened.snapshot(until: deadline)
        defer { store.close() }
        return try PendingRevocation.all(
            in: try store.contents(of: try opened.codec.groupPartition(), until: deadline),
            codec: opened.codec,
            now: WallClock.system.now().secondsSince1970
        )
    }
}

/// An account of a group, and the applications that are signed in to it.
public struct GroupAccount: Hashable, Sendable {
    /// The account. It counts as signed in if any application is signed in to it.
    public let account: Account
    /// The ids of the applications that can get tokens for it without prompting the user, folded to lower case and
    /// sorted.
    public let signedInClients: [String]
}

extension GroupAccount: CustomStringConvertible, CustomReflectable {
    /// The number of applications; no identity.
    public var description: String { "GroupAccount(\(signedInClients.count) applications)" }

    /// No children, so that identities do not appear in logs.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
