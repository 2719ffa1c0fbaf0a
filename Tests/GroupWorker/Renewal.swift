// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Histories
import SeededRandom
import Synchronization
import TokenCaching

/// One renewal of a mixing worker, at a token endpoint that gives whatever is asked for.
final class Renewal: Sendable {
    private let log: CallLog
    private let call: Int
    private let account: Int
    private let next: Atomic<Int>
    private let seed: UInt64

    /// - Parameters:
    ///   - log: where it is noted what is spent.
    ///   - call: the number of the call in the log.
    ///   - account: whose tokens are renewed.
    ///   - number: that of the first response.
    ///   - seed: what its random choices follow from.
    init(log: CallLog, call: Int, account: Int, number: Int, seed: UInt64) {
        self.log = log
        self.call = call
        self.account = account
        self.seed = seed
        next = Atomic(number)
    }

    func spend(_ token: RefreshToken) throws -> RenewalOutcome {
        let secret = try token.secretString
        guard let old = Person.save(of: secret) else { giveUp("a refresh token of nobody") }
        let new = next.add(1, ordering: .relaxed).oldValue
        log.spend(call, old: old, new: new)
        // Others come meanwhile, and some are killed in here.
        var random = SeededGenerator(seed: seed &+ UInt64(new))
        usleep(UInt32.random(in: 0..<1_000, using: &random))
        return .response(try TokenResponse(json: Person(writer: 0, number: account).response(save: new)))
    }

    /// Renews in a task, and waits for it.
    func runInTask(_ cache: TokenCache, _ query: TokenQuery) throws(TokenCacheError) -> CallResult {
        let holder = Outcome()
        Task {
            do throws(TokenCacheError) {
                let result = try await cache.renew(query, timeout: .seconds(20)) { try self.spend($0) }
                holder.fill(.success(try CallResult(result)))
            } catch {
                holder.fill(.failure(error))
            }
        }
        return try holder.get()
    }
    private final class Outcome: Sendable {
        private let result = Mutex<Result<CallResult, TokenCacheError>?>(nil)
        private let done = DispatchSemaphore(value: 0)

        func fill(_ result: Result<CallResult, TokenCacheError>) {
            self.result.withLock { $0 = result }
            done.signal()
        }

        func get() throws(TokenCacheError) -> CallResult {
            done.wait()
            guard let result = result.withLock({ $0 }) else { giveUp("a task without a result") }
            return try result.get()
        }
    }
}
