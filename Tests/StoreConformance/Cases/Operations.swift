// SPDX-License-Identifier: Apache-2.0

import RecordStorage
import SeededRandom

extension ConformanceCase {
    static let operations = [
        ConformanceCase("a record replaces the one of the same tag") { group in
            let store = try group.open()
            for version in 0..<5 as Range<UInt64> {
                try store.commit(put: [Sample(record: 1, version: version, secretLength: 100 + Int(version) * 50)])
            }
            let newest = Sample(record: 1, version: 4, secretLength: 300)
            try store.checkContents(0, [newest])
            try group.open().checkContents(0, [newest])
        },
        ConformanceCase("of several operations on one tag the last one counts") { group in
            let store = try group.open()
            try store.commit(put: [Sample(record: 3)])
            try store.commit(until: .after(.seconds(30))) { _, batch throws(StorageError) in
                try batch.put(Sample(record: 1, version: 1).new)
                try batch.put(Sample(record: 1, version: 2).new)
                try batch.put(Sample(record: 2).new)
                try batch.remove(Sample(record: 2).removal(erasing: false))
                try batch.remove(Sample(record: 3).removal(erasing: true))
                try batch.put(Sample(record: 3, version: 3).new)
            }
            let expected = [Sample(record: 1, version: 2), Sample(record: 3, version: 3)]
            try store.checkContents(0, expected)
            try group.open().checkContents(0, expected)
        },
        ConformanceCase("one tag in two partitions is two records") { group in
            let store = try group.open()
            try store.commit(put: [Sample(record: 1, partition: 1), Sample(record: 1, partition: 2, version: 1)])
            try store.commit(remove: [Sample(record: 1, partition: 1).removal(erasing: true)])
            for handle in [store, try group.open()] {
                try handle.checkContents(1, [])
                try handle.checkContents(2, [Sample(record: 1, partition: 2, version: 1)])
            }
        },
        ConformanceCase("records and removals of many partitions are one transaction") { group in
            let store = try group.open()
            let reader = try group.open()
            try store.commit(put: (0..<20).map { Sample(record: $0, partition: $0) })
            try store.commit(
                put: (20..<40).map { Sample(record: $0, partition: $0 - 20) },
                remove: (0..<20).map { Sample(record: $0, partition: $0).removal(erasing: false) }
            )
            try reader.refresh()
            for number in 0..<20 as Range<UInt64> {
                try reader.checkContents(number, [Sample(record: number + 20, partition: number)])
            }
        },
        ConformanceCase("random transactions leave what a dictionary would hold") { group in
            let store = try group.open()
            var model: [Sample: Sample] = [:]
            var generator = SeededGenerator(stream: 42)
            for version in 0..<150 as Range<UInt64> {
                var puts: [Sample] = []
                var removals: [Removal] = []
                for _ in 0..<Int.random(in: 0..<6, using: &generator) {
                    let key = Sample(
                        record: .random(in: 0..<12, using: &generator),
                        partition: .random(in: 0..<4, using: &generator)
                    )
                    var sample = key
                    sample.version = version
                    sample.factsLength = 40 + .random(in: 0..<200, using: &generator)
                    sample.secretLength = generator.pick(0, 150, 300)
                    puts.append(sample)
                    model[key] = sample
                }
                for _ in 0..<Int.random(in: 0..<3, using: &generator) {
                    let key = Sample(
                        record: .random(in: 0..<12, using: &generator),
                        partition: .random(in: 0..<4, using: &generator)
                    )
                    removals.append(key.removal(erasing: generator.once(in: 2)))
                    model[key] = nil
                }
                try store.commit(put: puts, remove: removals)
                if version % 37 == 36 { try group.reorganize(store) }
                guard version % 10 == 9 else { continue }
                for handle in [store, try group.open()] {
                    for number in 0..<4 as Range<UInt64> {
                        try handle.checkContents(number, model.values.filter { $0.partition == number })
                    }
                }
            }
        },
    ]
}
