// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Programs
import RecordStorage
import Synchronization
import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("A few threads for steps that block", .timeLimit(.minutes(10)))
struct BlockingPoolTests {
    let pool = BlockingPool()
    private let end = Deadline.after(.seconds(60))

    @Test("the work runs on another thread, and its result or error is returned")
    func results() async throws {
        let own = await withCheckedContinuation { $0.resume(returning: pthread_self()) }
        let other = try await pool.run(until: end) { pthread_self() }
        #expect(other != own)
        let error = await #expect(throws: StorageError.self) {
            try await pool.run(until: end) { () throws(StorageError) in throw StorageError(.busy) }
        }
        #expect(error?.code == .busy)
    }

    @Test("successive work runs on one thread")
    func reuse() async throws {
        // Longer than this test takes, on whatever machine.
        let pool = BlockingPool(idleTime: .seconds(120))
        var threads: Set<pthread_t> = []
        for _ in 1...50 {
            threads.insert(try await pool.run(until: end) { pthread_self() })
            // A thread that has just answered may not be waiting again yet.
            try await untilTrue("a thread waits for work") { pool.idleThreadCount > 0 }
        }
        #expect(threads.count == 1)
    }

    @Test("no more threads than the limit are busy at once, and all work is done")
    func limit() async throws {
        let busy = BusyCount()
        let pool = pool
        let end = end
        let tasks = (1...200).map { number in
            Task {
                try await pool.run(until: end) {
                    busy.enter()
                    usleep(500)
                    busy.leave()
                    return number
                }
            }
        }
        var done: Set<Int> = []
        for task in tasks { done.insert(try await task.value) }
        #expect(done.count == 200)
        #expect(busy.most <= BlockingPool.limit)
    }

    @Test("work of a lease holder does not queue behind others")
    func urgent() async throws {
        let gate = BlockedThreads(pool, BlockingPool.limit)
        defer { gate.open() }
        let answer = try await pool.run(isUrgent: true, until: end) { 1 }
        #expect(answer == 1)
    }

    @Test("work that no thread begins by its deadline is not done, and says so")
    func deadline() async throws {
        let gate = BlockedThreads(pool, BlockingPool.limit)
        let work = BusyCount()
        let error = await #expect(throws: StorageError.self) {
            try await pool.run(until: .after(.milliseconds(20))) { work.enter() }
        }
        #expect(error?.code == .timeout)
        gate.open()
        _ = try await pool.run(until: end) { 1 }
        #expect(work.most == 0)
    }

    @Test("a renewal waits for a thread no longer than it may take")
    func renewalInTime() async throws {
        let gate = BlockedThreads(pool, BlockingPool.limit)
        defer { gate.open() }
        let cache = try TestGroup().cache()
        let query = MatchingCase.query("user.read")
        let run = RenewalRun(cache.engine, query, deadline: .after(.milliseconds(20)), pool: pool)
        let error = await #expect(throws: TokenCacheError.self) { try await run.drive { _ in .unavailable } }
        #expect(error?.code == .timeout)
    }

    @Test("once a server was asked a renewal waits for a thread, though the time for waiting for others is over")
    func renewalAfterAnswer() async throws {
        let cache = try TestGroup().cache()
        try TestResponse.signIn(accessToken: nil).save(in: cache)
        // Long enough to get to the server on a loaded machine.
        let deadline = Deadline.after(.seconds(2))
        let run = RenewalRun(cache.engine, MatchingCase.query("user.read"), deadline: deadline, pool: pool)
        let result = try await run.drive { [pool] _ in
            let blocked = BlockedThreads(pool, BlockingPool.limit)
            try await untilTrue("the time is over") { deadline.hasPassed }
            // The token is dead, so the cache is looked at once more, without the lease.
            // On a thread of its own: the time for that look passes, and other tests may keep the threads of the Swift pool busy.
            DedicatedThread.start {
                usleep(100_000)
                blocked.open()
            }
            return .refused(error: "invalid_grant", suberror: "bad_token")
        }
        #expect(try result.summary() == "interaction refreshTokenLost")
    }
}

/// Threads of a pool that are kept busy until somebody opens the gate.
private final class BlockedThreads: Sendable {
    private let gate = DispatchSemaphore(value: 0)
    private let count: Int

    init(_ pool: BlockingPool, _ count: Int) {
        self.count = count
        let begun = DispatchSemaphore(value: 0)
        for _ in 0..<count {
            pool.start { [gate] in
                begun.signal()
                gate.wait()
            }
        }
        for _ in 0..<count { begun.wait() }
    }

    func open() {
        for _ in 0..<count { gate.signal() }
    }
}

/// How many are at it at once.
private final class BusyCount: Sendable {
    private let counts = Mutex((now: 0, most: 0))

    var most: Int { counts.withLock { $0.most } }

    func enter() {
        counts.withLock { counts in
            counts.now += 1
            counts.most = max(counts.most, counts.now)
        }
    }

    func leave() { counts.withLock { $0.now -= 1 } }
}
