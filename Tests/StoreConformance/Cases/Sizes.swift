// SPDX-License-Identifier: Apache-2.0

import RecordStorage

extension ConformanceCase {
    static let sizes = [
        ConformanceCase("a transaction of 6 MiB is one transaction") { group in
            let store = try group.open()
            let reader = try group.open()
            try store.commit(put: [Sample(record: 7, partition: 3), Sample(record: 8, partition: 1000)])
            try reader.refresh()
            let samples = (0..<2500).map { Sample(record: $0, partition: $0 % 500, secretLength: 2400) }
            let sequence = try store.commit(put: samples)
            try checkNames(try reader.refresh(), Set((0..<500).map(Sample.partitionTag)))
            for handle in [store, reader, try group.open()] {
                try checkEqual(try handle.partitions().map(\.recordCount).reduce(0, +), 2502, "number of records")
                for number in stride(from: 0 as UInt64, to: 500, by: 41) {
                    var expected = samples.filter { $0.partition == number }
                    if number == 3 { expected.append(Sample(record: 7, partition: 3)) }
                    try handle.checkContents(number, expected)
                    for record in try handle.contents(of: Sample.partitionTag(number)).records
                    where record.tag != Sample(record: 7).tag {
                        try checkEqual(record.sequence, sequence, "number of a record")
                    }
                }
                try handle.checkContents(1000, [Sample(record: 8, partition: 1000)])
            }
            try checkEqual(try store.commit(put: [Sample(record: 1)]), sequence + 1, "next number")
        },
        ConformanceCase("a big transaction replaces and removes too") { group in
            let store = try group.open()
            try store.commit(put: (0..<1000).map { Sample(record: $0, partition: $0 % 100, secretLength: 500) })
            let puts = (0..<900).map { Sample(record: $0, partition: $0 % 100, version: 1, secretLength: 7000) }
            try store.commit(
                put: puts,
                remove: (900..<1000).map { Sample(record: $0, partition: $0 % 100).removal(erasing: $0 % 2 == 0) }
            )
            for handle in [store, try group.open()] {
                try checkEqual(try handle.partitions().map(\.recordCount).reduce(0, +), 900, "records left")
                for number in [0, 57, 99] as [UInt64] {
                    try handle.checkContents(number, puts.filter { $0.partition == number })
                }
            }
        },
        ConformanceCase("one record may be large") { group in
            let store = try group.open()
            let samples = [
                Sample(record: 1, factsLength: 200_000, secretLength: 1_000_000), Sample(record: 2, factsLength: 41),
            ]
            try store.commit(put: samples)
            try store.commit(put: [Sample(record: 3, partition: 1)])
            for handle in [store, try group.open()] { try handle.checkContents(0, samples) }
        },
        ConformanceCase("thousands of partitions are kept apart") { group in
            let store = try group.open()
            for start in stride(from: 0 as UInt64, to: 5000, by: 500) {
                try store.commit(put: (start..<start + 500).map { Sample(record: $0, partition: $0, secretLength: 60) })
            }
            for handle in [store, try group.open()] {
                try checkEqual(try handle.partitions().count, 5000, "number of partitions")
                for number in stride(from: 0 as UInt64, to: 5000, by: 173) {
                    try handle.checkContents(number, [Sample(record: number, partition: number, secretLength: 60)])
                }
            }
        },
        ConformanceCase("thousands of small commits leave the last word of each record") { group in
            let store = try group.open()
            let reader = try group.open()
            let count = UInt64(group.smallCommitCount)
            let first = try store.newestSequence()
            for version in 0..<count {
                try store.commit(put: [Sample(record: version % 10, partition: version % 50, version: version)])
                if version % 500 == 0 { try reader.refresh() }
            }
            try checkEqual(try store.newestSequence(), first + count, "number after all commits")
            try reader.refresh()
            for handle in [store, reader, try group.open()] {
                for number in 0..<min(50, count) {
                    let version = (count - 1 - number) / 50 * 50 + number
                    try handle.checkContents(
                        number,
                        [
                            Sample(record: number % 10, partition: number, version: version)
                        ]
                    )
                }
            }
        },
    ]
}
