// SPDX-License-Identifier: Apache-2.0

package import GroupRecords
package import RecordStorage
internal import Sealing
internal import Synchronization

/// Reports the changes to a group since the feed was created. It reads the group only when the caller asks for more, so
/// nothing accumulates for a slow reader: successive changes of an entry become one.
package final class ChangeFeed: Sendable {
    private let store: any RecordStore
    private let watch: any ChangeWatch
    /// Held while a caller waits, because each change is reported only once.
    private let image: Mutex<GroupImage>
    private let timeout: Duration
    /// The process that created it.
    private let process = SecretMemory.generation

    /// How long to wait before retrying if the group temporarily could not be read.
    private static let retryInterval: Int64 = 250_000_000

    /// - Parameters:
    ///   - store: any handle on the group; the feed creates its own.
    ///   - codec: opens the records to report.
    ///   - timeout: how long one read may wait for a lock.
    /// - Throws: errors of opening the group again.
    package init(_ store: any RecordStore, codec: RecordCodec, timeout: Duration) throws(StorageError) {
        // Created before the handle: a commit between the two then causes a spurious wake-up instead of being missed.
        watch = store.watchChanges()
        let deadline = Deadline.after(timeout)
        self.store = try store.makeHandle(until: deadline)
        var image = GroupImage(self.store, codec: codec)
        // A store that is not atomic across partitions may read records newer than its last refresh, so the baseline
        // cannot be read later.
        if !store.isAtomicAcrossPartitions { try image.readBaseline(until: deadline) }
        self.image = Mutex(image)
        self.timeout = timeout
    }

    deinit {
        store.close()
    }

    /// Whether the feed polls every 250 ms because it gets no notifications.
    package var isPeriodic: Bool { watch.isPeriodic }

    /// For tests: whether a caller is waiting for changes now.
    var isAsked: Bool { image.withLockIfAvailable { _ in } == nil }

    /// Waits for changes.
    ///
    /// - Returns: at least one change; nil once the feed has been stopped.
    /// - Throws: errors of reading, except `busy` and `timeout`, after which it retries until it is stopped.
    package func next() throws(StorageError) -> [CacheChange]? {
        // When this process was forked, a thread of the parent may have held the mutex.
        guard SecretMemory.isCurrent(process) else { throw StorageError(.forkedProcess) }
        return try image.withLock { image throws(StorageError) in
            while true {
                do throws(StorageError) {
                    let changes = try image.advance(until: .after(timeout))
                    if !changes.isEmpty { return changes }
                } catch {
                    guard error.code == .busy || error.code == .timeout else { throw error }
                    if isStopped.load(ordering: .acquiring) { return nil }
                    Pause.sleep(nanoseconds: Self.retryInterval)
                    continue
                }
                guard watch.wait() else { return nil }
            }
        }
    }

    private let isStopped = Atomic<Bool>(false)

    /// Makes the waiting call return, and every later call return at once.
    package func stop() {
        // A child process must not stop the watch on which its parent waits.
        guard SecretMemory.isCurrent(process) else { return }
        isStopped.store(true, ordering: .releasing)
        watch.stop()
    }
}

extension Engine {
    /// A feed of the changes from now on; it ends when the engine is closed.
    func makeFeed() throws(StorageError) -> ChangeFeed {
        try checkProcess()
        let feed = try ChangeFeed(store, codec: codec, timeout: timeout)
        feeds.withLock { feeds in
            feeds.removeAll { $0.feed == nil }
            feeds.append(WeakFeed(feed: feed))
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
}
