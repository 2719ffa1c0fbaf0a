// SPDX-License-Identifier: Apache-2.0

import RecordStorage

extension ConformanceCase {
    static let sharing = [
        ConformanceCase("a lease is held by one handle at a time, and others by others") { group in
            let first = try group.open()
            let second = try group.open()
            guard let lease = try first.tryLease(1 << 61) else { throw failure("a free lease was refused") }
            try check(try second.tryLease(1 << 61) == nil, "two handles have the same lease")
            try check(try first.tryLease(1 << 61) == nil, "one handle has the same lease twice")
            let other = try second.tryLease(7)
            try check(other != nil, "another lease was refused")
            lease.release()
            lease.release()
            let next = try second.tryLease(1 << 61)
            try check(next != nil, "a lease was not given back")
            other?.release()
            next?.release()
        },
        ConformanceCase("a lease that nobody refers to any more is free") { group in
            let store = try group.open()
            _ = try store.tryLease(3)
            try check(try group.open().tryLease(3) != nil, "a lease outlived its holder")
        },
        ConformanceCase("of many threads that ask for a lease at once one gets it") { group in
            let stores = try (0..<4).map { _ in try group.open() }
            for round in 0..<50 as Range<UInt64> {
                let winners = Tally()
                try inThreads(4) { thread in
                    if let lease = try stores[thread].tryLease(round) { winners.keep(lease) }
                }
                try checkEqual(winners.count, 1, "holders of lease \(round)")
            }
        },
        ConformanceCase("holding a lease keeps nobody from reading or committing") { group in
            let store = try group.open()
            let lease = try store.tryLease(0)
            let other = try group.open()
            try other.commit(put: [Sample(record: 1)], until: .after(.seconds(2)))
            try store.refresh()
            try store.checkContents(0, [Sample(record: 1)])
            lease?.release()
        },
        ConformanceCase("another handle shows the newest state and moves on its own") { group in
            let store = try group.open()
            let writer = try group.open()
            try writer.commit(put: [Sample(record: 1)])
            let other = try store.makeHandle(until: .after(.seconds(30)))
            try other.checkContents(0, [Sample(record: 1)])
            try writer.commit(put: [Sample(record: 2)])
            try store.refresh()
            try other.checkContents(0, [Sample(record: 1)])
            try checkNames(try other.refresh(), [Sample.partitionTag(0)])
            try other.checkContents(0, [Sample(record: 1), Sample(record: 2)])
            other.close()
            try store.checkContents(0, [Sample(record: 1), Sample(record: 2)])
        },
        ConformanceCase("a watch wakes for each commit of any handle, and when it is stopped") { group in
            let store = try group.open()
            let writer = try group.open()
            let watch = store.watchChanges()
            for (number, committer) in [writer, store, writer].enumerated() {
                let sample = Sample(record: UInt64(number))
                try inThreads(2) { thread in
                    if thread == 0 {
                        try committer.commit(put: [sample])
                    } else {
                        // A wake-up for nothing is allowed.
                        var isThere = false
                        while !isThere {
                            try check(watch.wait(), "a watch ended that nobody stopped")
                            try store.refresh()
                            isThere = try store.contents(of: Sample.partitionTag(0)).records.contains {
                                $0.tag == sample.tag
                            }
                        }
                    }
                }
            }
            try inThreads(2) { thread in
                if thread == 0 { watch.stop() } else { while watch.wait() {} }
            }
            try check(!watch.wait(), "a stopped watch waits again")
        },
    ]

    private static func failure(_ text: String) -> ConformanceFailure { ConformanceFailure(text, #fileID, #line) }
}
