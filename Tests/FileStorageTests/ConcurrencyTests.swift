// SPDX-License-Identifier: Apache-2.0

import FileStorage
import Foundation
import Programs
import RecordStorage
import Synchronization
import Testing

@Suite("Threads on one journal", .timeLimit(.minutes(10)))
struct ConcurrencyTests {
    /// Every transaction writes the same version into three partitions; who sees two versions at once saw half of one.
    @Test("writers, readers and compactions at once: nothing lost, no half transaction")
    func everybody() throws {
        let group = try ScratchGroup()
        let first = try group.create()
        let rounds: UInt64 = 400
        try first.write(Self.records(0))
        let shared = Shared()
        for _ in 0..<2 {
            shared.start {
                let store = try group.open()
                for _ in 0..<rounds {
                    try store.commit(until: .after(.seconds(60))) { context, batch throws(StorageError) in
                        for record in Self.records(context.sequence) { try batch.put(record) }
                    }
                }
                store.close()
            }
        }
        for _ in 0..<2 {
            shared.start {
                let store = try group.open()
                while !shared.isDone.load(ordering: .acquiring) {
                    _ = try store.refresh(until: .after(.seconds(60)))
                    let versions = try (1...3).map { try Self.version(store, $0) }
                    if Set(versions).count != 1 { shared.problems.withLock { $0.append("saw \(versions)") } }
                }
            }
        }
        shared.start {
            let store = try group.open()
            while !shared.isDone.load(ordering: .acquiring) {
                do { try store.compact(until: .after(.seconds(60))) } catch let error as StorageError {
                    if error.code != .busy { throw error }
                }
                Thread.sleep(forTimeInterval: 0.02)
            }
        }
        for _ in 0..<2 { try shared.finished.waitForSignal(within: .seconds(180)) }
        shared.isDone.store(true, ordering: .releasing)
        for _ in 0..<3 { try shared.finished.waitForSignal(within: .seconds(180)) }
        #expect(shared.problems.withLock { $0 } == [])
        let last = try group.open()
        #expect(try last.statistics.sequence == 2 * rounds + 1)
        #expect(try Self.version(last, 1) == 2 * rounds + 1)
        #expect(try last.verify().isSound)
    }

    @Test("one handle may be used from many threads")
    func oneHandle() async throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for worker in 0..<4 as Range<UInt64> {
                tasks.addTask {
                    for round in 0..<50 as Range<UInt64> {
                        try store.write([Boxes.record(worker, in: worker, version: round)])
                        _ = try store.refresh(until: .standard)
                        let secret = try store.secret(worker, in: worker)
                        #expect(secret == Boxes.record(worker, in: worker, version: round).secret)
                    }
                }
            }
            try await tasks.waitForAll()
        }
        #expect(try store.statistics.sequence == 200)
    }

    /// What the threads of a test have in common.
    private final class Shared: Sendable {
        let isDone = Atomic<Bool>(false)
        let problems = Mutex<[String]>([])
        let finished = DispatchSemaphore(value: 0)

        func start(_ body: @escaping @Sendable () throws -> Void) {
            Thread { [self] in
                do { try body() } catch { problems.withLock { $0.append("\(error)") } }
                finished.signal()
            }.start()
        }
    }

    /// One record in each of three partitions, whose facts tell the version.
    private static func records(_ version: UInt64) -> [NewRecord] {
        (1...3).map { number in
            NewRecord(
                tag: Boxes.tag(number),
                partition: Boxes.partition(number),
                kind: RecordKind(rawValue: 1),
                facts: Boxes.box(number, count: 40) + (0..<8).map { UInt8(truncatingIfNeeded: version >> (8 * $0)) },
                secret: Boxes.box(version, count: 700)
            )
        }
    }

    private static func version(_ store: FileStore, _ number: UInt64) throws -> UInt64 {
        let facts = try #require(try store.facts(number, in: number))
        return facts[40..<48].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
