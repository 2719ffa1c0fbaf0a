// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import Synchronization

extension Engine {
    /// A feed of the changes from now on; it ends when the engine is closed.
    func makeFeed() throws(StorageError) -> ChangeFeed {
        try checkProcess()
        let feed = try ChangeFeed(store, codec: codec, timeout: timeout)
        feeds.withLock { feeds in
            feeds.removeAll { $0.feed == nil }
            feeds.append(WeakFeed(feed))
        }
        // The engine may have been closed before the feed was registered.
        if state.withLock({ $0.isClosed }) { feed.stop() }
        return feed
    }

    /// Ends all feeds.
    func stopFeeds() {
        for feed in feeds.withLock({ $0 }) { feed.feed?.stop() }
    }
}

/// A weak reference to a feed, which lives as long as its listener.
struct WeakFeed: Sendable {
    private(set) weak var feed: ChangeFeed?

    init(_ feed: ChangeFeed) {
        self.feed = feed
    }
}
