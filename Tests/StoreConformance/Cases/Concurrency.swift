// SPDX-License-Identifier: Apache-2.0

import RecordStorage

extension ConformanceCase {
    static let concurrency = [
        ConformanceCase("threads on one handle lose nothing") { group in
            let store = try group.open()
            try inThreads(4) { thread in
                for turn in 0..<50 {
                    try store.commit(put: [Sample(record: UInt64(turn), partition: UInt64(thread))])
                }
            }
            for handle in [store, try group.open()] {
                for thread in 0..<4 as Range<UInt64> {
                    try handle.checkContents(thread, (0..<50).map { Sample(record: $0, partition: thread) })
                }
            }
        },
        ConformanceCase("reading and writing back under the lock loses no update") { group in
            let handles = try (0..<4).map { _ in try group.open() }
            let opened = try group.open()
            try opened.commit(put: [Sample(record: 0, version: 0, factsLength: 50)])
            try inThreads(4) { thread in
                let store = handles[thread]
                for _ in 0..<50 {
                    try store.commit(until: .after(.seconds(30))) { _, batch throws(StorageError) in
                        let contents = try store.contents(of: Sample.partitionTag(0))
                        guard let facts = contents.facts.first ?? nil else { throw StorageError(.damaged) }
                        // The count is the length beyond 50.
                        try batch.put(Sample(record: 0, version: 0, factsLength: facts.count + 1).new)
                    }
                }
            }
            try opened.refresh()
            try opened.checkContents(0, [Sample(record: 0, version: 0, factsLength: 250)])
        },
        ConformanceCase("a reader sees whole transactions") { group in
            let writer = try group.open()
            let reader = try group.open()
            // What every store promises for one partition, some promise for several.
            let second: UInt64 = writer.isAtomicAcrossPartitions ? 2 : 1
            @Sendable func pair(_ version: UInt64) -> [Sample] {
                [
                    Sample(record: 1, partition: 1, version: version),
                    Sample(record: 2, partition: second, version: version),
                ]
            }
            try writer.commit(put: pair(0))
            let isDone = Flag()
            try inThreads(2) { thread in
                if thread == 0 {
                    defer { isDone.raise() }
                    for version in 1...300 as ClosedRange<UInt64> {
                        try writer.commit(put: pair(version))
                        if version % 60 == 0 { try group.reorganize(writer) }
                    }
                    return
                }
                var last: UInt64 = 0
                while !isDone.isRaised {
                    try reader.refresh()
                    let first = try reader.contents(of: Sample.partitionTag(1))
                    let others = second == 1 ? [] : try reader.contents(of: Sample.partitionTag(second)).records
                    let sequences = (first.records + others).map(\.sequence)
                    try checkEqual(sequences.count, 2, "records of one transaction")
                    try checkEqual(sequences[0], sequences[1], "numbers of records of one transaction")
                    try check(sequences[0] >= last, "time went back from \(last) to \(sequences[0])")
                    last = sequences[0]
                    _ = try first.box(at: first.records[0].secret)
                }
                try check(last > 0, "the reader read nothing")
            }
            try reader.refresh()
            try reader.checkContents(1, second == 1 ? pair(300) : [pair(300)[0]])
            if second != 1 { try reader.checkContents(second, [pair(300)[1]]) }
        },
        ConformanceCase("what is read after a refresh is as new as the word that was loaded before") { group in
            let writer = try group.open()
            let reader = try group.open()
            let committed = Counter()
            let isDone = Flag()
            try inThreads(2) { thread in
                if thread == 0 {
                    defer { isDone.raise() }
                    for version in 1...200 as ClosedRange<UInt64> {
                        try writer.commit(put: [Sample(record: 1, version: version)])
                        committed.set(try writer.contents(of: Sample.partitionTag(0)).records[0].sequence)
                    }
                    return
                }
                while !isDone.isRaised {
                    let atLeast = committed.value
                    _ = reader.revision.load()
                    try reader.refresh()
                    let found = try reader.contents(of: Sample.partitionTag(0)).records.first?.sequence ?? 0
                    try check(found >= atLeast, "an acknowledged commit (\(atLeast)) is not seen, but \(found)")
                }
            }
        },
        ConformanceCase("handles are opened and closed while others write") { group in
            let store = try group.open()
            let isDone = Flag()
            try inThreads(3) { thread in
                if thread == 0 {
                    defer { isDone.raise() }
                    for version in 1...150 as ClosedRange<UInt64> {
                        try store.commit(put: (0..<4).map { Sample(record: $0, version: version) })
                        if version % 50 == 0 { try group.reorganize(store) }
                    }
                    return
                }
                while !isDone.isRaised {
                    let handle = try group.open()
                    let contents = try handle.contents(of: Sample.partitionTag(0))
                    try check([0, 4].contains(contents.records.count), "half a transaction is seen")
                    try check(Set(contents.records.map(\.sequence)).count <= 1, "half a transaction is seen")
                    handle.close()
                }
            }
        },
    ]
}
