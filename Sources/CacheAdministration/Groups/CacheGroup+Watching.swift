internal import RecordStorage
package import TokenCaching

extension CacheGroup {
    /// A feed of the group's changes from now on. Ends when it is stopped.
    package func watch() throws(TokenCacheError) -> ChangeFeed {
        try storing { () throws(StorageError) in
            try ChangeFeed(opened.store, codec: opened.codec, timeout: timeout)
        }
    }
}
