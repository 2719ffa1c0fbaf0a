// SPDX-License-Identifier: Apache-2.0

import FileStorage
import Foundation
import GroupDirectory
import Programs
import RecordStorage
import Sealing
import Synchronization
import Testing

@Suite("Keys that another process changed", .timeLimit(.minutes(10)))
struct UnlockingTests {
    /// What may find that the keys are not known any more.
    enum Call: String, CaseIterable, Sendable {
        case refresh, commit, verify, compact, replaceSlots

        func run(_ store: FileStore, until deadline: Deadline) throws(StorageError) {
            switch self {
            case .refresh: _ = try store.refresh(until: deadline)
            case .commit:
                try store.commit(until: deadline) { _, batch throws(StorageError) in
                    try batch.put(Boxes.record(50, in: 5))
                }
            case .verify: _ = try store.verify(until: deadline)
            case .compact: try store.compact(until: deadline)
            case .replaceSlots:
                // Keys that are not in force any more: refused, once the new ones are known.
                let slots = try store.keySlots
                guard let keys = try? GroupKeys.generate() else { throw StorageError(.system) }
                try store.replaceKeys(with: keys, slots: slots, until: deadline) {
                    _,
                    _,
                    _,
                    _ throws(StorageError) in throw StorageError(.system)
                }
            }
        }
    }

    @Test("are unlocked while no lock is held, and once", arguments: Call.allCases)
    func withoutLock(_ call: Call) throws {
        let fixture = try Fixture()
        let probe = try fixture.group.directory(.readWrite)
        let wasFree = Mutex<[Bool]>([])
        fixture.gate.atUnlock { wasFree.withLock { $0.append((try? probe.tryLock(.writer)) != nil) } }
        try fixture.rekey()
        let failure = code { try call.run(fixture.store, until: .standard) }
        #expect(failure == (call == .replaceSlots ? .foreign : nil))
        #expect(wasFree.withLock { $0 } == [true])
        _ = try fixture.store.refresh(until: .standard)
        #expect(fixture.store.epoch == 2)
    }

    @Test("block no caller beyond its own deadline", arguments: Call.allCases)
    func othersGoOn(_ call: Call) throws {
        let fixture = try Fixture()
        let hasBegun = DispatchSemaphore(value: 0)
        let mayEnd = DispatchSemaphore(value: 0)
        let hasEnded = DispatchSemaphore(value: 0)
        fixture.gate.atUnlock {
            hasBegun.signal()
            _ = mayEnd.wait(timeout: .now() + 60)
        }
        try fixture.rekey()
        let store = fixture.store
        Thread {
            try? call.run(store, until: .after(.seconds(60)))
            hasEnded.signal()
        }.start()
        try hasBegun.waitForSignal()
        let start = ContinuousClock.now
        #expect(try store.facts(1, in: 1) == Boxes.record(1, in: 1).facts)
        #expect(code { try store.refresh(until: .after(.milliseconds(50))) } == .timeout)
        #expect(code { try Call.commit.run(store, until: .after(.milliseconds(50))) } == .timeout)
        try fixture.other.write([Boxes.record(2, in: 2)])
        #expect(ContinuousClock.now - start < .seconds(30))
        mayEnd.signal()
        try hasEnded.waitForSignal()
        _ = try store.refresh(until: .standard)
        #expect(try store.secret(2, in: 2) == Boxes.record(2, in: 2).secret)
    }

    @Test("that do not open the slots leave the store as it was, and the next call asks again")
    func refused() throws {
        let fixture = try Fixture()
        try fixture.rekey(isKnown: false)
        for call in [Call.refresh, .commit, .refresh] {
            #expect(code { try call.run(fixture.store, until: .standard) } == .keyRejected)
        }
        #expect(fixture.store.epoch == 1)
        #expect(try fixture.store.facts(1, in: 1) == Boxes.record(1, in: 1).facts)
        fixture.group.ring.add(fixture.newKeys)
        #expect(try fixture.store.refresh(until: .standard) == .everything)
        #expect(fixture.store.epoch == 2)
    }

    @Test("a repair unlocks while no lock is held", arguments: [true, false])
    func repair(isDryRun: Bool) throws {
        let group = try ScratchGroup()
        try group.create().write([Boxes.record(1, in: 1)])
        try group.flip(at: 3000)
        let probe = try group.directory(.readWrite)
        let wasFree = Mutex<[Bool]>([])
        let ring = group.ring
        let report = try FileStore.repair(
            in: group.directory(.readWrite),
            until: .standard,
            dryRun: isDryRun
        ) { slots, _ throws(StorageError) in
            wasFree.withLock { $0.append((try? probe.tryLock(.writer)) != nil) }
            return try ring.keys(for: slots)
        }
        #expect(report?.wasDamaged == true)
        #expect(report?.isRepaired == !isDryRun)
        #expect(wasFree.withLock { !$0.isEmpty && !$0.contains(false) })
    }

    /// A store whose keys another handle replaces.
    private final class Fixture {
        let group: ScratchGroup
        let store: FileStore
        let other: FileStore
        let newKeys: GroupKeys
        let gate = Gate()

        init() throws {
            let group = try ScratchGroup()
            self.group = group
            other = try group.create()
            try other.write([Boxes.record(1, in: 1)])
            newKeys = try group.keys.nextEpoch()
            let gate = gate
            let ring = group.ring
            store = try FileStore.open(in: group.directory(.readWrite), until: .standard) {
                slots,
                _ throws(StorageError) in
                gate.pass()
                return try ring.keys(for: slots)
            }
        }

        func rekey(isKnown: Bool = true) throws {
            let slots = try ScratchGroup.slots(for: newKeys)
            try other.replaceKeys(with: newKeys, slots: slots, until: .standard) {
                _,
                _,
                facts,
                secret throws(StorageError) in (facts.copied, secret?.copied ?? [])
            }
            if isKnown { group.ring.add(newKeys) }
        }
    }

    /// Does something whenever keys are unlocked.
    private final class Gate: Sendable {
        private let action = Mutex<(@Sendable () -> Void)?>(nil)

        func atUnlock(_ body: @escaping @Sendable () -> Void) {
            action.withLock { $0 = body }
        }

        func pass() {
            action.withLock(\.self)?()
        }
    }
}
