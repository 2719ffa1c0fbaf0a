// SPDX-License-Identifier: Apache-2.0

import RecordStorage

extension ConformanceCase {
    static let deadlines = [
        ConformanceCase("a commit gives up by its deadline while another holds the lock") { group in
            let holder = try group.open()
            let store = try group.open()
            try holder.whileHoldingTheLock {
                let clock = SuspendingClock()
                let start = clock.now
                try checkFails(.busy, "a commit while another handle holds the lock") {
                    try store.commit(put: [Sample(record: 2)], until: .after(.milliseconds(150)))
                }
                let time = clock.now - start
                try check(time >= .milliseconds(140), "gave up after \(time), long before the deadline")
                try check(time < .seconds(5), "gave up after \(time), long after the deadline")
            }
            try store.commit(put: [Sample(record: 2)])
            try store.checkContents(0, [Sample(record: 1), Sample(record: 2)])
        },
        ConformanceCase("a commit of the same handle gives up by its deadline too") { group in
            let store = try group.open()
            try store.whileHoldingTheLock {
                try checkFails(.busy, "a commit while another thread holds the lock") {
                    try store.commit(put: [Sample(record: 2)], until: .after(.milliseconds(50)))
                }
            }
            try store.checkContents(0, [Sample(record: 1)])
        },
        ConformanceCase("a deadline in the past still lets a commit try once, where nothing but locks is waited for") {
            group in
            let store = try group.open()
            var made: [Sample] = []
            do throws(StorageError) {
                try store.commit(put: [Sample(record: 1)], until: .after(.seconds(-1)))
                made = [Sample(record: 1)]
            } catch {
                // A service is waited for as well, and nothing can be had from it in no time.
                try check(!store.isAtomicAcrossPartitions, "the commit failed: \(error)")
                try checkEqual(error.code, .timeout, "error")
            }
            try store.checkContents(0, made)
        },
        ConformanceCase("a waiting commit goes on as soon as the lock is free") { group in
            let holder = try group.open()
            let store = try group.open()
            try inThreads(2) { thread in
                if thread == 0 {
                    try holder.whileHoldingTheLock {}
                } else {
                    try store.commit(put: [Sample(record: 2)], until: .after(.seconds(20)))
                }
            }
            try store.refresh()
            try store.checkContents(0, [Sample(record: 1), Sample(record: 2)])
        },
        ConformanceCase("readers do not wait for the lock") { group in
            let holder = try group.open()
            let reader = try group.open()
            try holder.commit(put: [Sample(record: 5, partition: 5)])
            try holder.whileHoldingTheLock {
                let start = SuspendingClock().now
                try checkNames(try reader.refresh(until: .after(.milliseconds(500))), [Sample.partitionTag(5)])
                try reader.checkContents(5, [Sample(record: 5, partition: 5)])
                try reader.checkContents(0, [])
                let opened = try group.open()
                try opened.checkContents(5, [Sample(record: 5, partition: 5)])
                let time = SuspendingClock().now - start
                try check(time < .seconds(5), "reading took \(time) while another handle held the lock")
            }
        },
        ConformanceCase("the lock is free after a body that throws") { group in
            let store = try group.open()
            let other = try group.open()
            for _ in 0..<3 {
                try checkFails(.cancelled, "a body that throws") {
                    try store.commit(until: .after(.seconds(30))) { _, _ throws(StorageError) in
                        throw StorageError(.cancelled)
                    }
                }
                try other.commit(put: [Sample(record: 1)], until: .after(.milliseconds(500)))
            }
        },
    ]
}

extension RecordStore {
    /// Runs `body` while a commit of this handle, which puts record 1, is held up in its own body.
    fileprivate func whileHoldingTheLock(_ body: @escaping @Sendable () throws -> Void) throws {
        let isHeld = Signal()
        let mayGoOn = Signal()
        try inThreads(2) { thread in
            if thread == 0 {
                try self.commit(until: .after(.seconds(30))) { _, batch throws(StorageError) in
                    isHeld.give()
                    guard mayGoOn.wait() else { throw StorageError(.timeout) }
                    try batch.put(Sample(record: 1).new)
                }
                return
            }
            defer { mayGoOn.give() }
            try check(isHeld.wait(), "the lock was not got in time")
            try body()
        }
    }
}
