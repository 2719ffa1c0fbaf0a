// SPDX-License-Identifier: Apache-2.0

import FileStorage
import Foundation
import GroupDirectory
import RecordStorage
import Testing

@Suite("Apparent damage")
struct SecondLookTests {
    /// Who looks.
    enum Reader: String, CaseIterable, Sendable { case refresh, open, verify }

    @Test("is checked again under the lock before it is reported", arguments: Reader.allCases)
    func secondLook(_ kind: Reader) throws {
        let group = try ScratchGroup()
        let writer = try group.create()
        let reader = try group.open()
        for version in 0...2 as ClosedRange<UInt64> { try writer.write([Boxes.record(1, in: 1, version: version)]) }
        let good = try group.bytes()
        let middle = JournalBytes(good).frames[1].lowerBound + 60
        // A writer at work, in the middle of whatever it does.
        let directory = try group.directory(.readWrite)
        let lock = try directory.lock(.writer, until: .standard)
        try group.flip(at: middle)
        #expect(code { try Self.look(kind, reader, group, .after(.milliseconds(30))) } == .busy)
        try group.overwrite(good)
        lock.release()
        try group.flip(at: middle)
        let told = code { try Self.look(kind, reader, group, .standard) }
        #expect(told == (kind == .verify ? nil : .damaged))
        if kind == .verify { #expect(try !reader.verify().isSound) }
        try group.overwrite(good)
        #expect(code { try Self.look(kind, reader, group, .standard) } == nil)
        #expect(try reader.verify().isSound)
    }

    private static func look(
        _ kind: Reader,
        _ reader: FileStore,
        _ group: ScratchGroup,
        _ deadline: Deadline
    ) throws {
        switch kind {
        case .refresh: _ = try reader.refresh(until: deadline)
        case .verify: _ = try reader.verify(until: deadline)
        case .open:
            let ring = group.ring
            _ = try FileStore.open(in: group.directory(.readWrite), until: deadline) { slots, _ throws(StorageError) in
                try ring.keys(for: slots)
            }
        }
    }
}
