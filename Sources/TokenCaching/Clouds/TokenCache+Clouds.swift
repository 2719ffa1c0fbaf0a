extension TokenCache {
    /// Takes in what instance discovery says of clouds, beside what is known already.
    ///
    /// From then on hosts of one cloud count as one in lookups, lists, saves and imports. Prepared queries see it at
    /// their next use. It is stored in the group for 24 hours, for all its processes; a cache that took it in knows it until it
    /// is closed. Cheap where nothing is news; otherwise accounts are read again at their next use.
    ///
    /// - Parameter clouds: of a server that you trust.
    /// - Throws: ``TokenCacheError/Code/malformedDocument`` where it would make two clouds one: then nothing of it is taken in;
    ///   and what every call that writes may throw: then other processes do not know it.
    public func learn(_ clouds: CloudMetadata) throws(TokenCacheError) {
        try engine.learn(clouds.clouds)
    }
}
