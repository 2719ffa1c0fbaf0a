package import GroupRecords
package import RecordStorage
internal import Sealing
internal import Synchronization

/// Tells what changes in a group from the moment that it was made on. Reads the group when it is asked for more, so that
/// nothing piles up for one who is slow: successive changes of an entry become one.
package final class ChangeFeed: Sendable {
    private let store: any RecordStore
    private let watch: any ChangeWatch
    /// Held while one waits: changes are told once.
    private let image: Mutex<GroupImage>
    private let timeout: Duration
    /// The process that made it.
    private let process = SecretMemory.generation

    /// How long it waits to try again where the group could not be read for the moment.
    private static let retryInterval: Int64 = 250_000_000

    /// - Parameters:
    ///   - store: any handle on the group; the feed makes one of its own.
    ///   - codec: opens what is to be told.
    ///   - timeout: how long one reading may wait for a lock.
    /// - Throws: what opening the group once more meets.
    package init(_ store: any RecordStore, codec: RecordCodec, timeout: Duration) throws(StorageError) {
        // Before the handle: what is committed between the two wakes for nothing rather than not at all.
        watch = store.watchChanges()
        let deadline = Deadline.after(timeout)
        self.store = try store.makeHandle(until: deadline)
        var image = GroupImage(self.store, codec: codec)
        // Such a store may read what is newer than its last refresh: later would be too late.
        if !store.isAtomicAcrossPartitions { try image.readBaseline(until: deadline) }
        self.image = Mutex(image)
        self.timeout = timeout
    }

    deinit {
        store.close()
    }

    /// Whether nothing wakes it, so that it looks every 250 ms.
    package var isPeriodic: Bool { watch.isPeriodic }

    /// Whether somebody waits for changes now.
    var isAsked: Bool { image.withLockIfAvailable { _ in } == nil }

    /// Waits for changes.
    ///
    /// - Returns: at least one change; nil once the feed was stopped.
    /// - Throws: what reading meets, but `busy` and `timeout`: then it tries again until it is stopped.
    package func next() throws(TokenCacheError) -> [CacheChange]? {
        // A thread of the parent may have held the mutex when this process was forked.
        guard SecretMemory.isCurrent(process) else { throw TokenCacheError(.forkedProcess) }
        return try image.withLock { image throws(TokenCacheError) in
            while true {
                do throws(StorageError) {
                    let changes = try image.advance(until: .after(timeout))
                    if !changes.isEmpty { return changes }
                } catch {
                    guard error.code == .busy || error.code == .timeout else { throw TokenCacheError(error) }
                    if isStopped.load(ordering: .acquiring) { return nil }
                    Pause.sleep(nanoseconds: Self.retryInterval)
                    continue
                }
                guard watch.wait() else { return nil }
            }
        }
    }

    private let isStopped = Atomic<Bool>(false)

    /// Lets whoever waits return, now and from now on.
    package func stop() {
        isStopped.store(true, ordering: .releasing)
        watch.stop()
    }
}
