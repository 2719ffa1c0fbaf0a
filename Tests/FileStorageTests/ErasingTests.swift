// SPDX-License-Identifier: Apache-2.0

import FileStorage
import Foundation
import GroupDirectory
import RecordStorage
import SystemPackage
import Testing

@Suite("Erasing secrets")
struct ErasingTests {
    @Test("the secret is zeros on the disk afterwards, all its versions are, and its neighbours are not")
    func zeros() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1), Boxes.record(2, in: 1), Boxes.record(3, in: 1)])
        try store.compact(until: .standard)
        _ = try store.refresh(until: .standard)
        try store.write([Boxes.record(2, in: 1, version: 1)])
        try store.write([Boxes.record(2, in: 1, version: 2)])
        let versions = (0...2).map { Boxes.record(2, in: 1, version: $0).secret }
        for secret in versions { #expect(try group.contains(secret)) }
        try store.write(removing: [Self.removal(2)])
        for secret in versions { #expect(try !group.contains(secret)) }
        #expect(try group.contains(Boxes.record(1, in: 1).secret))
        #expect(try store.secret(3, in: 1) == Boxes.record(3, in: 1).secret)
        #expect(try store.statistics.erasedThrough == 4)
        #expect(try group.open().verify().isSound)
    }

    @Test("an ordinary removal and a replacement leave the old bytes to compaction")
    func ordinary() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1)])
        try store.write(removing: [Removal(tag: Boxes.tag(1), partition: Boxes.partition(1), erasesSecret: false)])
        #expect(try group.contains(Boxes.record(1, in: 1).secret))
        try store.compact(until: .standard)
        #expect(try !group.contains(Boxes.record(1, in: 1).secret))
    }

    @Test("a reader that has the location gets tokenGone")
    func tokenGone() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1)])
        let contents = try store.contents(of: Boxes.partition(1))
        try store.write(removing: [Self.removal(1)])
        #expect(throws: StorageError(.tokenGone, path: group.journal.path)) {
            try contents.reader.withBox(at: contents.records[0].secret) { box throws(StorageError) in box.byteCount }
        }
    }

    @Test("removing everything overwrites every secret and empties the quarantine")
    func everything() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1), Boxes.record(2, in: 2)])
        try store.compact(until: .standard)
        _ = try store.refresh(until: .standard)
        try store.write([Boxes.record(3, in: 3)])
        try group.directory().quarantine([1, 2, 3].rawBytes, label: "test")
        try store.commit(until: .standard) { _, batch throws(StorageError) in
            try batch.removeAll()
            try batch.put(Boxes.record(4, in: 4))
        }
        for number in 1...3 as ClosedRange<UInt64> {
            #expect(try !group.contains(Boxes.record(number, in: number).secret))
            #expect(try store.secret(number, in: number) == nil)
        }
        #expect(try store.secret(4, in: 4) == Boxes.record(4, in: 4).secret)
        #expect(try group.quarantined().isEmpty)
        #expect(try store.partitions().map(\.tag) == [Boxes.partition(4)])
        let again = try group.open()
        #expect(try again.partitions().map(\.tag) == [Boxes.partition(4)])
        #expect(try again.verify().isSound)
    }

    @Test("a secret that is larger than a block is overwritten, and its blocks stay those of the journal")
    func large() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1, secret: 400_000)])
        let before = try store.statistics.allocatedByteCount
        let location = try store.contents(of: Boxes.partition(1)).records[0].secret
        try store.write(removing: [Self.removal(1)])
        let bytes = try group.bytes()[Int(location.offset)..<Int(location.offset) + Int(location.length)]
        #expect(bytes.allSatisfy { $0 == 0 })
        // A block that is released before the zeros reach the disk keeps the secret there.
        #expect(try store.statistics.allocatedByteCount >= before)
    }

    @Test("removing the same record once more writes nothing")
    func twice() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1)])
        #expect(try store.write(removing: [Self.removal(1)]) == 2)
        let before = try group.bytes()
        #expect(try store.write(removing: [Self.removal(1)]) == 2)
        #expect(try group.bytes() == before)
    }

    @Test("a large transaction overwrites the secrets that it erases in the file that it replaces")
    func inLargeTransaction() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1), Boxes.record(2, in: 1)])
        let contents = try store.contents(of: Boxes.partition(1))
        try store.commit(until: .standard) { _, batch throws(StorageError) in
            for number in 100..<9100 as Range<UInt64> { try batch.put(Boxes.record(number, in: number)) }
            try batch.remove(Self.removal(1))
        }
        let gone = try #require(contents.records.first { $0.tag == Boxes.tag(1) })
        let kept = try #require(contents.records.first { $0.tag == Boxes.tag(2) })
        #expect(code { try contents.reader.withBox(at: gone.secret) { _ throws(StorageError) in } } == .tokenGone)
        #expect(code { try contents.reader.withBox(at: kept.secret) { _ throws(StorageError) in } } == nil)
        #expect(try store.secret(1, in: 1) == nil)
    }

    #if DEBUG
    @Test("secrets that a killed writer did not overwrite are overwritten by the next that opens")
    func completedLater() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1)])
        // The frame is written, the zeros are not.
        SyscallFaults.with([.init(.pwrite, .ioError, after: 2, times: 100)]) {
            #expect(throws: Never.self) { try store.write(removing: [Self.removal(1)]) }
        }
        #expect(try group.contains(Boxes.record(1, in: 1).secret))
        store.close()
        let again = try group.open()
        #expect(try !group.contains(Boxes.record(1, in: 1).secret))
        #expect(try again.statistics.erasedThrough == 2)
    }

    @Test("a secret for whose zeros the disk had no space is overwritten by the next transaction")
    func noRoomForZeros() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1, secret: 40_000)])
        // The frame is written, the zeros are not.
        SyscallFaults.with([.init(.pwrite, .noSpace, after: 2)]) {
            #expect(throws: Never.self) { try store.write(removing: [Self.removal(1)]) }
        }
        #expect(try store.secret(1, in: 1) == nil)
        try store.write([Boxes.record(2, in: 1)])
        #expect(try !group.contains(Boxes.record(1, in: 1, secret: 40_000).secret))
        #expect(try store.statistics.erasedThrough >= 2)
    }
    #endif

    private static func removal(_ number: UInt64) -> Removal {
        Removal(tag: Boxes.tag(number), partition: Boxes.partition(1), erasesSecret: true)
    }
}

extension ScratchGroup {
    /// Whether the journal has these bytes somewhere, or a good part of them.
    func contains(_ needle: [UInt8]) throws -> Bool {
        let bytes = try bytes()
        let part = Array(needle[100..<132])
        guard let first = part.first else { return false }
        var start = 0
        while let found = bytes[start...].firstIndex(of: first) {
            if bytes[found...].starts(with: part) { return true }
            start = found + 1
        }
        return false
    }
}
