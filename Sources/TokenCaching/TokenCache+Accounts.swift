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
}
