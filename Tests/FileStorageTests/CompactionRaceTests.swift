// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import RecordStorage
import Synchronization
import Testing

@testable import FileStorage

@Suite("Compaction while others erase", .timeLimit(.minutes(10)))
struct CompactionRaceTests {
    @Test("no erased secret comes back with a copy, and no living one is lost")
    func erasing() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        let count: UInt64 = 300
        try store.write((0..<count).map { Boxes.record($0, in: $0 % 20) })
        let (isDone, isCompacted) = (Flag(), Flag())
        let failure = Mutex<(any Error)?>(nil)
        // A thread of its own: as a task it might never get one beside others that block theirs.
        Thread.detachNewThread {
            defer { isDone.raise() }
            do {
                let eraser = try group.open()
                while !isCompacted.isRaised { usleep(1_000) }
                for number in stride(from: 0, to: count, by: 2) {
                    try eraser.write([Boxes.record(number + 1, in: (number + 1) % 20, version: 1)])
                    let partition = Boxes.partition(number % 20)
                    let removal = Removal(tag: Boxes.tag(number), partition: partition, erasesSecret: true)
                    try eraser.write(removing: [removal])
                }
                eraser.close()
            } catch {
                failure.withLock { $0 = error }
            }
        }
        let compactor = try group.open()
        while !isDone.isRaised {
            do throws(StorageError) {
                try compactor.compact(until: .after(.seconds(60)))
                isCompacted.raise()
            } catch {
                if error.code != .busy { throw error }
            }
        }
        if let error = failure.withLock({ $0 }) { throw error }
        let last = try group.open()
        for number in 0..<count {
            let isErased = number % 2 == 0
            let expected = isErased ? nil : Boxes.record(number, in: 0, version: 1).secret
            #expect(try last.secret(number, in: number % 20) == expected)
            if isErased { #expect(try !group.contains(Boxes.record(number, in: 0).secret)) }
        }
        #expect(try last.verify().isSound)
        #expect(try last.statistics.sequence == count + 1)
    }

    @Test("secrets erased while a copy is ready are overwritten in the copy before it is renamed")
    func erasedMeanwhile() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1), Boxes.record(2, in: 1)])
        try store.compact(until: .standard)
        let eraser = try group.open()
        // One run to learn when a compaction asks for the last time before it takes the lock.
        var questions = 0
        try #require(
            try Compactor(store: store) {
                questions += 1; return false
            }.run { .standard }
        )
        let last = questions - 1
        questions = 0
        let compactor = Compactor(store: store) {
            questions += 1
            if questions == last {
                let removal = Removal(tag: Boxes.tag(1), partition: Boxes.partition(1), erasesSecret: true)
                #expect(throws: Never.self) { try eraser.write(removing: [removal]) }
            }
            return false
        }
        try #require(try compactor.run { .standard })
        #expect(questions == last + 1)
        #expect(try !group.contains(Boxes.record(1, in: 1).secret))
        #expect(try group.open().secret(2, in: 1) == Boxes.record(2, in: 1).secret)
    }

    @Test("a transaction whose sync failed after it was copied is in no copy that gets the name")
    func takenBack() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1)])
        try store.compact(until: .standard)
        _ = try store.refresh(until: .standard)
        let before = try group.bytes().count
        try store.write([Boxes.record(2, in: 1, secret: 6000)])
        let taken = try group.bytes().count
        var isTakenBack = false
        let compactor = Compactor(store: store) {
            guard !isTakenBack else { return false }
            isTakenBack = true
            #expect(throws: Never.self) {
                let file = try FileHandle(forUpdating: group.journal)
                try file.truncate(atOffset: UInt64(before))
                try file.truncate(atOffset: UInt64(taken + 200_000))
                try file.close()
                try group.forgetPage()
                try group.open().write([Boxes.record(3, in: 1)])
            }
            return false
        }
        #expect(try !compactor.run { .standard })
        #expect(isTakenBack)
        let last = try group.open()
        #expect(try last.secret(2, in: 1) == nil)
        #expect(try last.secret(3, in: 1) == Boxes.record(3, in: 1).secret)
        #expect(try last.verify().isSound)
    }

    /// Something that becomes true once, for all tasks.
    private final class Flag: Sendable {
        private let value = Atomic<Bool>(false)

        var isRaised: Bool { value.load(ordering: .acquiring) }

        func raise() { value.store(true, ordering: .releasing) }
    }
}
