internal import RecordStorage
public import TokenCaching

extension CacheGroup {
    /// The group as one application sees it: its accounts, and what a silent request would get.
    ///
    /// It reads what the group has open. Keep the group as long as you use it: closing the group, or giving it up, closes the cache.
    /// Closing the cache leaves the group open.
    ///
    /// - Parameters:
    ///   - clientID: the application, as it is registered.
    ///   - options: clock and clouds; without them those of the system. Where the group shares a timeout, the cache shares it, too.
    /// - Returns: the cache.
    /// - Throws: `invalidRequest` for a blank client id, `malformedDocument` for clouds that would join two, `forkedProcess`.
    public func tokenCache(
        clientID: String,
        options: TokenCacheOptions? = nil
    ) throws(TokenCacheError) -> TokenCache {
        try storing { () throws(StorageError) in try opened.checkProcess() }
        return try TokenCache(
            store: opened.store,
            keyring: opened.keyring,
            clientID: clientID,
            options: options ?? TokenCacheOptions(timeout: timeout),
            sharing: sharedTime,
            closesStore: false,
            location: opened.location
        )
    }
}
