internal import RecordStorage
internal import Synchronization

/// The changes of a group, one after the other, whichever application and process makes them.
///
/// ```swift
/// for try await change in cache.changes() where change.action == .removed {
///     forget(change.accountID)
/// }
/// ```
///
/// Each iterator follows the group by itself. It begins with its first ``Iterator/next()``, or with ``Iterator/begin()``;
/// from then on nothing is missed. Changes of one entry that follow each other while nobody asks may be told as one. It ends
/// when the cache is closed or the task is cancelled, and keeps the cache open until then.
///
/// To show what there is and keep it up to date, begin before you read:
///
/// ```swift
/// var changes = cache.changes().makeAsyncIterator()
/// try await changes.begin()
/// show(try await cache.accounts())
/// while let change = try await changes.next() { update(for: change) }
/// ```
///
/// An iterator that waits holds a thread of its own, which does nothing. The first element costs a reading of the whole group
/// (some microseconds an account).
public struct TokenCacheChanges: AsyncSequence, Sendable {
    /// One change.
    public typealias Element = CacheChange

    /// What opening and reading the group may throw. The sequence ends with it.
    public typealias Failure = TokenCacheError

    private let cache: TokenCache

    init(_ cache: TokenCache) {
        self.cache = cache
    }

    /// An iterator that has not begun yet. Does no work.
    public func makeAsyncIterator() -> Iterator {
        Iterator(cache)
    }

    /// Tells one change after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private enum State {
            case waitingToBegin
            case following(ChangeFeed)
            case ended
        }

        /// Kept open as long as somebody iterates.
        private let cache: TokenCache
        private var state = State.waitingToBegin
        private var waiting: ArraySlice<CacheChange> = []

        fileprivate init(_ cache: TokenCache) {
            self.cache = cache
        }

        /// Whether it looks for changes every quarter of a second, because the system has nothing left to be woken with (inotify
        /// instances, usually 128 per user). False before it has begun.
        public var isPolling: Bool {
            if case .following(let feed) = state { feed.isPeriodic } else { false }
        }

        /// Opens the group a second time, to follow it from now on. Does nothing where that was done.
        ///
        /// Waits up to the cache's timeout, without blocking a thread of Swift's pool. ``next()`` does this by itself: call it where
        /// you have to know that no later change is missed.
        ///
        /// - Throws: what opening the group meets: ``TokenCacheError/Code/closed``, ``TokenCacheError/Code/busy``,
        ///   ``TokenCacheError/Code/timeout``, ``TokenCacheError/Code/forkedProcess``. Then the iterator has ended.
        public mutating func begin() async throws(TokenCacheError) {
            guard case .waitingToBegin = state else { return }
            state = .ended
            let engine = cache.engine
            state = .following(try await engine.onPool { () throws(TokenCacheError) in try engine.makeFeed() })
        }

        /// The next change; waits for it.
        ///
        /// - Returns: nil where the cache was closed or the task was cancelled, and from then on.
        /// - Throws: as ``begin()``, ``TokenCacheError/Code/damaged`` and what else reading the group meets. Then the iterator has
        ///   ended.
        public mutating func next() async throws(TokenCacheError) -> CacheChange? {
            if let change = waiting.popFirst() { return change }
            try await begin()
            guard case .following(let feed) = state else { return nil }
            state = .ended
            guard let changes = try await Self.changes(of: feed) else { return nil }
            state = .following(feed)
            waiting = changes[...]
            return waiting.popFirst()
        }

        /// The next change, wherever the caller is isolated. As ``next()``.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(TokenCacheError) -> CacheChange? {
            try await next()
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
}

extension TokenCache {
    /// The changes of the group, from the moment that they are iterated over.
    ///
    /// Does no work and never waits: what opening the group meets is thrown to whoever iterates.
    public func changes() -> TokenCacheChanges {
        TokenCacheChanges(self)
    }
}
