internal import RecordStorage
public import TokenCaching

extension CacheGroup {
    /// Follows the group's changes from now on, whichever application and process changes it.
    ///
    /// - Returns: what tells the changes. It has a handle of its own on the group, and goes on where the group is closed.
    /// - Throws: what opening the group once more meets.
    public func watch() throws(TokenCacheError) -> GroupWatch {
        try storing { () throws(StorageError) in
            try opened.checkProcess()
            return GroupWatch(try ChangeFeed(opened.store, codec: opened.codec, timeout: timeout))
        }
    }
}

/// Tells what changes in a group from the moment that it was made on, to a thread that waits for it.
///
/// Nothing piles up for one who is slow: changes of one entry that follow each other become one. Applications iterate over
/// `TokenCache.changes()` instead, which holds up no thread of theirs.
///
/// ```swift
/// let watch = try group.watch()
/// while let changes = try watch.next() {
///     for change in changes { print(change) }
/// }
/// ```
public final class GroupWatch: Sendable {
    private let feed: ChangeFeed

    fileprivate init(_ feed: ChangeFeed) {
        self.feed = feed
    }

    /// Whether it looks for changes every quarter of a second, because the system has nothing left to be woken with.
    public var isPolling: Bool { feed.isPeriodic }

    /// Waits for changes, on the calling thread and without end.
    ///
    /// - Returns: at least one change; nil once the watch was stopped.
    /// - Throws: what reading the group meets, but `busy` and `timeout`: then it tries again until it is stopped.
    public func next() throws(TokenCacheError) -> [CacheChange]? { try translating(try feed.next()) }

    /// Lets whoever waits return, now and from now on. May be called from any thread.
    public func stop() { feed.stop() }
}
