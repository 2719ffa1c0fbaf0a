// SPDX-License-Identifier: Apache-2.0

import RecordStorage
import SeededRandom

extension ConformanceCase {
    static let visibility = [
        ConformanceCase("a fresh group is empty") { group in
            let store = try group.open()
            try check(try store.partitions().isEmpty, "a fresh group has partitions")
            try store.checkContents(1, [])
            try check(try store.partitions(under: Sample.searchTag(1)).isEmpty, "a fresh group has names")
            try check(store.readOnlyReason == nil, "a fresh group is read-only")
        },
        ConformanceCase("a commit is visible to its own handle at once") { group in
            let store = try group.open()
            try store.commit(put: [Sample(record: 1), Sample(record: 2)])
            try store.checkContents(0, [Sample(record: 1), Sample(record: 2)])
        },
        ConformanceCase("a commit is visible to another handle after its refresh, and not before") { group in
            let writer = try group.open()
            let reader = try group.open()
            try writer.commit(put: [Sample(record: 1)])
            try reader.checkContents(0, [])
            try reader.refresh()
            try reader.checkContents(0, [Sample(record: 1)])
        },
        ConformanceCase("handles see each other's commits in turn") { group in
            let first = try group.open()
            let second = try group.open()
            for version in 0..<20 as Range<UInt64> {
                let (writer, reader) = version.isMultiple(of: 2) ? (first, second) : (second, first)
                try writer.commit(put: [Sample(record: 1, version: version), Sample(record: version, partition: 1)])
                try reader.refresh()
                try reader.checkContents(0, [Sample(record: 1, version: version)])
                try reader.checkContents(1, (0...version).map { Sample(record: $0, partition: 1) })
            }
        },
        ConformanceCase("everything is there again after closing and opening") { group in
            let store = try group.open()
            let samples = (0..<50).map { Sample(record: UInt64($0), partition: UInt64($0 % 7)) }
            for sample in samples { try store.commit(put: [sample]) }
            let partitions = try store.partitions()
            let before = try store.contents(of: Sample.partitionTag(3)).records.map(\.sequence)
            store.close()
            let again = try group.open()
            for number in 0..<7 as Range<UInt64> {
                try again.checkContents(number, samples.filter { $0.partition == number })
            }
            try checkEqual(
                Set(try again.partitions().map(\.tag)),
                Set(partitions.map(\.tag)),
                "partitions after opening again"
            )
            let after = try again.contents(of: Sample.partitionTag(3)).records.map(\.sequence)
            try checkEqual(after, before, "sequences of records after opening again")
        },
        ConformanceCase("everything is there again after tidying up, and after opening then") { group in
            let store = try group.open()
            for round in 0..<3 as Range<UInt64> {
                let samples = (0..<40).map { Sample(record: $0, partition: $0 % 5, version: round) }
                try store.commit(put: samples)
                try group.reorganize(store)
                for handle in [store, try group.open()] {
                    try handle.refresh()
                    for number in 0..<5 as Range<UInt64> {
                        try handle.checkContents(number, samples.filter { $0.partition == number })
                    }
                }
            }
        },
        ConformanceCase("records come in order of their tags") { group in
            let store = try group.open()
            let samples = (0..<100).map { Sample(record: $0 &* 0x9E37_79B9) }
            var generator = SeededGenerator(for: "order of tags")
            for sample in samples.shuffled(using: &generator) { try store.commit(put: [sample]) }
            let tags = try store.contents(of: Sample.partitionTag(0)).records.map(\.tag)
            try checkEqual(tags, tags.sorted(), "order of tags")
            try checkEqual(tags.count, 100, "number of records")
        },
        ConformanceCase("partitions are counted") { group in
            let store = try group.open()
            try store.commit(put: (0..<30).map { Sample(record: $0, partition: $0 % 4) })
            try store.commit(remove: [Sample(record: 3, partition: 3).removal(erasing: false)])
            let counts = Dictionary(uniqueKeysWithValues: try store.partitions().map { ($0.tag, $0.recordCount) })
            let expected: [PartitionTag: Int] = [
                Sample.partitionTag(0): 8, Sample.partitionTag(1): 8, Sample.partitionTag(2): 7,
                Sample.partitionTag(3): 6,
            ]
            try checkEqual(counts, expected, "counts of partitions")
        },
        ConformanceCase("a record without a secret has no place for one") { group in
            let store = try group.open()
            let samples = [Sample(record: 1, secretLength: 0), Sample(record: 2)]
            try store.commit(put: samples)
            try store.checkContents(0, samples)
            try checkEqual(
                try group.open().contents(of: Sample.partitionTag(0)).records.filter { $0.secret.length == 0 }.count,
                1,
                "number of records without a secret"
            )
        },
        ConformanceCase("any number is a kind") { group in
            let store = try group.open()
            let samples = (0..<256).map { Sample(record: $0, factsLength: 48, secretLength: 48) }
            try store.commit(put: samples)
            try store.checkContents(0, samples)
            try group.open().checkContents(0, samples)
        },
    ]
}
