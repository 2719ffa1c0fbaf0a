// SPDX-License-Identifier: Apache-2.0

import FileStorage
import Foundation
import GroupDirectory
import Programs
import RecordStorage
import Synchronization
import Testing

@Suite("Closing a store", .timeLimit(.minutes(10)))
struct ClosingTests {
    @Test("does not wait for a compaction that waits for others")
    func waitingCompaction() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1, secret: 1_500_000)])
        let directory = try group.directory(.readWrite)
        let mayEnd = DispatchSemaphore(value: 0)
        let hasEnded = DispatchSemaphore(value: 0)
        let hasLock = DispatchSemaphore(value: 0)
        // Replaces all of it, which makes a compaction worth it; and while the lock is held somebody gets in line for
        // it, before the compaction does.
        try store.commit(until: .standard) { _, batch throws(StorageError) in
            Thread {
                let lock = try? directory.lock(.writer, until: .after(.seconds(60)))
                if lock != nil { hasLock.signal() }
                _ = mayEnd.wait(timeout: .now() + 60)
                lock?.release()
                hasEnded.signal()
            }.start()
            let isInLine =
                (try? waitUntil("somebody is in line") { directory.waitingThreadCount(for: .writer) == 1 }) != nil
            guard isInLine else { throw StorageError(.cancelled) }
            try batch.put(Boxes.record(1, in: 1, version: 1, secret: 1000))
        }
        try #require(hasLock.wait(timeout: .now() + 60) == .success)
        store.close()
        // The other one has the lock still.
        #expect(hasEnded.wait(timeout: .now()) == .timedOut)
        mayEnd.signal()
        try hasEnded.waitForSignal()
        let again = try group.open()
        #expect(try again.secret(1, in: 1) == Boxes.record(1, in: 1, version: 1, secret: 1000).secret)
        #expect(try group.files().filter { $0.hasPrefix("tmp.") }.isEmpty)
    }

    @Test("lets the compaction of a small journal finish")
    func smallJournal() throws {
        // It gets a moment only, which a busy machine may spend otherwise.
        for _ in 0..<10 {
            let group = try ScratchGroup()
            let store = try group.create()
            try store.write([Boxes.record(1, in: 1, secret: 1_500_000)])
            try store.write([Boxes.record(1, in: 1, version: 1, secret: 1000)])
            store.close()
            if try group.open().statistics.byteCount < 100_000 { return }
        }
        Issue.record("none of ten finished")
    }

    @Test("cancels an explicit compaction at its next record")
    func askedFor() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write((0..<1500).map { Boxes.record($0, in: $0, secret: 900) })
        let failure = DispatchSemaphore(value: 0)
        let codes = Codes()
        let compactionCount = Atomic<Int>(0)
        Thread {
            while codes.last == nil {
                codes.add(code { try store.compact(until: .standard) })
                compactionCount.add(1, ordering: .sequentiallyConsistent)
            }
            failure.signal()
        }.start()
        try waitUntil("it compacts") { compactionCount.load(ordering: .sequentiallyConsistent) > 0 }
        store.close()
        try failure.waitForSignal()
        #expect([.cancelled, .closed].contains(codes.last))
    }

    /// What a call failed with, from another thread.
    private final class Codes: @unchecked Sendable {
        // SAFETY: one thread writes, and the other reads once that one has ended.
        private(set) var last: StorageError.Code?

        func add(_ code: StorageError.Code?) { last = code }
    }
}
