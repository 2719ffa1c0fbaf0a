// SPDX-License-Identifier: Apache-2.0

import RecordStorage

/// Made-up tags and boxes. A store never opens a box, so any bytes will do; these tell what they are.
enum Boxes {
    static func partition(_ number: UInt64) -> PartitionTag {
        PartitionTag(first: mix(number), second: mix(number ^ 0xABCD))
    }

    static func tag(_ number: UInt64) -> RecordTag {
        RecordTag(first: mix(number &+ 1_000_003), second: mix(number ^ 0x1234_5678))
    }

    /// Bytes that look random and never like an erased box.
    static func box(_ seed: UInt64, count: Int) -> [UInt8] {
        var state = mix(seed)
        return (0..<count).map { _ in
            state = mix(state)
            return UInt8(truncatingIfNeeded: state) | 1
        }
    }

    static func record(
        _ number: UInt64,
        in partition: UInt64,
        version: UInt64 = 0,
        facts: Int = 200,
        secret: Int = 500,
        kind: UInt8 = 1,
        searchTags: [UInt64] = []
    ) -> NewRecord {
        NewRecord(
            tag: tag(number),
            partition: Boxes.partition(partition),
            kind: RecordKind(rawValue: kind),
            facts: box(number &* 1000 &+ version &* 7 &+ 1, count: facts),
            secret: secret == 0 ? [] : box(number &* 1000 &+ version &* 7 &+ 2, count: secret),
            searchTags: searchTags.map { SearchTag(rawValue: $0) }
        )
    }

    /// SplitMix64: as evenly spread as the keyed hashes that real tags are.
    static func mix(_ value: UInt64) -> UInt64 {
        var z = value &+ 0x9E37_79B9_7F4A_7C15
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
