internal import RecordStorage
internal import Synchronization

extension Engine {
    /// A feed of what changes from now on; it ends when the engine is closed.
    func makeFeed() throws(TokenCacheError) -> ChangeFeed {
        try checkProcess()
        let feed = try storing { () throws(StorageError) in
            try ChangeFeed(store, codec: codec, timeout: timeout)
        }
        feeds.withLock { feeds in
            feeds.removeAll { $0.feed == nil }
            feeds.append(WeakFeed(feed))
        }
        // It may have been closed before the feed was noted.
        if state.withLock({ $0.isClosed }) { feed.stop() }
        return feed
    }

    /// Ends all feeds.
    func stopFeeds() {
        for feed in feeds.withLock({ $0 }) { feed.feed?.stop() }
    }
}

/// A feed as long as somebody listens to it.
struct WeakFeed: Sendable {
    private(set) weak var feed: ChangeFeed?

    init(_ feed: ChangeFeed) {
        self.feed = feed
    }
}
