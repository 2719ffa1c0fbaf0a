extension TokenCache {
    /// The accounts that fit a filter; by default those that this application is signed in to.
    ///
    /// One account for each home account id, with a profile for each tenant. What older libraries stored under a username
    /// alone counts to the account that has this username. An account of which nobody can tell any more whether it was
    /// signed out is listed as not signed in; asked for by name, it throws. With an id or a username only that account
    /// is read. Otherwise the first call reads every account of the group (some microseconds each) and keeps the gist;
    /// later calls read what changed.
    ///
    /// - Parameter filter: all that is set must fit.
    /// - Returns: the accounts in the order of their ids; empty where there is none.
    /// - Throws: ``TokenCacheError/Code/busy`` or ``TokenCacheError/Code/timeout`` where the newest state cannot be read,
    ///   ``TokenCacheError/Code/damaged``, ``TokenCacheError/Code/closed``, ``TokenCacheError/Code/forkedProcess``.
    public func accounts(matching filter: AccountFilter = .signedIn) throws(TokenCacheError) -> [Account] {
        try engine.accounts(matching: filter, until: engine.newDeadline())
    }

    /// The account that this application is signed in to, and the one that was current when this was asked last: for
    /// applications that work with one account at a time and follow when another application changes it.
    ///
    /// Notes the account where it changed, which waits for the disk; where nothing can be written, the change is told
    /// again the next time. Without a note of its own it goes by the principal account that MSAL for ObjC noted.
    ///
    /// ```swift
    /// let account = try cache.currentAccount()
    /// if account.didChange { show(account.current) }
    /// ```
    ///
    /// - Throws: ``TokenCacheError/Code/severalAccounts`` where it is signed in to more than one, and as
    ///   ``accounts(matching:)`` and ``signOut(_:)``.
    public func currentAccount() throws(TokenCacheError) -> CurrentAccount {
        try engine.currentAccount()
    }
}
