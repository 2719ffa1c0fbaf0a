// SPDX-License-Identifier: Apache-2.0

import RecordStorage
import Testing

@testable import SecretServiceStorage

/// A keyring that takes a while for each item, and transactions of many.
@Suite("A slow keyring", .serialized)
struct PerItemDeadlinesTests {
    private static let time = Duration.seconds(4)
    private static let records = (1...50 as ClosedRange<UInt64>).map { Records.record($0, in: $0, version: 1) }

    @Test("gets the time of a call for each item of a transaction of many, and not for all of them")
    func manyItems() throws {
        let fake = try FakeKeyring("later-slow")
        let group = try ScratchGroup(fake.keyring.location())
        let store = try group.create()
        try fake.begin()
        let start = SuspendingClock.now
        try store.put(Self.records, until: .after(Self.time))
        #expect(SuspendingClock.now - start > Self.time)
        try fake.end()
        #expect(try group.open().partitions().count == Self.records.count)
    }

    @Test("that stops in the middle of them is noticed after the time of one, and its items are found again")
    func stopsInTheMiddle() throws {
        let fake = try FakeKeyring("later-tires")
        let group = try ScratchGroup(fake.keyring.location())
        let store = try group.create()
        try fake.begin()
        // Enough for the first items on a loaded machine, and far less than for all of them.
        let (code, time) = failure { try store.put(Self.records, until: .after(.seconds(10))) }
        #expect(code == .indeterminate)
        #expect(time < .seconds(60), "\(time)")
        try fake.end()
        try store.put([Records.record(60, in: 60, version: 1)])
        // What it took before it stopped, and the one that came now.
        #expect(try group.open().partitions().count == 21)
        try store.put(Self.records)
        #expect(try group.open().partitions().count == Self.records.count + 1)
    }
}
