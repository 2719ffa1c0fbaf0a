extension TokenCache {
    /// Takes in what instance discovery says of clouds, beside what is known already.
    ///
    /// From then on hosts of one cloud count as one in lookups, lists, saves and imports. Prepared queries see it at
    /// their next use. It is stored in the group for 24 hours, for all its processes; a cache that took it in knows it until it
    /// is closed.
    ///
    /// It waits for the group's file or the keyring, by the cache's timeout: to read what is stored, and to write where that lacks
    /// something or is more than twelve hours old. Where it is news to this cache, accounts are read again at their next use.
    ///
    /// - Parameter clouds: of a server that you trust.
    /// - Throws: ``TokenCacheError/Code/malformedDocument`` where it would make two clouds one: then nothing of it is taken in;
    ///   and what every call that reads or writes may throw: then this cache knows it all the same, and other processes do not.
    public func learn(_ clouds: CloudMetadata) throws(TokenCacheError) {
        try engine.learn(clouds.clouds)
    }
}
