internal import Synchronization

/// The changes of a group, one after the other, whichever application and process makes them.
///
/// ```swift
/// for try await change in cache.changes where change.action == .removed {
///     forget(change.homeAccountID)
/// }
/// ```
///
/// Begins where it was got from the cache. Nothing is missed; changes of one entry that follow each other while nobody asks
/// may be told as one. It ends when the cache is closed or the task is cancelled. Meant for one consumer: several share the
/// elements. While it waits it holds a thread of its own and does nothing; the first element costs a reading of the whole
/// group (some microseconds an account).
public struct TokenCacheChanges: AsyncSequence, Sendable {
    /// One change.
    public typealias Element = CacheChange

    /// What reading the group may throw. The sequence ends with it.
    public typealias Failure = TokenCacheError

    private let feed: Result<ChangeFeed, TokenCacheError>

    init(_ feed: Result<ChangeFeed, TokenCacheError>) {
        self.feed = feed
    }

    /// Whether the system has nothing left to be woken with (inotify instances, 128 per user as a rule): changes then come
    /// up to a quarter of a second late.
    public var isPeriodic: Bool { (try? feed.get().isPeriodic) ?? false }

    /// An iterator that tells what nobody was told yet.
    public func makeAsyncIterator() -> Iterator {
        Iterator(feed: feed)
    }

    /// Tells one change after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private let feed: Result<ChangeFeed, TokenCacheError>
        private var waiting: ArraySlice<CacheChange> = []

        fileprivate init(feed: Result<ChangeFeed, TokenCacheError>) {
            self.feed = feed
        }

        /// The next change; waits for it.
        ///
        /// - Returns: nil where the cache was closed or the task was cancelled.
        /// - Throws: ``TokenCacheError/Code/damaged`` and what else reading the group meets.
        public mutating func next() async throws(TokenCacheError) -> CacheChange? {
            if let change = waiting.popFirst() { return change }
            let feed = try feed.get()
            let changes = try await TokenCacheChanges.changes(of: feed)
            waiting = changes.map { $0[...] } ?? []
            return waiting.popFirst()
        }

        /// The next change, wherever the caller is isolated. As ``next()``.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(TokenCacheError) -> CacheChange? {
            try await next()
        }
    }

    private static func changes(of feed: ChangeFeed) async throws(TokenCacheError) -> [CacheChange]? {
        let result = await withTaskCancellationHandler {
            do throws(TokenCacheError) {
                let changes = try await DedicatedThread.run { () throws(TokenCacheError) in try feed.next() }
                return Result<[CacheChange]?, TokenCacheError>.success(changes)
            } catch {
                return .failure(error)
            }
        } onCancel: {
            feed.stop()
        }
        return try result.get()
    }
}

extension TokenCache {
    /// The changes of the group from now on.
    ///
    /// Each use of this property begins a sequence of its own, which opens the group a second time.
    public var changes: TokenCacheChanges {
        TokenCacheChanges(engine.makeFeed())
    }
}
