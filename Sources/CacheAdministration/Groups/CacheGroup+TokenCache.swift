// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
public import TokenCaching

extension CacheGroup {
    /// Returns the group as one application sees it: its accounts, and the result of a silent request.
    ///
    /// The cache uses the group's open store, and keeps the group alive. Closing the group closes the store for both;
    /// closing the cache leaves the group open.
    ///
    /// - Parameters:
    ///   - clientID: the application, as it is registered.
    ///   - options: clock, timeout and clouds; by default the timeout of the group. If the group shares a timeout, the
    ///     cache shares it too, unless options are given.
    /// - Returns: the cache.
    /// - Throws: `invalidRequest` for a blank client id, `malformedDocument` for clouds that would join two,
    ///   `forkedProcess`.
    public func tokenCache(
        clientID: String,
        options: TokenCacheOptions? = nil
    ) throws(TokenCacheError) -> TokenCache {
        try translating(try opened.checkProcess())
        return try TokenCache(
            store: opened.store,
            unlockedKeys: opened.unlockedKeys,
            clientID: clientID,
            options: options ?? TokenCacheOptions(timeout: timeout),
            sharing: options == nil ? sharedTime : nil,
            owner: self,
            location: opened.location
        )
    }
}
