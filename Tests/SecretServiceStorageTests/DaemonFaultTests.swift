// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import RecordStorage
import SecretServiceStorage
import Testing

/// Calls here have a deadline of two seconds. How late they are is measured elsewhere: here only a call that hangs is to be
/// found, on whatever machine.
private let timeLimit = Duration.seconds(60)

@Suite("A keyring that fails", .serialized, .timeLimit(.minutes(Scale.pick(10, release: 240))))
struct DaemonFaultTests {
    private enum Call: String, CaseIterable, CustomTestStringConvertible {
        case open, contents, list, partitions, commit, remove, removeAll, rekey

        var testDescription: String { rawValue }
    }

    /// Whether a call needs the keyring at all: the list of partitions is in the folder.
    private static func perform(_ call: Call, _ store: SecretServiceStore, _ group: ScratchGroup) throws {
        switch call {
        case .open: try group.open(until: .standard).close()
        case .contents: _ = try store.contents(of: Records.partition(2))
        case .list: try store.readEverything()
        case .partitions: _ = try store.partitions()
        case .commit: try store.put([Records.record(9, in: 1, version: 9)], until: .standard)
        case .remove: try store.remove(1, until: .standard)
        case .removeAll: try store.commit(until: .standard) { _, batch throws(StorageError) in try batch.removeAll() }
        case .rekey: try store.rekey(until: .standard)
        }
    }

    /// A group with two partitions, and a handle that has read none of them.
    private func group(_ keyring: PrivateKeyring) throws -> (ScratchGroup, SecretServiceStore) {
        let group = try ScratchGroup(keyring.location())
        let writer = try group.create()
        try writer.put([Records.record(1, in: 1, version: 1), Records.record(2, in: 2, version: 2)])
        writer.close()
        return (group, try group.open())
    }

    private func check(_ codes: [Call: StorageError.Code], _ store: SecretServiceStore, _ group: ScratchGroup) {
        for call in Call.allCases where call != .partitions {
            let (code, time) = failure { try Self.perform(call, store, group) }
            #expect(code == codes[call] ?? codes[.commit], "\(call)")
            #expect(time < timeLimit, "\(call) took \(time)")
        }
        #expect(failure { try Self.perform(.partitions, store, group) }.code == nil)
    }

    private func checkNothingHappened(_ store: SecretServiceStore, _ group: ScratchGroup) throws {
        #expect(try store.version(in: 1) == 1)
        #expect(try store.version(in: 2) == 2)
        try store.put([Records.record(3, in: 3, version: 3)])
        let other = try group.open()
        #expect(try other.version(in: 1) == 1)
        #expect(try other.version(in: 3) == 3)
        #expect(try other.partitions().count == 3)
    }

    @Test("that is stopped is abandoned in time, and used again when it continues")
    func frozen() throws {
        let keyring = try PrivateKeyring()
        let (group, store) = try group(keyring)
        try keyring.freeze()
        check([.commit: .timeout], store, group)
        try keyring.thaw()
        try checkNothingHappened(store, group)
    }

    @Test("that was killed is missing, and used again when it is back")
    func killed() throws {
        let keyring = try PrivateKeyring()
        let (group, store) = try group(keyring)
        try keyring.killDaemon()
        check([.commit: .keyringMissing], store, group)
        try keyring.startDaemon()
        try checkNothingHappened(store, group)
    }

    @Test("that is killed while it is asked is missing, and used again when it is back")
    func killedMidCall() throws {
        let keyring = try PrivateKeyring()
        let (group, store) = try group(keyring)
        let monitor = try BusMonitor(keyring)
        for call in Call.allCases where call != .partitions {
            // It cannot answer any more, and somebody waits for it when it goes.
            try keyring.freeze()
            let mark = try monitor.mark()
            let isKilled = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                try? monitor.waitForCall(after: mark)
                try? keyring.killDaemon()
                isKilled.signal()
            }
            let (code, time) = failure { try Self.perform(call, store, group) }
            #expect(code == .keyringMissing, "\(call)")
            #expect(time < timeLimit, "\(call) took \(time)")
            try isKilled.waitForSignal()
            try keyring.startDaemon()
            #expect(try store.version(in: 1) == 1, "\(call)")
        }
        try checkNothingHappened(store, group)
    }

    @Test("whose bus goes away is missing")
    func busGone() throws {
        let keyring = try PrivateKeyring()
        let (group, store) = try group(keyring)
        try keyring.killBus()
        check([.commit: .keyringMissing], store, group)
    }

    @Test(
        "whose name another program has is not taken for the one with the group, and used again when it is back",
        arguments: [("stranger", StorageError.Code.keyringMissing), ("none", .keyringItemMissing)]
    )
    func nameTaken(quirk: String, code: StorageError.Code) throws {
        let keyring = try PrivateKeyring()
        let (group, store) = try group(keyring)
        try keyring.startFake(quirk)
        check([.commit: code], store, group)
        #expect(
            failure { try ScratchGroup(keyring.location()).create(until: .standard) }.code
                == (quirk == "none" ? nil : code)
        )
        try keyring.killDaemon()
        try keyring.startDaemon()
        try checkNothingHappened(store, group)
    }

    @Test("that was started again meanwhile is used without a word", arguments: [0, 1, 2])
    func restarted(turn: Int) throws {
        let keyring = try PrivateKeyring()
        let (group, store) = try group(keyring)
        try keyring.killDaemon()
        try keyring.startDaemon()
        switch turn {
        case 0: #expect(try store.version(in: 2) == 2)
        case 1: try store.put([Records.record(2, in: 2, version: 5)])
        default:
            try store.commit(until: .after(.seconds(20))) { _, batch throws(StorageError) in try batch.removeAll() }
        }
        #expect(try group.open().version(in: 2) == [2, 5, nil][turn])
    }

    @Test("that is locked says so, and loses nothing")
    func locked() throws {
        let keyring = try PrivateKeyring()
        let (group, store) = try group(keyring)
        try keyring.lock()
        check([.commit: .keyringLocked], store, group)
        try keyring.killDaemon()
        try keyring.startDaemon()
        try checkNothingHappened(store, group)
    }

    @Test("that was started locked says so, and loses nothing")
    func startedLocked() throws {
        let keyring = try PrivateKeyring()
        let (group, store) = try group(keyring)
        try keyring.killDaemon()
        try keyring.startDaemon(unlocked: false)
        check([.commit: .keyringLocked], store, group)
        try keyring.killDaemon()
        try keyring.startDaemon()
        try checkNothingHappened(store, group)
    }

    @Test("without the collection asked for is missing it")
    func noCollection() throws {
        let keyring = try PrivateKeyring()
        let group = try ScratchGroup(keyring.location(collection: "nowhere"))
        #expect(failure { try group.create(until: .standard) }.code == .keyringMissing)
    }

    @Test("whose bus is not there is missing")
    func noBus() throws {
        let group = try ScratchGroup(SecretServiceLocation(busAddress: "unix:path=/nowhere/at/all"))
        let (code, time) = failure { try group.create(until: .standard) }
        #expect(code == .keyringMissing)
        #expect(time < timeLimit)
    }
}
