// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
public import TokenCaching

extension CacheGroup {
    /// Starts watching the group for changes by any application and process.
    ///
    /// - Returns: the watch. It opens the store a second time and continues after the group is closed.
    /// - Throws: the errors of opening the group again.
    public func watch() throws(TokenCacheError) -> GroupWatch {
        try opened.translating(try makeWatch())
    }

    private func makeWatch() throws(StorageError) -> GroupWatch {
        try opened.checkProcess()
        return GroupWatch(try ChangeFeed(opened.store, codec: opened.codec, timeout: timeout))
    }
}

/// Reports the changes of a group, from the moment the watch was created, to a thread that waits for them.
///
/// Changes do not pile up if the thread is slow: successive changes of one entry are reported as one. Applications
/// iterate over `TokenCache.changes()` instead, which does not block their threads.
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

    /// Whether the watch polls every quarter of a second because the system has no inotify instances left.
    public var isPolling: Bool { feed.isPeriodic }

    /// Waits on the calling thread until the group changes or the watch is stopped.
    ///
    /// - Returns: at least one change; nil after the watch was stopped.
    /// - Throws: the errors of reading the group, except `busy` and `timeout`: then the watch tries again until it is
    ///   stopped.
    public func next() throws(TokenCacheError) -> [CacheChange]? { try translating(try feed.next()) }

    /// Stops the watch: ``next()`` returns nil, now and later. May be called from any thread.
    public func stop() { feed.stop() }
}
