// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import RecordStorage
import Sealing
import Testing

@testable import SecretServiceStorage

/// Each state that a keyring gets into, with each call of a store: in time, an error that says what it is; nothing is written
/// over; and work goes on afterwards.
@Suite("A keyring in a bad state", .serialized, .timeLimit(.minutes(Scale.pick(10, release: 240))))
struct BadStateTests {
    enum Call: String, CaseIterable {
        case open, openAsking, contents, list, refresh, save, remove, removeAll, rekey

        /// Those that ask the keyring for nothing that they did not read, or that the folder tells.
        static let local: Set<Call> = [.refresh]
    }

    struct State: CustomTestStringConvertible, Sendable {
        let quirk: String
        let code: StorageError.Code
        /// Calls that do not meet it: they have nothing to ask for there.
        var unharmed: Set<Call> = []
        /// Where a call that may ask the person ends otherwise.
        var asking: StorageError.Code?

        func code(_ call: Call) -> StorageError.Code? {
            if Call.local.contains(call) || unharmed.contains(call) { return nil }
            if call == .openAsking, let asking { return asking }
            return code
        }

        var testDescription: String { quirk }
    }

    private static let allButRekey = Set(Call.allCases).subtracting([.rekey])
    private static let reads: Set<Call> = [.open, .openAsking, .contents, .list]

    static let states = [
        State(quirk: "locked", code: .keyringLocked),
        State(quirk: "locked-and-silent", code: .keyringLocked),
        State(quirk: "locked-and-empty", code: .keyringLocked),
        State(quirk: "dismisses", code: .keyringLocked, asking: .promptDismissed),
        State(quirk: "no-prompter", code: .keyringLocked, asking: .keyringRefused),
        State(quirk: "no-collection", code: .keyringMissing),
        State(quirk: "stops-at-any", code: .timeout),
        State(quirk: "stops-at-SearchItems", code: .timeout),
        State(quirk: "stops-at-GetSecrets", code: .timeout, unharmed: [.removeAll]),
        State(quirk: "stops-at-SetSecret", code: .indeterminate, unharmed: reads),
        State(quirk: "stops-at-Delete", code: .indeterminate, unharmed: reads.union([.save])),
        State(quirk: "stops-at-CreateItem", code: .indeterminate, unharmed: allButRekey),
        State(quirk: "silent-SetSecret", code: .indeterminate, unharmed: reads),
        State(quirk: "refuses-SetSecret", code: .keyringRefused, unharmed: reads),
        State(quirk: "refuses-GetSecrets", code: .keyringRefused, unharmed: [.removeAll]),
        State(quirk: "refuses-SearchItems", code: .keyringRefused),
    ]

    @Test("fails in time, with the right error, spoils nothing, and is used again", arguments: states)
    func state(_ state: State) throws {
        let fake = try FakeKeyring("later-\(state.quirk)")
        let group = try ScratchGroup(fake.keyring.location())
        let writer = try group.create()
        try writer.put([Records.record(1, in: 1, version: 1), Records.record(2, in: 2, version: 2)])
        // From now on there is an anchor, which removals write.
        try writer.put([Records.record(3, in: 3)])
        try writer.remove(3, until: .after(.seconds(20)))
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
            #expect(code == state.code(call), "\(call)")
            fresh.close()
            let after = try group.open()
            let now = try [after.version(in: 1), after.version(in: 2)]
            switch (call, code) {
            case (.removeAll, nil): #expect(now == [nil, nil])
            case (.remove, nil): #expect(now == [nil, before[1]])
            case (.save, nil): #expect(now == [9, before[1]])
            // What became of it is known now, one way or the other.
            case (.removeAll, .indeterminate), (.remove, .indeterminate), (.save, .indeterminate): break
            default: #expect(now == before, "\(call)")
            }
            try after.put([Records.record(1, in: 1, version: 1), Records.record(2, in: 2, version: 2)])
            #expect(try group.open().version(in: 2) == 2)
        }
    }

    private static func perform(_ call: Call, _ store: SecretServiceStore, _ group: ScratchGroup) throws {
        switch call {
        case .open: try group.open(until: .standard).close()
        case .openAsking: try group.open(until: .standard, prompts: .allowed).close()
        case .contents: _ = try store.contents(of: Records.partition(1))
        case .list: try store.readEverything()
        case .refresh: _ = try store.refresh(until: .standard)
        case .save: try store.put([Records.record(1, in: 1, version: 9)], until: .standard)
        case .remove: try store.remove(1, until: .standard)
        case .removeAll: try store.commit(until: .standard) { _, batch throws(StorageError) in try batch.removeAll() }
        case .rekey: try store.rekey(until: .standard)
        }
    }

    @Test("in whose place another one came is not written into, and not taken for empty")
    func replaced() throws {
        let fake = try FakeKeyring("none")
        let group = try ScratchGroup(fake.keyring.location())
        let store = try group.create()
        try store.put([Records.record(1, in: 1, version: 1), Records.record(2, in: 2, version: 2)])
        store.close()
        let fresh = try group.open()
        try fake.replace()
        for call in Call.allCases where !Call.local.contains(call) {
            #expect(failure { try Self.perform(call, fresh, group) }.code == .keyringItemMissing, "\(call)")
        }
        #expect(try !fake.log.contains("CreateItem"))
    }

    @Test("that the bus starts and that does not come up is given up in time")
    func activation() throws {
        let bus = try StallingBus()
        let group = try ScratchGroup(SecretServiceLocation(busAddress: bus.address))
        let created = failure { try group.create(until: .standard) }
        #expect(created.code == .timeout)
        #expect(created.time < .seconds(10))

        let service = try bus.startService()
        let writer = try group.create()
        try writer.put((1...2).map { Records.record($0, in: $0, version: 1) })
        writer.close()
        let store = try group.open()
        try service.end()
        for call in Call.allCases where !Call.local.contains(call) {
            let (code, time) = failure { try Self.perform(call, store, group) }
            #expect(code == .timeout, "\(call)")
            #expect(time < .seconds(10), "\(call) took \(time)")
        }
    }
}
