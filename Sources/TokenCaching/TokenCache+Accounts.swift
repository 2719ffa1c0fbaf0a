// SPDX-License-Identifier: Apache-2.0

package import RecordStorage
internal import UnifiedSchema

extension TokenCache {
    /// The accounts that match a filter; by default those that this application is signed in to.
    ///
    /// Returns one account for each home account id, with a profile for each tenant. Entries that older libraries
    /// stored only under a username belong to the account with this username. If an account's sign-in state cannot be
    /// read, a list shows the account as not signed in, and a filter by id or username throws. With an id or a username
    /// only that account is read. Otherwise the first call reads every account of the group (some microseconds each)
    /// and keeps a summary; later calls read only the changes.
    ///
    /// - Parameter filter: every condition that is set must match.
    /// - Returns: the accounts, sorted by id; empty if there are none.
    /// - Throws: ``TokenCacheError/Code/busy`` or ``TokenCacheError/Code/timeout`` if the newest state cannot be read,
    ///   ``TokenCacheError/Code/damaged``, ``TokenCacheError/Code/closed``, ``TokenCacheError/Code/forkedProcess``.
    public func accounts(matching filter: AccountFilter = .signedIn) throws(TokenCacheError) -> [Account] {
        try translating(try engine.accounts(matching: filter, until: engine.newDeadline()))
    }

    /// Passes the accounts in some partitions to `body`, signed in or not. Each comes with the ids of the applications
    /// that are signed in to it: only this application, or all of them.
    ///
    /// - Parameters:
    ///   - partitions: where the accounts are.
    ///   - ofEachClient: whether all applications count, and not only this one.
    ///   - deadline: the deadline of the next read.
    ///   - body: receives one account after another.
    /// - Throws: errors of the store and of `body`.
    package func forEachAccount(
        in partitions: (Deadline) throws(StorageError) -> [PartitionTag],
        ofEachClient: Bool,
        until deadline: () -> Deadline,
        _ body: (Account, [String]) throws(TokenCacheError) -> Void
    ) throws(TokenCacheError) {
        let client = ofEachClient ? nil : UTF8Text(engine.foldedClient)
        // Called first, because it reads the newest state.
        let views = try translating(try AccountViews(engine, client: client, until: deadline()))
        for partition in try translating(try partitions(deadline())) where partition != engine.groupPartition {
            guard let found = try translating(try views.account(in: partition, until: deadline())) else { continue }
            try body(found.account, found.signedInClients)
        }
    }

    /// Returns the account that this application is signed in to, together with the one that was current at the last
    /// call, and records it. For applications that work with one account at a time and react when another application
    /// changes it.
    ///
    /// Only a change is written, and the call then waits for the disk; in a group that cannot be written, the change is
    /// reported again the next time. As long as the cache has no record of its own, it uses the principal account that
    /// MSAL for ObjC recorded.
    ///
    /// ```swift
    /// let account = try cache.currentAccount()
    /// if account.didChange { show(account.current) }
    /// ```
    ///
    /// - Throws: ``TokenCacheError/Code/severalAccounts`` if it is signed in to more than one, and the errors of
    ///   ``accounts(matching:)`` and ``signOut(_:)``.
    public func currentAccount() throws(TokenCacheError) -> CurrentAccount {
        try reporting(.currentAccount, try translating(try engine.currentAccount()))
    }
}
