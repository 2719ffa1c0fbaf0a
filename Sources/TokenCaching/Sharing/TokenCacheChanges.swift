// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import Synchronization

/// The changes that all applications and processes make to a group, as an asynchronous sequence.
///
/// ```swift
/// for try await change in cache.changes() where change.action == .removed {
///     forget(change.accountID)
/// }
/// ```
///
/// Each iterator follows the group independently. It begins with its first ``Iterator/next()``, or with
/// ``Iterator/begin()``, and misses no change from then on. It may report successive changes of one entry between two
/// calls as one. It ends when the cache is closed or the task is cancelled, and keeps the cache open until then.
///
/// To display the current state and keep it up to date, begin before you read:
///
/// ```swift
/// var changes = cache.changes().makeAsyncIterator()
/// try await changes.begin()
/// show(try await cache.accounts())
/// while let change = try await changes.next() { update(for: change) }
/// ```
///
/// A waiting iterator occupies a thread of its own, which is idle. Getting the first element reads the whole group
/// (some microseconds per account).
public struct TokenCacheChanges: AsyncSequence, Sendable {
    /// One change.
    public typealias Element = CacheChange

    /// The errors of opening and reading the group. They end the sequence.
    public typealias Failure = TokenCacheError

    private let cache: TokenCache

    init(_ cache: TokenCache) {
        self.cache = cache
    }

    /// An iterator that has not begun yet. Does no work.
    public func makeAsyncIterator() -> Iterator {
        Iterator(cache)
    }

    /// Returns one change after another.
    public struct Iterator: AsyncIteratorProtocol {
        private enum State {
            case waitingToBegin
            case following(ChangeFeed)
            case ended
        }

        /// Keeps the cache open as long as the iterator exists.
        private let cache: TokenCache
        private var state = State.waitingToBegin
        private var waiting: ArraySlice<CacheChange> = []

        fileprivate init(_ cache: TokenCache) {
            self.cache = cache
        }

        /// Whether it polls every quarter of a second, because the system has no more notifications (inotify instances,
        /// usually 128 per user). False before it has begun.
        public var isPolling: Bool {
            if case .following(let feed) = state { feed.isPeriodic } else { false }
        }

        /// Opens the group a second time, to follow it from now on. Does nothing if it has already begun.
        ///
        /// Waits up to the cache's timeout, without blocking a thread of Swift's pool. ``next()`` begins by itself:
        /// call this only if you need to know that no later change is missed.
        ///
        /// - Throws: errors of opening the group: ``TokenCacheError/Code/closed``, ``TokenCacheError/Code/busy``,
        ///   ``TokenCacheError/Code/timeout``, ``TokenCacheError/Code/forkedProcess``. They end the iterator.
        public mutating func begin() async throws(TokenCacheError) {
            guard case .waitingToBegin = state else { return }
            state = .ended
            let engine = cache.engine
            state = .following(
                try await engine.onPool { () throws(TokenCacheError) in
                    try translating(try engine.makeFeed())
                }
            )
        }

        /// Waits for the next change.
        ///
        /// - Returns: nil once the cache was closed or the task was cancelled.
        /// - Throws: the errors of ``begin()``, ``TokenCacheError/Code/damaged`` and other errors of reading the group.
        ///   They end the iterator.
        public mutating func next() async throws(TokenCacheError) -> CacheChange? {
            if let change = waiting.popFirst() { return change }
            try await begin()
            guard case .following(let feed) = state else { return nil }
            state = .ended
            let read = await Self.read(feed)
            guard let changes = try translating(try read.get()) else { return nil }
            state = .following(feed)
            waiting = changes[...]
            return waiting.popFirst()
        }

        /// The next change, in the caller's isolation. See ``next()``.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(TokenCacheError) -> CacheChange? {
            try await next()
        }

        private static func read(_ feed: ChangeFeed) async -> Result<[CacheChange]?, StorageError> {
            await withTaskCancellationHandler {
                await DedicatedThread.run { Result { () throws(StorageError) in try feed.next() } }
            } onCancel: {
                feed.stop()
            }
        }
    }
}

extension TokenCache {
    /// The changes of the group, from the start of each iteration.
    ///
    /// Does no work and never waits: errors of opening the group are thrown by the iterator.
    public func changes() -> TokenCacheChanges {
        TokenCacheChanges(self)
    }
}
