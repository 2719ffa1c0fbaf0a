// SPDX-License-Identifier: Apache-2.0

import RecordStorage

/// Records made from numbers, so that a test can tell what must be in them.
struct Sample: Hashable {
    var record: UInt64
    var partition: UInt64 = 0
    /// Versions of one record differ in all their bytes.
    var version: UInt64 = 0
    var factsLength = 120
    var secretLength = 300
    var searchTags: [SearchTag] = []

    var tag: RecordTag { RecordTag(first: Self.mix(record), second: record) }
    var partitionTag: PartitionTag { Self.partitionTag(partition) }
    var kind: RecordKind { RecordKind(rawValue: UInt8(truncatingIfNeeded: record)) }
    var facts: [UInt8] { Self.bytes(factsLength, seed: record &* 3 &+ version &* 1_000_003 &+ 1) }
    var secret: [UInt8] { Self.bytes(secretLength, seed: record &* 5 &+ version &* 1_000_033 &+ 2) }

    var new: NewRecord {
        NewRecord(
            tag: tag,
            partition: partitionTag,
            kind: kind,
            facts: facts,
            secret: secret,
            searchTags: searchTags
        )
    }

    func removal(erasing: Bool) -> Removal {
        Removal(tag: tag, partition: partitionTag, erasesSecret: erasing)
    }

    static func partitionTag(_ number: UInt64) -> PartitionTag {
        PartitionTag(first: mix(number &+ 7777), second: number)
    }

    static func searchTag(_ number: UInt64) -> SearchTag {
        SearchTag(rawValue: mix(number &+ 55555))
    }

    /// Tags are keyed hashes: their bits are spread.
    static func mix(_ number: UInt64) -> UInt64 {
        var value = number &+ 0x9E37_79B9_7F4A_7C15
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    private static func bytes(_ count: Int, seed: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        var block: UInt64 = 0
        while bytes.count < count {
            let word = mix(seed &* 0x1_0000_0001 &+ block)
            for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: word >> shift)) }
            block += 1
        }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
