internal import RecordStorage
internal import UnifiedSchema

extension TokenCache {
    /// The accounts that fit a filter; by default those that this application is signed in to.
    ///
    /// One account for each home account id, with a profile for each tenant. With an id or a username only that account
    /// is read. Otherwise the first call reads every account of the group (some microseconds each) and keeps the gist;
    /// later calls read what changed.
    ///
    /// - Parameter filter: all that is set must fit.
    /// - Returns: the accounts in the order of their ids; empty where there is none.
    /// - Throws: ``TokenCacheError/Code/busy`` or ``TokenCacheError/Code/timeout`` where the newest state cannot be read,
    ///   ``TokenCacheError/Code/damaged``, ``TokenCacheError/Code/closed``, ``TokenCacheError/Code/forkedProcess``.
    public func accounts(matching filter: AccountFilter = .signedIn) throws(TokenCacheError) -> [Account] {
        try engine.accounts(matching: filter)
    }

    /// Signs this application out of an account: removes its tokens of the account in all tenants and clouds and
    /// overwrites them on disk.
    ///
    /// From then on the account is not listed as signed in, and silent requests for it are refused, until the next
    /// interactive sign-in is saved. Other applications stay signed in; a refresh token that is shared by a family of
    /// applications goes with the last of them.
    ///
    /// Signing out of an account that is not there is no error: a renewal that is under way is refused all the same.
    ///
    /// - Parameter account: as it was listed or saved.
    /// - Throws: ``TokenCacheError/Code/busy``, ``TokenCacheError/Code/readOnly``,
    ///   ``TokenCacheError/Code/indeterminate``, ``TokenCacheError/Code/closed``. A full disk does not keep anybody signed
    ///   in.
    public func signOut(_ account: Account) throws(TokenCacheError) {
        let removal = try removal(of: account)
        let items = LegacyRemoval(codec: engine.codec, client: engine.foldedClient)
        try engine.change { (transaction) throws(TokenCacheError) in
            try storing { () throws(StorageError) in
                try removal.signOut(&transaction)
                try items.remove(accountIn: removal.partition, &transaction)
            }
        }
    }

    /// Removes everything that any application has of an account, and the account itself, and overwrites it on disk.
    ///
    /// - Parameter account: as it was listed or saved.
    /// - Throws: as ``signOut(_:)``.
    public func wipe(_ account: Account) throws(TokenCacheError) {
        let removal = try removal(of: account)
        let items = LegacyRemoval(codec: engine.codec, client: nil)
        try engine.change { (transaction) throws(TokenCacheError) in
            try storing { () throws(StorageError) in
                try removal.wipe(&transaction)
                try items.remove(accountIn: removal.partition, &transaction)
            }
        }
    }

    /// Removes everything that any application has in the group and overwrites it on disk. Only the note stays that this
    /// was done, when, and by which application.
    ///
    /// - Throws: as ``signOut(_:)``.
    public func clear() throws(TokenCacheError) {
        let now = engine.clock.now().secondsSince1970
        let (client, group) = (engine.foldedClient, engine.groupPartition)
        try engine.change { (transaction) throws(TokenCacheError) in
            try storing { () throws(StorageError) in
                try transaction.removeAll()
                try transaction.noteRemoval(.group, by: client, at: now, group: group)
            }
        }
    }

    private func removal(of account: Account) throws(TokenCacheError) -> AccountRemoval {
        let folded = UTF8Text(account.id).normalized()
        guard !folded.isEmpty else { throw TokenCacheError(.invalidRequest, detail: "the account has no id") }
        let partition = try storing { () throws(StorageError) in
            account.homeAccountID == nil
                ? try engine.codec.partition(ofUsername: folded.bytes)
                : try engine.codec.partition(ofAccount: folded.bytes)
        }
        return AccountRemoval(
            partition: partition,
            account: folded.string,
            codec: engine.codec,
            clouds: engine.clouds,
            client: engine.foldedClient,
            group: engine.groupPartition,
            now: engine.clock.now().secondsSince1970
        )
    }
}
