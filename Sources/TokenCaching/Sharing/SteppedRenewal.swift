// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import Synchronization

/// A renewal whose caller asks the token endpoint between two calls, and not in a closure: for languages whose runtime
/// cannot wait in a callback.
///
/// Otherwise like ``TokenCache/renewSynchronously(_:timeout:redeeming:)``, whose steps it makes. If it is released
/// unfinished, the next caller renews.
package final class SteppedRenewal: Sendable {
    private let run: RenewalRun
    private let subject = Mutex<RefreshToken?>(nil)

    /// Begins. Call ``advance()`` next.
    ///
    /// - Parameters:
    ///   - query: the query.
    ///   - cache: the cache.
    ///   - timeout: how long to wait for other callers.
    package init(_ query: TokenQuery, in cache: TokenCache, timeout: Duration) {
        run = RenewalRun(cache.engine, query, deadline: .after(timeout))
    }

    deinit {
        run.end()
    }

    /// The refresh token to redeem now; nil if the renewal has ended.
    package var token: RefreshToken? { subject.withLock { $0 } }

    /// Waits for other callers.
    ///
    /// - Returns: the result; nil if ``token`` is to be redeemed, and ``finish(_:)`` to be called.
    package func advance() throws(TokenCacheError) -> TokenResult? {
        try ending { () throws(StorageError) in try proceed() }
    }

    /// Processes the response to ``token``.
    ///
    /// - Returns: the result; nil if another token is to be redeemed.
    /// - Throws: `renewalFailed` if there is no token to redeem, and the errors of a renewal, which end it.
    package func finish(_ outcome: RenewalOutcome) throws(TokenCacheError) -> TokenResult? {
        guard token != nil else { throw TokenCacheError(.renewalFailed) }
        return try ending { () throws(StorageError) in
            if let settled = try run.consequence(of: .success(outcome)) { return settled }
            return try proceed()
        }
    }

    /// Ends it without a result.
    package func cancel() {
        subject.withLock { $0 = nil }
        run.end()
    }

    private func proceed() throws(StorageError) -> TokenResult? {
        switch try run.nextStepAfterWaiting() {
        case .finished(let result): return result
        case .redeem(let token):
            subject.withLock { $0 = token }
            return nil
        }
    }

    private func ending(
        _ step: () throws(StorageError) -> TokenResult?
    ) throws(TokenCacheError) -> TokenResult? {
        do throws(StorageError) {
            guard let result = try step() else { return nil }
            cancel()
            return result
        } catch {
            cancel()
            throw TokenCacheError(error, saying: run.lastResponse)
        }
    }
}
