internal import RecordStorage

extension TokenCache {
    /// Signs this application out of an account: removes its tokens of the account in all tenants and clouds and
    /// overwrites them on disk.
    ///
    /// From then on the account is not listed as signed in, and silent requests for it are refused, until the next
    /// interactive sign-in is saved. Other applications stay signed in; a refresh token that is shared by a family of
    /// applications goes with the last of them. What older libraries stored under the account's username goes too.
    ///
    /// Signing out of an account that is not there is no error: a renewal that is under way is refused all the same.
    ///
    /// - Parameter account: as it was listed or saved.
    /// - Throws: ``TokenCacheError/Code/busy``, ``TokenCacheError/Code/timeout``, ``TokenCacheError/Code/readOnly``,
    ///   ``TokenCacheError/Code/indeterminate``, ``TokenCacheError/Code/closed``, ``TokenCacheError/Code/outOfMemory``,
    ///   ``TokenCacheError/Code/forkedProcess``, and ``TokenCacheError/Code/full`` only where overwriting takes room: on btrfs,
    ///   other copy-on-write file systems, and files with shared blocks.
    public func signOut(_ account: Account) throws(TokenCacheError) {
        try engine.signOut(of: try AccountName(account))
    }

    /// Signs this application out of the account with this id, as ``signOut(_:)`` does. The account need not be known.
    ///
    /// - Parameter accountID: an ``Account/id``: a home account id, or the username of an account without one.
    /// - Throws: as ``signOut(_:)``, and ``TokenCacheError/Code/invalidRequest`` for a blank id.
    public func signOut(accountID: Account.ID) throws(TokenCacheError) {
        try engine.signOut(of: try AccountName(accountID, .either))
    }

    /// Removes everything that any application has of an account, and the account itself, and overwrites it on disk.
    /// Every application that had something of it is signed out of it.
    ///
    /// - Parameter account: as it was listed or saved.
    /// - Throws: as ``signOut(_:)``.
    public func wipe(_ account: Account) throws(TokenCacheError) {
        try engine.wipe(try AccountName(account))
    }

    /// Removes everything that any application has of the account with this id, as ``wipe(_:)`` does.
    ///
    /// - Parameter accountID: as for ``signOut(accountID:)``.
    /// - Throws: as ``signOut(accountID:)``.
    public func wipe(accountID: Account.ID) throws(TokenCacheError) {
        try engine.wipe(try AccountName(accountID, .either))
    }

    /// Removes everything that any application has in the group and overwrites it on disk. Only the note stays that this
    /// was done, when, and by which application.
    ///
    /// - Throws: as ``signOut(_:)``.
    public func clear() throws(TokenCacheError) {
        let now = engine.clock.now().secondsSince1970
        let (client, group) = (engine.foldedClient, engine.groupPartition)
        try engine.change(until: engine.newDeadline()) { (transaction) throws(TokenCacheError) in
            try storing { () throws(StorageError) in
                try transaction.removeAll()
                try transaction.noteRemoval(.group, by: client, at: now, group: group)
            }
        }
    }

    /// What was removed last in the group, when, and by which application: the first thing to look at where tokens that
    /// were there are gone.
    ///
    /// - Returns: nil where nothing was ever removed on purpose. Tokens that were replaced or had ended do not count.
    /// - Throws: as ``accounts(matching:)``.
    public func lastRemoval() throws(TokenCacheError) -> RemovalRecord? {
        try engine.removalRecord(of: nil)
    }

    /// When all of an account was removed last, and by which application.
    ///
    /// - Parameter accountID: as for ``signOut(accountID:)``.
    /// - Returns: nil where the account was never wiped, and where the group was cleared since.
    /// - Throws: as ``accounts(matching:)``, and ``TokenCacheError/Code/invalidRequest`` for a blank id.
    public func lastWipe(accountID: Account.ID) throws(TokenCacheError) -> RemovalRecord? {
        try engine.removalRecord(of: try AccountName(accountID, .either))
    }
}
