// SPDX-License-Identifier: Apache-2.0

import FileStorage
import Foundation
import GroupDirectory
import RecordStorage
import Testing

@Suite("A journal cut short")
struct TruncationTests {
    @Test("at every byte: the transactions before it, or a typed error, and nothing is written")
    func everyOffset() throws {
        let (group, ends) = try Self.smallGroup()
        let size = try group.bytes().count
        let frames = try group.header("framesOffset")
        // Nothing vouches for what was acknowledged.
        try group.forgetPage()
        let directory = try group.directory(.readOnly)
        let file = try FileHandle(forWritingTo: group.journal)
        // Before the frames only a few places differ: most of it is a hole.
        let start = Int(frames) - 5000
        for length in (0...size).reversed() where length > start || length < 12_300 && length % 7 == 0 {
            try file.truncate(atOffset: UInt64(length))
            if UInt64(length) < frames {
                #expect(code { try group.open(in: directory) } == .damaged, "cut at \(length)")
                continue
            }
            let store = try group.open(in: directory)
            let count = ends.count { $0 <= UInt64(length) }
            let version = count == 0 ? 0 : UInt64(count)
            let expected = Boxes.record(1, in: 1, version: version).secret
            #expect(try store.secret(1, in: 1) == expected, "cut at \(length)")
        }
        try file.close()
    }

    @Test("below the durable length it is damage, or an older state where it ends cleanly")
    func belowSynced() throws {
        let (group, ends) = try Self.smallGroup()
        let size = try group.bytes().count
        let directory = try group.directory(.readOnly)
        let file = try FileHandle(forWritingTo: group.journal)
        let clean = [Int(try group.header("framesOffset"))] + ends.dropLast().map(Int.init)
        let lengths = Array(stride(from: size - 1, to: 0, by: -61)) + clean
        for length in lengths.sorted(by: >) {
            try file.truncate(atOffset: UInt64(length))
            let expected: StorageError.Code = clean.contains(length) ? .rollbackSuspected : .damaged
            #expect(code { try group.open(in: directory) } == expected, "cut at \(length)")
        }
        try file.close()
    }

    /// A record in a snapshot and a few newer versions of it behind, and where their frames end.
    static func smallGroup() throws -> (group: ScratchGroup, ends: [UInt64]) {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1, facts: 60, secret: 100), Boxes.record(2, in: 2)])
        try store.write([Boxes.record(1, in: 1, version: 0)])
        try store.compact(until: .standard)
        var ends: [UInt64] = []
        for version in 1...4 as ClosedRange<UInt64> {
            try store.write([Boxes.record(1, in: 1, version: version)])
            ends.append(UInt64(try group.bytes().count))
        }
        store.close()
        return (group, ends)
    }
}
