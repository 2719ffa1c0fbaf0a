// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

// What programs in other languages need that Swift programs get from options and threads.
extension TokenCache {
    /// Makes a call that may wait for this long, instead of for the timeout of the cache.
    ///
    /// - Parameters:
    ///   - timeout: how long; nil for the timeout of the cache.
    ///   - call: calls one function of a cache, on this thread.
    /// - Returns: the result of the call.
    /// - Throws: the error of the call.
    package static func within<Result>(
        _ timeout: Duration?,
        _ call: () throws(TokenCacheError) -> Result
    ) throws(TokenCacheError) -> Result {
        guard let timeout else { return try call() }
        var result: Swift.Result<Result, TokenCacheError>?
        Engine.$timeOfQueuedCall.withValue(WaitingTime(timeout)) {
            result = Swift.Result { () throws(TokenCacheError) in try call() }
        }
        guard let result else { throw TokenCacheError(.cancelled) }
        return try result.get()
    }

    /// Compacts the group's file if it would pay off. Only for a cache that starts no threads.
    ///
    /// - Throws: `busy` if another thread or process is compacting, `full`, `readOnly`, `closed`, `forkedProcess`.
    package func maintain() throws(TokenCacheError) {
        try translating(try engine.checkProcess())
        guard let maintainedFile else { return }
        try translating(try maintainedFile.compactIfWorthIt(until: engine.newDeadline()))
    }
}
