// SPDX-License-Identifier: Apache-2.0

import RecordStorage

extension ConformanceCase {
    static let readers = [
        ConformanceCase("contents stay as they were, whatever is committed afterwards") { group in
            let store = try group.open()
            let reader = try group.open()
            let old = (0..<20).map { Sample(record: $0) }
            try store.commit(put: old)
            try reader.refresh()
            let contents = try reader.contents(of: Sample.partitionTag(0))
            for version in 1...100 as ClosedRange<UInt64> {
                try store.commit(put: [Sample(record: version % 20, version: version)])
                try reader.refresh()
            }
            try contents.check(old)
        },
        ConformanceCase("contents stay as they were while the store tidies up again and again") { group in
            let store = try group.open()
            let reader = try group.open()
            var kept: [(PartitionContents, [Sample])] = []
            for version in 0..<6 as Range<UInt64> {
                let samples = (0..<30).map { Sample(record: $0, version: version, secretLength: 2000) }
                try store.commit(put: samples)
                try reader.refresh()
                kept.append((try reader.contents(of: Sample.partitionTag(0)), samples))
                try group.reorganize(store)
                try reader.refresh()
                kept.append((try reader.contents(of: Sample.partitionTag(0)), samples))
            }
            for (contents, samples) in kept { try contents.check(samples) }
        },
        ConformanceCase("a reader knows the epoch of its boxes") { group in
            let store = try group.open()
            var epoch: UInt32 = 0
            try store.commit(until: .after(.seconds(30))) { context, batch throws(StorageError) in
                epoch = context.epoch
                try batch.put(Sample(record: 1).new)
            }
            try checkEqual(try store.contents(of: Sample.partitionTag(0)).reader.epoch, epoch, "epoch of a reader")
            try checkEqual(try store.contents(of: Sample.partitionTag(9)).reader.epoch, epoch, "epoch of no records")
        },
        ConformanceCase("a place outside everything is damage, not other bytes") { group in
            let store = try group.open()
            try store.commit(put: [Sample(record: 1)])
            let contents = try store.contents(of: Sample.partitionTag(0))
            try checkFails(.damaged, "reading at an impossible place") {
                try contents.box(at: BoxLocation(offset: 1 << 60, length: 100))
            }
        },
        ConformanceCase("an error thrown while a box is lent goes through") { group in
            let store = try group.open()
            try store.commit(put: [Sample(record: 1)])
            let contents = try store.contents(of: Sample.partitionTag(0))
            try checkFails(.keyRejected, "an error of the borrower") {
                try contents.reader.withBox(at: contents.records[0].facts) { _ throws(StorageError) in
                    throw StorageError(.keyRejected)
                }
            }
        },
        ConformanceCase("many threads read one partition at once") { group in
            let store = try group.open()
            let samples = (0..<50).map { Sample(record: $0) }
            try store.commit(put: samples)
            let contents = try store.contents(of: Sample.partitionTag(0))
            try inThreads(8) { _ in
                for _ in 0..<20 {
                    try contents.check(samples)
                    try store.checkContents(0, samples)
                }
            }
        },
    ]
}
