// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import RecordStorage
import Testing

@testable import SecretServiceStorage

/// What no real keyring does on demand, by a service in memory over a real bus.
@Suite("A keyring with a quirk", .serialized, .timeLimit(.minutes(Scale.pick(10, release: 240))))
struct QuirkTests {
    private let keyring: PrivateKeyring
    private let group: ScratchGroup

    init() throws {
        keyring = try PrivateKeyring()
        group = try ScratchGroup(keyring.location())
    }

    private var log: String { keyring.folder.appendingPathComponent("fake.log").path }

    /// Puts the service with this quirk in the place of the keyring.
    private func start(_ quirk: String) throws {
        try keyring.killDaemon()
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let script = folder.appendingPathComponent("Fake/fake_secret_service.py").path
        try keyring.run(
            """
            /usr/bin/python3 '\(script)' \(quirk) '\(log)' & echo $! >"$KEYRING_FOLDER/daemon.pid"; \
            gdbus wait --session --timeout 30 org.freedesktop.secrets
            """
        )
    }

    /// Lets a quirk that was to come later begin.
    private func begin() throws {
        try Data().write(to: URL(fileURLWithPath: log + ".on"))
    }

    private func end() throws {
        try FileManager.default.removeItem(atPath: log + ".on")
    }

    /// A group with one partition, in a service whose quirk begins now.
    private func store(_ quirk: String) throws -> SecretServiceStore {
        try start("later-\(quirk)")
        let store = try group.create()
        try store.put([Records.record(1, in: 1, version: 1)])
        store.close()
        let reader = try group.open()
        _ = try reader.commit(until: .after(.seconds(20))) { _, _ throws(StorageError) in }
        try begin()
        return reader
    }

    private func change(_ store: SecretServiceStore) -> (code: StorageError.Code?, time: Duration) {
        failure { try store.put([Records.record(1, in: 1, version: 2)], until: .after(.milliseconds(1500))) }
    }

    @Test(
        "that does not answer is given up by the deadline, with the right error",
        arguments: [
            ("silent-Get", StorageError.Code.timeout), ("silent-SearchItems", .timeout),
            ("silent-GetSecrets", .timeout), ("TimedOut-SearchItems", .timeout), ("NoReply-GetSecrets", .timeout),
            ("TimedOut-SetSecret", .indeterminate), ("NoReply-SetSecret", .indeterminate),
            ("silent-SetSecret", .indeterminate), ("silent-after-SetSecret", .indeterminate),
            ("ends-at-SetSecret", .indeterminate), ("ends-after-SetSecret", .indeterminate),
            ("refuses-SetSecret", .keyringRefused), ("nonsense", .keyringRefused),
        ]
    )
    func silent(quirk: String, code: StorageError.Code) throws {
        let result = change(try store(quirk))
        #expect(result.code == code)
        #expect(result.time < .seconds(10), "\(result.time)")
    }

    @Test(
        "that left a change in doubt is asked for its outcome",
        arguments: [("silent-SetSecret", UInt8(1)), ("silent-after-SetSecret", 2)]
    )
    func doubt(quirk: String, version: UInt8) throws {
        let store = try store(quirk)
        #expect(change(store).code == .indeterminate)
        try end()
        #expect(try store.put([Records.record(9, in: 9)]) == 3)
        #expect(try store.version(in: 1) == version)
        #expect(try group.open().version(in: 1) == version)
    }

    @Test(
        "that finds nothing while it is locked is locked, not empty",
        arguments: ["locked-and-silent", "locked-and-empty"]
    )
    func locked(quirk: String) throws {
        let store = try store(quirk)
        #expect(failure { try store.contents(of: Records.partition(1)) }.code == .keyringLocked)
        #expect(change(store).code == .keyringLocked)
        #expect(failure { try group.open() }.code == .keyringLocked)
        try end()
        #expect(try store.version(in: 1) == 1)
    }

    @Test("that gives an empty secret while it is unlocked has damaged it")
    func empty() throws {
        let store = try store("empty")
        #expect(failure { try store.contents(of: Records.partition(1)) }.code == .damaged)
        #expect(change(store).code == .damaged)
    }

