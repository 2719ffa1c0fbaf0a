import Foundation
import Programs
import RecordStorage
import Sealing
import Testing

@testable import SecretServiceStorage

/// Each state that a keyring gets into, with each call of a store: in time, an error that says what it is; nothing is written
/// over; and work goes on afterwards.
@Suite("A keyring in a bad state", .serialized)
struct BadStateTests {
    enum Call: String, CaseIterable {
        case open, contents, save, removeAll, rekey
    }

    struct State: CustomTestStringConvertible, Sendable {
        let quirk: String
        let code: StorageError.Code
        /// Calls that do not meet it: they have nothing to ask for there.
        var unharmed: Set<Call> = []

        var testDescription: String { quirk }
    }

    static let states = [
        State(quirk: "locked", code: .keyringLocked),
        State(quirk: "locked-and-silent", code: .keyringLocked),
        State(quirk: "locked-and-empty", code: .keyringLocked),
        State(quirk: "no-collection", code: .keyringMissing),
        State(quirk: "stops-at-any", code: .timeout),
        State(quirk: "stops-at-SearchItems", code: .timeout),
        State(quirk: "stops-at-GetSecrets", code: .timeout, unharmed: [.removeAll]),
        State(quirk: "stops-at-SetSecret", code: .indeterminate, unharmed: [.open, .contents, .removeAll]),
        State(quirk: "stops-at-Delete", code: .indeterminate, unharmed: [.open, .contents, .save]),
        State(quirk: "stops-at-CreateItem", code: .indeterminate, unharmed: [.open, .contents, .save]),
        State(quirk: "silent-SetSecret", code: .indeterminate, unharmed: [.open, .contents, .removeAll]),
        State(quirk: "refuses-SetSecret", code: .keyringRefused, unharmed: [.open, .contents, .removeAll]),
        State(quirk: "refuses-GetSecrets", code: .keyringRefused, unharmed: [.removeAll]),
        State(quirk: "refuses-SearchItems", code: .keyringRefused),
    ]

    @Test("fails in time, with the right error, spoils nothing, and is used again", arguments: states)
    func state(_ state: State) throws {
        let fake = try FakeKeyring("later-\(state.quirk)")
        let group = try ScratchGroup(fake.keyring.place())
        let writer = try group.create()
        try writer.put([Records.record(1, in: 1, version: 1), Records.record(2, in: 2, version: 2)])
        writer.close()
        for call in Call.allCases {
            let store = try group.open()
            let before = try [store.version(in: 1), store.version(in: 2)]
            store.close()
            let fresh = try group.open()
            try fake.begin()
            let (code, time) = failure { try Self.perform(call, fresh, group) }
            try fake.end()
            #expect(time < .seconds(10), "\(call) took \(time)")
            #expect(code == (state.unharmed.contains(call) ? nil : state.code), "\(call)")
            fresh.close()
            let after = try group.open()
            let now = try [after.version(in: 1), after.version(in: 2)]
            switch (call, code) {
            case (.removeAll, nil): #expect(now == [nil, nil])
            case (.save, nil): #expect(now == [9, before[1]])
            // What became of it is known now, one way or the other.
            case (.removeAll, .indeterminate), (.save, .indeterminate): break
            default: #expect(now == before, "\(call)")
            }
            try after.put([Records.record(1, in: 1, version: 1), Records.record(2, in: 2, version: 2)])
            #expect(try group.open().version(in: 2) == 2)
        }
    }

    private static func perform(_ call: Call, _ store: SecretServiceStore, _ group: ScratchGroup) throws {
        switch call {
        case .open: try group.open(until: .standard).close()
        case .contents: _ = try store.contents(of: Records.partition(1))
        case .save: try store.put([Records.record(1, in: 1, version: 9)], until: .standard)
        case .removeAll: try store.commit(until: .standard) { _, batch throws(StorageError) in try batch.removeAll() }
        case .rekey:
            try store.replaceKeys(until: .standard) { keys throws(StorageError) in
                do throws(SealingError) {
                    return try keys.nextEpoch()
                } catch {
                    throw StorageError(.system)
                }
            }
        }
    }

    @Test("in whose place another one came is not written into, and not taken for empty")
    func replaced() throws {
        let fake = try FakeKeyring("none")
        let group = try ScratchGroup(fake.keyring.place())
        let store = try group.create()
        try store.put([Records.record(1, in: 1, version: 1), Records.record(2, in: 2, version: 2)])
        store.close()
        let fresh = try group.open()
        try fake.replace()
        for call in Call.allCases {
            #expect(failure { try Self.perform(call, fresh, group) }.code == .keyringItemMissing, "\(call)")
        }
        #expect(try !fake.log.contains("CreateItem"))
    }

    @Test(
        "that asks the person to unlock it says how that ended",
        arguments: [
            ("dismisses", StorageError.Code.promptDismissed),
            ("no-prompter", .keyringRefused),
        ]
    )
    func unlocking(quirk: String, code: StorageError.Code) throws {
        let fake = try FakeKeyring("later-\(quirk)")
        let group = try ScratchGroup(fake.keyring.place())
        let store = try group.create()
        try fake.begin()
        let (found, time) = failure {
            try store.items.run(until: .after(.seconds(20)), prompts: .allowed) { calls throws(SecretServiceError) in
                try calls.unlock()
            }
        }
        #expect(found == code)
        #expect(time < .seconds(10))
        try fake.end()
        try group.open().put([Records.record(1, in: 1)])
    }

    @Test("that does not come up when the bus starts it is given up in time")
    func activation() throws {
        let folder = try ScratchRoot()
        let service = "[D-BUS Service]\nName=org.freedesktop.secrets\nExec=/bin/sleep 15\n"
        try service.write(toFile: folder.path + "/secrets.service", atomically: true, encoding: .utf8)
        let bus = """
            <busconfig><type>session</type><listen>unix:path=\(folder.path)/bus</listen><auth>EXTERNAL</auth>
            <servicedir>\(folder.path)</servicedir>
            <policy context="default"><allow send_destination="*"/><allow own="*"/></policy></busconfig>
            """
        try bus.write(toFile: folder.path + "/bus.conf", atomically: true, encoding: .utf8)
        let daemon = try Program(path: "/usr/bin/dbus-daemon")
            .start(["--config-file=\(folder.path)/bus.conf", "--nofork", "--print-address=1"])
        defer { daemon.kill() }
        _ = daemon.waitForLines(1)
        let group = try ScratchGroup(SecretServicePlace(busAddress: "unix:path=\(folder.path)/bus"))
        let (code, time) = failure { try group.create(until: .standard) }
        #expect(code == .timeout)
        #expect(time < .seconds(10))
    }
}
