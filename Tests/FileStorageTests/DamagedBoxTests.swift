// SPDX-License-Identifier: Apache-2.0

import FileStorage
import Foundation
import GroupDirectory
import RecordStorage
import Testing

@Suite("A box that is damaged")
struct DamagedBoxTests {
    /// Where the box lies, and which one it is.
    struct Place: Sendable, CustomTestStringConvertible {
        var isInSnapshot: Bool
        var isSecret: Bool

        var testDescription: String { "\(isSecret ? "secret" : "facts") in \(isInSnapshot ? "snapshot" : "frame")" }

        static let all = [true, false].flatMap { inSnapshot in
            [true, false].map { Place(isInSnapshot: inSnapshot, isSecret: $0) }
        }
    }

    @Test(
        "concerns its record only, keeps its bytes and older versions, and is healed by a new save",
        arguments: Place.all
    )
    func healing(_ location: Place) throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1), Boxes.record(2, in: 1)])
        if location.isInSnapshot { try store.compact(until: .standard) }
        // A later frame: the damaged one is not the last, which would be torn.
        try store.write([Boxes.record(3, in: 3)])
        _ = try store.refresh(until: .standard)
        let record = try #require(store.contents(of: Boxes.partition(1)).records.first { $0.tag == Boxes.tag(1) })
        let box = location.isSecret ? record.secret : record.facts
        try group.flip(at: Int(box.offset) + 40)
        let spoiled = try Self.read(group.open(), location)
        let sound = location.isSecret ? Boxes.record(1, in: 1).secret : Boxes.record(1, in: 1).facts
        #expect(spoiled != nil && spoiled != sound)
        #expect(try store.verify().findings.map(\.part) == [location.isSecret ? .secret : .facts])
        let again = try group.open()
        #expect(try again.secret(2, in: 1) == Boxes.record(2, in: 1).secret)
        // A compaction keeps the bytes of a snapshot, and would drop the versions that a damaged one replaced.
        #expect(code { try again.compact(until: .standard) } == (location.isInSnapshot ? nil : .damaged))
        #expect(try Self.read(group.open(), location) == spoiled)
        #expect(try group.open().verify().findings.map(\.part) == [location.isSecret ? .secret : .facts])
        try group.open().write([Boxes.record(1, in: 1, version: 1)])
        #expect(try group.open().verify().isSound)
        #expect(try group.open().secret(1, in: 1) == Boxes.record(1, in: 1, version: 1).secret)
    }

    private static func read(_ store: FileStore, _ location: Place) throws -> [UInt8]? {
        try location.isSecret ? store.secret(1, in: 1) : store.facts(1, in: 1)
    }
}
