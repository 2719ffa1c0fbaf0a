// SPDX-License-Identifier: Apache-2.0

import Sealing
import Testing

@Suite("Tags")
struct TagTests {
    let sealer: RecordSealer

    init() throws {
        sealer = try RecordSealer(keys: fixedKeys())
    }

    @Test("are the same for the same names and keys")
    func stability() throws {
        let again = try RecordSealer(keys: fixedKeys())
        #expect(try sealer.recordTag(section: [1], key: [2]) == again.recordTag(section: [1], key: [2]))
        #expect(try sealer.partitionTag(.account, [[1]]) == again.partitionTag(.account, [[1]]))
    }

    @Test("survive a change of the root key and differ under another tag key")
    func keys() throws {
        let next = try RecordSealer(keys: sealer.keys.nextEpoch())
        let other = try RecordSealer(keys: fixedKeys(tag: 0x55))
        let tag = try sealer.recordTag(section: [1], key: [2])
        #expect(try next.recordTag(section: [1], key: [2]) == tag)
        #expect(try other.recordTag(section: [1], key: [2]) != tag)
    }

    @Test("of records distinguish where the section ends")
    func boundaries() throws {
        let splits = try [
            sealer.recordTag(section: [], key: [1, 2]),
            sealer.recordTag(section: [1], key: [2]),
            sealer.recordTag(section: [1, 2], key: []),
        ]
        #expect(Set(splits.map { "\($0)" }).count == 3)
    }

    @Test("of partitions distinguish the number of components and where each ends")
    func components() throws {
        let lists: [[[UInt8]]] = [
            [], [[]], [[], []], [[1, 2]], [[1], [2]], [[], [1, 2]], [[1, 2], []], [[2], [1]],
        ]
        let tags = try lists.map { "\(try sealer.partitionTag(.account, $0))" }
        #expect(Set(tags).count == lists.count)
    }

    @Test("of equal names in different domains differ")
    func domains() throws {
        let name: [UInt8] = Array("alice@contoso.com".utf8)
        var tags = try PartitionDomain.allCases.map { try sealer.partitionTag($0, [name]).0 }
        tags.append(try withSpan(name) { try sealer.searchTag(.username, $0) })
        tags.append(try sealer.recordTag(section: name, key: []).0)
        #expect(Set(tags).count == tags.count)
    }

    @Test("of one component are the same by either call")
    func overloads() throws {
        let one = try withSpan([1, 2, 3]) { try sealer.partitionTag(.username, $0) }
        #expect(try sealer.partitionTag(.username, [[1, 2, 3]]) == one)
        let record = try withSpan([1]) { section in
            try withSpan([2]) { key in try sealer.recordTag(section: section, key: key) }
        }
        #expect(try sealer.recordTag(section: [1], key: [2]) == record)
    }

    @Test("take names of any length", arguments: [0, 1, 100, 1000, 100_000])
    func lengths(count: Int) throws {
        let name = [UInt8](repeating: 1, count: count)
        #expect(try sealer.recordTag(section: name, key: name) != (0, 0))
    }
}
