// SPDX-License-Identifier: Apache-2.0

import FileStorage
import Foundation
import GroupDirectory
import Programs
import RecordStorage
import Sealing
import SeededRandom
import SystemPackage
import Testing

@Suite("Flipped bits")
struct BitFlipTests {
    /// Flips, and bytes of zeros or ones: as many as fit in twelve seconds every day, 200,000 before a release; half of them with the
    /// shared page that says what was durable, half of them without.
    @Test("an old state or a typed error, never a wrong or missing record", arguments: [true, false], 0..<4)
    func flips(hasPage: Bool, part: Int) throws {
        let group = try ScratchGroup()
        let sample = try SealedSample(group)
        let store = try group.create()
        for number in 1...3 as ClosedRange<UInt64> { try sample.write(store, number, in: number % 2, version: 0) }
        try store.compact(until: .standard)
        try sample.write(store, 1, in: 1, version: 1)
        try sample.write(store, 4, in: 2, version: 0)
        store.close()
        if !hasPage { try group.forgetPage() }
        let directory = try group.directory(.readOnly)
        let bytes = try group.bytes()
        let file = try FileDescriptor.open(FilePath(group.journal.path), .readWrite)
        defer { try? file.close() }
        let holes = JournalBytes(bytes).holes
        let places = bytes.indices.filter { offset in !holes.contains { $0.contains(offset) } }
        var generator = SeededGenerator(stream: UInt64(part * 2 + (hasPage ? 1 : 0)))
        var errorCount = 0
        var rounds = Rounds("flipped bits, part \(part)", within: .milliseconds(1_500), atLeast: 300, release: 25_000)
        while rounds.next() != nil {
            let offset = try #require(places.randomElement(using: &generator))
            let flipped = bytes[offset] ^ (1 << UInt8.random(in: 0..<8, using: &generator))
            let other = generator.pick(flipped, flipped, 0, 0xFF)
            if other == bytes[offset] { continue }
            try file.writeAll(toAbsoluteOffset: Int64(offset), [other])
            if try !check(group, sample, directory, hasPage: hasPage, "byte \(offset) is \(other)") {
                errorCount += 1
            }
            try file.writeAll(toAbsoluteOffset: Int64(offset), [bytes[offset]])
        }
        #expect(try group.bytes() == bytes)
        #expect(errorCount > 10)
    }

    @Test(
        "a flipped bit anywhere in a group with one account leaves its records or an error, and is found by a verification",
        arguments: [true, false],
        0..<4
    )
    func everyBit(hasPage: Bool, part: Int) throws {
        let group = try ScratchGroup()
        let sample = try SealedSample(group)
        let store = try group.create()
        try sample.write(store, 1, in: 1, version: 0)
        try sample.write(store, 2, in: 1, version: 0)
        try sample.write(store, 1, in: 1, version: 1)
        store.close()
        if !hasPage { try group.forgetPage() }
        let directory = try group.directory(.readOnly)
        let bytes = try group.wholeFile()
        let used = try #require(bytes.lastIndex { $0 != 0 }) + 1
        let (holes, framesOffset) = (JournalBytes(bytes).holes, JournalBytes(bytes).framesOffset)
        let file = try FileDescriptor.open(FilePath(group.journal.path), .readWrite)
        defer { try? file.close() }
        for offset in part..<used where offset % 4 == part && !holes.contains(where: { $0.contains(offset) }) {
            // Before a release every bit; each day one bit of each byte of the transactions, and of some bytes before them.
            let step = Scale.pick(8, release: 1)
            if step > 1, offset < framesOffset, offset / 4 % step != 0 { continue }
            for bit in stride(from: UInt8(offset % step), to: 8, by: step) {
                try file.writeAll(toAbsoluteOffset: Int64(offset), [bytes[offset] ^ (1 << bit)])
                defer { _ = try? file.writeAll(toAbsoluteOffset: Int64(offset), [bytes[offset]]) }
                guard let store = try? group.open(in: directory) else { continue }
                for (number, version) in [(1, 1), (2, 0)] as [(UInt64, UInt64)] {
                    do {
                        let found = try #require(try sample.read(store, number, in: 1), "byte \(offset), bit \(bit)")
                        #expect(found.facts == SealedSample.text(number, version, .facts))
                        #expect(found.secret == SealedSample.text(number, version, .secret))
                    } catch is StorageError {
                    } catch is SealingError {}
                }
                #expect(try !store.verify().findings.isEmpty, "byte \(offset), bit \(bit)")
            }
        }
        #expect(try group.open(in: directory).verify().findings.isEmpty)
    }

    /// - Returns: false where a typed error came instead of a state.
    private func check(
        _ group: ScratchGroup,
        _ sample: SealedSample,
        _ directory: GroupDirectory,
        hasPage: Bool,
        _ comment: Comment
    ) throws -> Bool {
        let store: FileStore
        do {
            store = try group.open(in: directory)
        } catch is StorageError {
            return false
        }
        var isWhole = true
        for (number, partition, newest) in [(1, 1, 1), (2, 0, 0), (3, 1, 0), (4, 2, 0)] as [(UInt64, UInt64, UInt64)] {
            do {
                guard let found = try sample.read(store, number, in: partition) else {
                    Issue.record(comment)
                    continue
                }
                #expect(found.facts == SealedSample.text(number, newest, .facts), comment)
                #expect(found.secret == SealedSample.text(number, newest, .secret), comment)
            } catch is StorageError {
                isWhole = false
            } catch is SealingError {
                isWhole = false
            }
        }
        return isWhole
    }
}