    @Test("that asks before it makes an item, and answers by itself, is followed")
    func asks() throws {
        try start("asks")
        let store = try group.create()
        try store.put([Records.record(1, in: 1, version: 1)])
        #expect(try group.open().version(in: 1) == 1)
    }

    @Test("that waits for a person is left after a second, and its question withdrawn")
    func asksForEver() throws {
        let store = try store("asks-for-ever")
        let result = failure { try store.put([Records.record(2, in: 2)], until: .after(.seconds(20))) }
        #expect(result.code == .promptPending)
        #expect(result.time < .seconds(10), "\(result.time)")
        try end()
        #expect(try store.put([Records.record(3, in: 3, version: 3)]) == 2)
        #expect(try String(contentsOfFile: log, encoding: .utf8).contains("Dismiss"))
        #expect(try group.open().partitions().count == 2)
    }

    @Test("that does not say whether it stopped asking leaves the save in doubt")
    func asksAndStays() throws {
        let store = try store("asks-and-stays")
        let result = failure { try store.put([Records.record(2, in: 2)], until: .after(.seconds(20))) }
        #expect(result.code == .indeterminate)
        #expect(result.time < .seconds(10), "\(result.time)")
        try end()
        #expect(try store.put([Records.record(3, in: 3, version: 3)]) == 3)
        #expect(try group.open().partitions().count == 2)
    }

    @Test("whose person agrees in the last moment has saved")
    func asksUntilTheEnd() throws {
        let store = try store("asks-until-the-end")
        #expect(try store.put([Records.record(2, in: 2, version: 2)], until: .after(.seconds(20))) == 2)
        try end()
        #expect(try group.open().version(in: 2) == 2)
    }

    @Test("whose sessions carry no secrets, as some of KWallet, is asked for others, and nothing is spoilt")
    func uselessSessions() throws {
        try start("useless-sessions")
        let store = try group.create()
        try store.put([Records.record(1, in: 1, version: 1)])
        for version in 2...6 as ClosedRange<UInt8> {
            store.items.client.disconnect()
            try store.put([Records.record(1, in: 1, version: version), Records.record(version.wide, in: version.wide)])
            #expect(try group.open().version(in: 1) == version)
        }
    }

    @Test("that refuses the keys of some sessions, as KWallet does, is asked for others")
    func refusedSessions() throws {
        try start("refuses-sessions")
        let store = try group.create()
        try store.put([Records.record(1, in: 1, version: 1)])
        for _ in 0..<3 {
            store.items.client.disconnect()
            #expect(try store.version(in: 1) == 1)
            #expect(try group.open().version(in: 1) == 1)
        }
    }

    @Test("whose question was dismissed has changed nothing")
    func asksInVain() throws {
        let store = try store("asks-in-vain")
        #expect(failure { try store.put([Records.record(2, in: 2)]) }.code == .promptDismissed)
        try end()
        #expect(try store.put([Records.record(2, in: 2, version: 2)]) == 2)
    }

    @Test("that has no default collection is missing one")
    func noAlias() throws {
        try start("no-alias")
        #expect(failure { try group.create() }.code == .keyringMissing)
    }

    @Test("is asked few things: eight to open and look up, four for a save")
    func callCounts() throws {
        let store = try store("none")
        store.close()
        try Data().write(to: URL(fileURLWithPath: log))
        func count() throws -> Int {
            try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").count
        }
        let reader = try group.open()
        #expect(try reader.version(in: 1) == 1)
        let opened = try count()
        #expect(opened <= 8)
        try reader.put([Records.record(1, in: 1, version: 2)])
        #expect(try count() - opened <= 4)
    }

    @Test("is asked two things for all of a small group")
    func smallGroup() throws {
        let store = try store("none")
        try store.put([Records.record(1, in: 2), Records.record(1, in: 3)])
        store.close()
        let reader = try group.open()
        try Data().write(to: URL(fileURLWithPath: log))
        for (tag, _) in try reader.partitionsToRead() { #expect(try !reader.contents(of: tag).records.isEmpty) }
        #expect(try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").count == 2)
    }
}

extension UInt8 {
    fileprivate var wide: UInt64 { UInt64(self) }
}
