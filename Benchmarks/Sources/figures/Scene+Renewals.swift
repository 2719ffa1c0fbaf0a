// SPDX-License-Identifier: Apache-2.0

import Operations
import TokenCaching

/// What the renewal of a token that is good costs beside a lookup.
extension Scene {
    private static let rounds = 1_000_000

    func measureRenewals() async throws {
        let cache = try open()
        let query = query(count / 2)
        _ = try await cache.token(for: query)
        let lookup = try await Self.median { try Self.lookUp(query, in: cache) }
        let synchronous = try await Self.median { try Self.renewSynchronously(query, in: cache) }
        let actor = RenewingActor(cache: cache, query: query)
        let fromActor = try await Self.median { try await actor.renew(rounds: Self.rounds) }
        let fromPool = try await Self.median { try await Self.renew(query, in: cache, rounds: Self.rounds) }
        report(
            "renewal of a good token, over a lookup",
            "\((synchronous - lookup).rounded(to: 1)) ns synchronously, \((fromActor - lookup).rounded(to: 1)) ns from an "
                + "actor, \((fromPool - lookup).rounded(to: 1)) ns from Swift's pool; the lookup itself "
                + "\(lookup.rounded(to: 1)) ns"
        )
    }

    /// Nanoseconds of one round of `body`, which does ``rounds`` of them: the median of seven, after one that does not count.
    private static func median(_ body: () async throws -> Void) async throws -> Double {
        var times: [Double] = []
        for _ in 0...7 {
            let watch = Stopwatch()
            try await body()
            times.append(watch.seconds)
        }
        return Array(times.dropFirst()).median / Double(rounds) * 1e9
    }

    private static func lookUp(_ query: TokenQuery, in cache: TokenCache) throws {
        for _ in 0..<rounds {
            guard case .valid = try cache.token(for: query) else { throw UnexpectedOutcome(operation: "lookup") }
        }
    }

    private static func renewSynchronously(_ query: TokenQuery, in cache: TokenCache) throws {
        for _ in 0..<rounds {
            guard case .valid = try cache.renewSynchronously(query, redeeming: { _ in .unavailable }) else {
                throw UnexpectedOutcome(operation: "renewal")
            }
        }
    }

    @concurrent
    private static func renew(_ query: TokenQuery, in cache: TokenCache, rounds: Int) async throws {
        for _ in 0..<rounds {
            guard case .valid = try await cache.renew(query, redeeming: { _ in .unavailable }) else {
                throw UnexpectedOutcome(operation: "renewal")
            }
        }
    }
}

/// Somebody who renews from an actor of its own, as applications do.
private actor RenewingActor {
    private let cache: TokenCache
    private let query: TokenQuery

    init(cache: TokenCache, query: TokenQuery) {
        self.cache = cache
        self.query = query
    }

    func renew(rounds: Int) async throws {
        for _ in 0..<rounds {
            guard case .valid = try await cache.renew(query, redeeming: { _ in .unavailable }) else {
                throw UnexpectedOutcome(operation: "renewal")
            }
        }
    }
}
