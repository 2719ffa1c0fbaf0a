// SPDX-License-Identifier: Apache-2.0

import RecordStorage

extension ConformanceCase {
    static let changes = [
        ConformanceCase("a change is reported once") { group in
            let writer = try group.open()
            let reader = try group.open()
            try reader.refresh()
            try writer.commit(put: [Sample(record: 1, partition: 4)])
            try checkNames(try reader.refresh(), [Sample.partitionTag(4)])
            try checkEqual(try reader.refresh(), .none, "changes when nothing happened")
        },
        ConformanceCase("changes of several commits are reported together") { group in
            let writer = try group.open()
            let reader = try group.open()
            try reader.refresh()
            for number in 0..<10 as Range<UInt64> { try writer.commit(put: [Sample(record: 1, partition: number)]) }
            try checkNames(try reader.refresh(), Set((0..<10).map(Sample.partitionTag)))
            try checkEqual(try reader.refresh(), .none, "changes when nothing happened")
        },
        ConformanceCase("its own commits are not reported to a handle") { group in
            let store = try group.open()
            try store.refresh()
            try store.commit(put: [Sample(record: 1)])
            try checkEqual(try store.refresh(), .none, "changes after a commit of its own")
        },
        ConformanceCase("a commit is told what others changed before it") { group in
            let other = try group.open()
            let store = try group.open()
            try store.refresh()
            try other.commit(put: [Sample(record: 1, partition: 2)])
            try store.commit(until: .after(.seconds(30))) { context, batch throws(StorageError) in
                guard (try? checkNames(context.changes, [Sample.partitionTag(2)])) != nil else {
                    throw StorageError(.cancelled, detail: "the changes do not name the partition")
                }
                try batch.put(Sample(record: 1, partition: 3).new)
            }
            try checkEqual(try store.refresh(), .none, "changes after they were told to a commit")
        },
        ConformanceCase("the body of a commit reads the newest state") { group in
            let other = try group.open()
            let store = try group.open()
            for version in 1...5 as ClosedRange<UInt64> {
                try other.commit(put: [Sample(record: 1, version: version)])
                try store.commit(until: .after(.seconds(30))) { _, _ throws(StorageError) in
                    let contents = try store.contents(of: Sample.partitionTag(0))
                    guard contents.facts == [Sample(record: 1, version: version).facts] else {
                        throw StorageError(.cancelled, detail: "the body read an old state")
                    }
                }
            }
        },
        ConformanceCase("changes told to a body that throws are not told again") { group in
            let other = try group.open()
            let store = try group.open()
            try store.refresh()
            try other.commit(put: [Sample(record: 1)])
            try checkFails(.cancelled, "a body that throws") {
                try store.commit(until: .after(.seconds(30))) { context, _ throws(StorageError) in
                    if context.changes == .none { throw StorageError(.damaged, detail: "no changes were told") }
                    throw StorageError(.cancelled)
                }
            }
            try checkEqual(try store.refresh(), .none, "changes after they were told to a commit")
            try store.checkContents(0, [Sample(record: 1)])
        },
        ConformanceCase("removals are reported") { group in
            let writer = try group.open()
            let reader = try group.open()
            try writer.commit(put: [Sample(record: 1, partition: 1), Sample(record: 2, partition: 2)])
            try reader.refresh()
            try writer.commit(remove: [Sample(record: 1, partition: 1).removal(erasing: true)])
            try checkNames(try reader.refresh(), [Sample.partitionTag(1)])
            try reader.checkContents(1, [])
            try writer.commit(until: .after(.seconds(30))) { _, batch throws(StorageError) in try batch.removeAll() }
            try checkNames(try reader.refresh(), [Sample.partitionTag(2)])
            try reader.checkContents(2, [])
        },
        ConformanceCase("no change is lost when the store tidies up in between") { group in
            let writer = try group.open()
            let reader = try group.open()
            try writer.commit(put: (0..<100).map { Sample(record: $0, partition: $0 % 10) })
            try reader.refresh()
            try writer.commit(put: [Sample(record: 3, partition: 3, version: 1)])
            try group.reorganize(writer)
            try writer.commit(put: [Sample(record: 4, partition: 4, version: 1)])
            try checkNames(try reader.refresh(), [Sample.partitionTag(3), Sample.partitionTag(4)])
            let third = (0..<100).filter { $0 % 10 == 3 }.map {
                Sample(record: $0, partition: 3, version: $0 == 3 ? 1 : 0)
            }
            try reader.checkContents(3, third)
            try checkEqual(try reader.refresh(), .none, "changes when nothing happened")
        },
        ConformanceCase("a handle that was away for long misses nothing") { group in
            let writer = try group.open()
            let reader = try group.open()
            try reader.refresh()
            for version in 0..<1500 as Range<UInt64> {
                try writer.commit(put: [Sample(record: version % 3, partition: version % 5, version: version)])
            }
            try checkNames(try reader.refresh(), Set((0..<5).map(Sample.partitionTag)))
            for number in 0..<5 as Range<UInt64> {
                let newest = (1485..<1500).filter { $0 % 5 == number }
                let samples = newest.map { Sample(record: $0 % 3, partition: number, version: $0) }
                try reader.checkContents(number, samples)
            }
        },
    ]
}
