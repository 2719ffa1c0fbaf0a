// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// Keeps every other caller of the group from redeeming a refresh token, until it is released.
package final class RenewalHold: Sendable {
    private let lease: any StoreLease

    fileprivate init(_ lease: any StoreLease) {
        self.lease = lease
    }

    deinit { release() }

    /// Lets others redeem the token. Further calls have no effect.
    package func release() { lease.release() }
}

extension RefreshToken {
    /// Waits until nobody redeems this token, and holds it.
    ///
    /// - Parameter timeout: how long to wait.
    /// - Returns: nil if the token was replaced or removed meanwhile.
    /// - Throws: `renewalBusy` if another caller is still redeeming it at the timeout, and the errors of a lookup.
    nonisolated(nonsending) package func held(within timeout: Duration) async throws(TokenCacheError) -> RenewalHold? {
        let deadline = ContinuousClock.now + timeout
        while true {
            let hold = try await answer.engine.onPool { () throws(TokenCacheError) in
                try translating(try self.takeLease().map { RenewalHold($0) })
            }
            if let hold {
                let isStored = try await answer.engine.onPool { () throws(TokenCacheError) in
                    try translating(try self.isStored())
                }
                return isStored ? hold : nil
            }
            guard ContinuousClock.now < deadline else { throw TokenCacheError(.renewalBusy) }
            do { try await Task.sleep(for: .milliseconds(10)) } catch { throw TokenCacheError(.cancelled) }
        }
    }

    /// - Returns: nil if another caller holds the lease.
    private func takeLease() throws(StorageError) -> (any StoreLease)? {
        let engine = answer.engine
        let secret = KnownSecret(try answer.facts.openToken(of: Int(row)))
        return try engine.freeLease(try engine.leaseNumber(of: secret))
    }

    private func isStored() throws(StorageError) -> Bool {
        let engine = answer.engine
        let freshness = try engine.freshen(ClockReading.now(engine.clock), until: engine.newDeadline())
        return try engine.facts(of: stored.partition, freshness).index(of: stored) != nil
    }
}
