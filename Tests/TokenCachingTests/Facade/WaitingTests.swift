// SPDX-License-Identifier: Apache-2.0

import Foundation
import RecordStorage
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

#if DEBUG
@Suite("The remaining time of a call", .timeLimit(.minutes(10)))
struct WaitingTests {
    /// In a process of its own, where nobody else waits.
    @Test("is handed to each of its waits: none begins anew but where something was done")
    func remainingTime() async {
        await #expect(processExitsWith: .success) {
            for call in HandleCall.all {
                let handles = try GroupHandles(GroupFixture(), timeout: .seconds(300))
                try WaitingTests.expect(call.name, restarts: call.restartCount, timeout: .seconds(300)) {
                    #expect(throws: Never.self, "\(call.name)") { try call.run(handles) }
                }
            }
        }
    }

    @Test("includes the time that an asynchronous call queues for a thread")
    func queueing() async {
        await #expect(processExitsWith: .success) {
            let handles = try GroupHandles(GroupFixture(), timeout: .seconds(300))
            handles.cache.engine.invalidateAll()
            let (first, last) = (Deadline.after(.seconds(300)), Deadline.after(.seconds(301)))
            for _ in 0..<BlockingPool.limit { BlockingPool.shared.start { usleep(2_000_000) } }
            let deadlines = try await WaitLog.recording { _ = try await handles.cache.accounts(matching: .all) }
            #expect(deadlines.contains { $0 >= first }, "the call waited for nothing else")
            #expect(deadlines.allSatisfy { $0 <= last })
        }
    }

    @Test("is handed to each wait while a group is opened, made, examined and repaired")
    func opening() async {
        await #expect(processExitsWith: .success) {
            let fixture = GroupFixture()
            let own = StorageChoice.file(unlockedBy: .keyFile)
            try WaitingTests.expect("create", timeout: .seconds(300)) {
                _ = try fixture.opener(own, access: .create, timeout: .seconds(300)).open()
            }
            try WaitingTests.expect("open", timeout: .seconds(300)) {
                _ = try fixture.opener(own, timeout: .seconds(300)).open()
            }
            try WaitingTests.expect("repair", timeout: .seconds(300)) {
                _ = try GroupReference("group", root: fixture.scratch.path, timeout: .seconds(300)).repair()
            }
        }
    }

    /// Expects that all waits of `body` end with the time of the call.
    static func expect(
        _ name: String,
        restarts: Int = 0,
        timeout: Duration,
        _ body: () throws -> Void
    ) throws {
        let before = Deadline.after(timeout)
        let deadlines = try WaitLog.recording(body)
        let after = Deadline.after(timeout)
        guard let first = deadlines.first else { return }
        #expect(
            before <= first && first <= after,
            "\(name): after \(deadlines.map { $0.time - before.time })"
        )
        // A time that is made anew ends later than the first.
        let later = Set(deadlines.filter { $0 > first })
        #expect(
            later.count <= restarts,
            "\(name) has \(later.count) times besides its own: after \(deadlines.map { $0.time - before.time })"
        )
        #expect(deadlines.allSatisfy { $0 <= after }, "\(name)")
    }
}
#endif
