// SPDX-License-Identifier: Apache-2.0

import RecordStorage

extension ConformanceCase {
    static let sequences = [
        ConformanceCase("transactions of all handles are numbered without gaps") { group in
            let handles = [try group.open(), try group.open(), try group.open()]
            var last = try handles[0].newestSequence()
            for turn in 0..<30 {
                let sequence = try handles[turn % 3].commit(put: [Sample(record: UInt64(turn))])
                try checkEqual(sequence, last + 1, "number of a transaction")
                last = sequence
            }
        },
        ConformanceCase("numbers go on after opening again, tidying up and removing everything") { group in
            let store = try group.open()
            let first = try store.commit(put: [Sample(record: 1)])
            try group.reorganize(store)
            try checkEqual(try store.commit(put: [Sample(record: 2)]), first + 1, "number after tidying up")
            store.close()
            let again = try group.open()
            let third = try again.commit(until: .after(.seconds(30))) { _, batch throws(StorageError) in
                try batch.removeAll()
            }
            try checkEqual(third, first + 2, "number of a removal of everything")
            try group.reorganize(again)
            try checkEqual(try group.open().commit(put: [Sample(record: 3)]), first + 3, "number after removing all")
        },
        ConformanceCase("a record bears the number of the transaction that wrote it") { group in
            let store = try group.open()
            let first = try store.commit(put: [Sample(record: 1), Sample(record: 2)])
            let second = try store.commit(until: .after(.seconds(30))) { context, batch throws(StorageError) in
                guard context.sequence == first + 1 else { throw StorageError(.cancelled, detail: "wrong number") }
                try batch.put(Sample(record: 2, version: 1).new)
            }
            try group.reorganize(store)
            for handle in [store, try group.open()] {
                try handle.refresh()
                let records = try handle.contents(of: Sample.partitionTag(0)).records
                let numbers = Dictionary(uniqueKeysWithValues: records.map { ($0.tag, $0.sequence) })
                let expected = [Sample(record: 1).tag: first, Sample(record: 2).tag: second]
                try checkEqual(numbers, expected, "numbers of records")
            }
        },
        ConformanceCase("records keep the order in which they were written") { group in
            // Their place within a transaction is in their facts, here the length.
            let store = try group.open()
            var written: [Sample] = []
            for turn in 0..<4 as Range<UInt64> {
                let samples = (0..<8 as Range<UInt64>).map { place in
                    Sample(record: turn * 8 + (place * 5 + 3) % 8, factsLength: 60 + Int(place))
                }
                try store.commit(put: samples)
                written += samples
                try group.reorganize(store)
            }
            // A record that is written again comes last.
            let again = written.remove(at: 2)
            try store.commit(put: [again])
            written.append(again)
            try group.reorganize(store)
            for handle in [store, try group.open()] {
                try handle.refresh()
                let contents = try handle.contents(of: Sample.partitionTag(0))
                let order = contents.records.indices.sorted { left, right in
                    let (one, other) = (contents.records[left], contents.records[right])
                    return (one.sequence, contents.facts[left]?.count ?? 0)
                        < (other.sequence, contents.facts[right]?.count ?? 0)
                }
                try checkEqual(order.map { contents.records[$0].tag }, written.map(\.tag), "order of records")
            }
        },
        ConformanceCase("a commit of nothing writes nothing") { group in
            let store = try group.open()
            let other = try group.open()
            let sequence = try store.commit(put: [Sample(record: 1)])
            try other.refresh()
            let word = other.revision.load()
            try checkEqual(try store.commit(), sequence, "number after a commit of nothing")
            try checkEqual(other.revision.load(), word, "word after a commit of nothing")
            try checkEqual(try other.refresh(), .none, "changes after a commit of nothing")
            try checkEqual(try other.commit(put: [Sample(record: 2)]), sequence + 1, "next number")
        },
        ConformanceCase("a body that throws changes nothing") { group in
            let store = try group.open()
            let other = try group.open()
            let sequence = try store.commit(put: [Sample(record: 1)])
            try other.refresh()
            let word = other.revision.load()
            try checkFails(.cancelled, "a body that throws") {
                try store.commit(until: .after(.seconds(30))) { _, batch throws(StorageError) in
                    try batch.put(Sample(record: 1, version: 1).new)
                    try batch.put(Sample(record: 2, partition: 5).new)
                    try batch.removeAll()
                    throw StorageError(.cancelled)
                }
            }
            try checkEqual(other.revision.load(), word, "word after a body that throws")
            try checkEqual(try other.refresh(), .none, "changes after a body that throws")
            try store.checkContents(0, [Sample(record: 1)])
            try group.open().checkContents(5, [])
            try checkEqual(try store.commit(put: [Sample(record: 3)]), sequence + 1, "next number")
        },
        ConformanceCase("a body that throws after a big batch changes nothing") { group in
            let store = try group.open()
            try store.commit(put: [Sample(record: 1)])
            try checkFails(.cancelled, "a body that throws") {
                try store.commit(until: .after(.seconds(30))) { _, batch throws(StorageError) in
                    for number in 0..<600 as Range<UInt64> {
                        try batch.put(Sample(record: number, partition: number, secretLength: 10_000).new)
                    }
                    throw StorageError(.cancelled)
                }
            }
            for handle in [store, try group.open()] {
                try checkEqual(try handle.partitions().count, 1, "partitions after a body that throws")
                try handle.checkContents(0, [Sample(record: 1)])
            }
        },
        ConformanceCase("the word changes with each commit, for every handle") { group in
            let store = try group.open()
            let other = try group.open()
            for number in 0..<10 as Range<UInt64> {
                let words = (store.revision.load(), other.revision.load())
                try (number.isMultiple(of: 2) ? store : other).commit(put: [Sample(record: number)])
                try check(store.revision.load() != words.0, "the word of the first handle did not change")
                try check(other.revision.load() != words.1, "the word of the second handle did not change")
            }
        },
        ConformanceCase("nothing moves unnoticed where nothing happens") { group in
            let store = try group.open()
            try store.commit(put: [Sample(record: 1)])
            try store.refresh()
            try check(!store.hasUnannouncedChanges(), "something moved though nothing happened")
            try check(!store.hasUnannouncedChanges(), "something moved though nothing happened")
        },
    ]
}
