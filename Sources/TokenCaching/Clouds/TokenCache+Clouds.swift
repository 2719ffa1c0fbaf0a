extension TokenCache {
    /// Takes in what instance discovery says of clouds, beside what is known already.
    ///
    /// From then on hosts of one cloud count as one in lookups, lists and saves of this cache. Prepared queries see it at
    /// their next use. What is learnt is not stored: tell each cache that you open, with
    /// ``TokenCacheOptions/clouds`` or here. Cheap where nothing is news; otherwise accounts are read again at their next
    /// use.
    ///
    /// - Parameter clouds: of a server that you trust.
    public func learn(_ clouds: CloudMetadata) {
        engine.learn(clouds.clouds)
    }
}
