// SPDX-License-Identifier: Apache-2.0

extension TokenCache {
    /// Makes a call, and reports it to the event handler.
    func reporting<Result: ~Copyable>(
        _ kind: CacheEvent.Kind,
        _ call: @autoclosure () throws(TokenCacheError) -> Result
    ) throws(TokenCacheError) -> Result {
        try Self.reporting(kind, to: onEvent, try call())
    }

    /// The same for a call that opens a cache.
    @inline(__always)
    static func reporting<Result: ~Copyable>(
        _ kind: CacheEvent.Kind,
        to onEvent: (@Sendable (CacheEvent) -> Void)?,
        _ call: @autoclosure () throws(TokenCacheError) -> Result
    ) throws(TokenCacheError) -> Result {
        guard let onEvent else { return try call() }
        let start = ContinuousClock.now
        do throws(TokenCacheError) {
            let result = try call()
            onEvent(CacheEvent(kind, duration: start.duration(to: .now), errorCode: nil))
            return result
        } catch {
            onEvent(CacheEvent(kind, duration: start.duration(to: .now), errorCode: error.code))
            throw error
        }
    }

    /// The same for a call that suspends.
    nonisolated(nonsending) func reporting<Result>(
        _ kind: CacheEvent.Kind,
        _ call: nonisolated(nonsending) () async throws(TokenCacheError) -> Result
    ) async throws(TokenCacheError) -> Result {
        guard let onEvent else { return try await call() }
        let start = ContinuousClock.now
        do throws(TokenCacheError) {
            let result = try await call()
            onEvent(CacheEvent(kind, duration: start.duration(to: .now), errorCode: nil))
            return result
        } catch {
            onEvent(CacheEvent(kind, duration: start.duration(to: .now), errorCode: error.code))
            throw error
        }
    }
}
