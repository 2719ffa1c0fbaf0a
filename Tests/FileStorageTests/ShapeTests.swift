// SPDX-License-Identifier: Apache-2.0

import FileStorage
import RecordStorage
import Testing

@Suite("Groups of odd shapes")
struct ShapeTests {
    @Test("a partition of thousands of records, in frames and in a snapshot")
    func largePartition() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        let records = (0..<3000 as Range<UInt64>).map {
            Boxes.record($0, in: 1, facts: 80, secret: 90, searchTags: [$0 % 7])
        }
        try store.write(records)
        try Self.expectAll(store)
        try store.compact(until: .standard)
        try Self.expectAll(try group.open())
        try store.write([Boxes.record(17, in: 1, version: 3)])
        let again = try group.open()
        #expect(try again.contents(of: Boxes.partition(1)).records.count == 3000)
        #expect(try again.secret(17, in: 1) == Boxes.record(17, in: 1, version: 3).secret)
        #expect(try again.verify().isSound)
    }

    @Test("tags that are not spread evenly are found all the same")
    func unevenTags() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        let tags =
            (0..<300 as Range<UInt64>).map { PartitionTag(first: $0, second: 1) }
            + (0..<300 as Range<UInt64>).map { PartitionTag(first: .max, second: $0) }
            + (0..<40 as Range<UInt64>).map { PartitionTag(first: 1 << $0, second: .max - $0) }
        try store.write(
            tags.enumerated().map { number, tag in
                NewRecord(
                    tag: Boxes.tag(UInt64(number)),
                    partition: tag,
                    kind: RecordKind(rawValue: 2),
                    facts: Boxes.box(UInt64(number), count: 60),
                    secret: []
                )
            }
        )
        try store.compact(until: .standard)
        let again = try group.open()
        for (number, tag) in tags.enumerated() {
            let contents = try again.contents(of: tag)
            #expect(contents.records.map(\.tag) == [Boxes.tag(UInt64(number))])
            #expect(contents.facts == [Boxes.box(UInt64(number), count: 60)])
        }
        for absent in [PartitionTag(first: 5, second: 0), PartitionTag(first: .max, second: 300)] {
            #expect(try again.contents(of: absent).records.isEmpty)
        }
    }

    @Test("records without a secret, and boxes too large to be taken")
    func edges() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1, secret: 0)])
        #expect(try store.contents(of: Boxes.partition(1)).records[0].secret == .none)
        #expect(try store.secret(1, in: 1) == [])
        let huge = NewRecord(
            tag: Boxes.tag(2),
            partition: Boxes.partition(1),
            kind: RecordKind(rawValue: 1),
            facts: Boxes.box(1, count: 50),
            secret: [UInt8](repeating: 1, count: (16 << 20) + 1)
        )
        #expect(code { try store.write([huge]) } == .tooLarge)
        try store.compact(until: .standard)
        #expect(try group.open().secret(1, in: 1) == [])
    }

    @Test("many records under one search tag, and one record under many")
    func searchTags() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write((0..<200).map { Boxes.record($0, in: $0, searchTags: [5, 1000 + $0]) })
        try store.write([Boxes.record(500, in: 500, searchTags: (2000..<2255).map { $0 })])
        for isCompacted in [false, true] {
            if isCompacted {
                try store.compact(until: .standard)
                _ = try store.refresh(until: .standard)
            }
            #expect(try store.partitions(under: SearchTag(rawValue: 5)) == (0..<200).map(Boxes.partition).sorted())
            #expect(try store.partitions(under: SearchTag(rawValue: 1007)) == [Boxes.partition(7)])
            #expect(try store.partitions(under: SearchTag(rawValue: 2254)) == [Boxes.partition(500)])
            #expect(try store.partitions(under: SearchTag(rawValue: 6)).isEmpty)
        }
    }

    private static func expectAll(_ store: FileStore) throws {
        let contents = try store.contents(of: Boxes.partition(1))
        #expect(contents.records.count == 3000)
        #expect(contents.records.map(\.tag) == contents.records.map(\.tag).sorted())
        for number in stride(from: 0, to: 3000 as UInt64, by: 211) {
            #expect(try store.facts(number, in: 1) == Boxes.record(number, in: 1, facts: 80, secret: 90).facts)
            #expect(try store.secret(number, in: 1) == Boxes.record(number, in: 1, facts: 80, secret: 90).secret)
        }
    }
}
