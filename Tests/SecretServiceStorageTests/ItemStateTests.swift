// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Foundation
import Programs
import RecordStorage
import Testing

@testable import SecretServiceStorage

/// Each thing that can become of an item, with each call of a store, in a real keyring.
@Suite("An item in a bad state", .serialized, .timeLimit(.minutes(Scale.pick(10, release: 240))))
struct ItemStateTests {
    enum Call: String, CaseIterable {
        case open, list, read, save, saveElsewhere, remove, removeAll, rekey
    }

    /// What became of the item of partition 1.
    enum State: String, CaseIterable, CustomTestStringConvertible {
        /// It and the one of partition 2 have each other's content.
        case swapped
        /// It has the content of the one of partition 2.
        case copied
        /// It is as it was before the last save.
        case replayed
        /// It is there twice, once as it was before the last save.
        case duplicated
        case emptied
        /// A megabyte of nothing.
        case large
        /// It has what another group wrote for a partition of this tag.
        case foreign
        /// Another program put its own there.
        case text
        case missing

        var testDescription: String { rawValue }

        func code(_ call: Call) -> StorageError.Code? {
            switch (self, call) {
            case (_, .open), (_, .saveElsewhere), (_, .removeAll), (.duplicated, _): nil
            // What is read together is known by its content: all of it is there.
            case (.swapped, .list): nil
            // Under new keys it would open no more where somebody puts it back.
            case (.missing, .rekey): .damaged
            case (.missing, _): .keyringItemMissing
            default: .damaged
            }
        }
    }

    private static let count: UInt64 = 8

    @Test("is found in time by every reader that needs it, and is not overwritten", arguments: State.allCases)
    func state(_ state: State) throws {
        let keyring = try PrivateKeyring()
        for call in Call.allCases {
            let scene = try Scene(keyring)
            try scene.put(state)
            let before = try scene.contents()
            let store = try scene.group.open()
            let (code, time) = failure { try perform(call, store, scene) }
            #expect(code == state.code(call), "\(call)")
            #expect(time < .seconds(10), "\(call) took \(time)")
            if state.code(call) != nil || call == .open || call == .list || call == .read {
                #expect(try scene.contents() == before, "\(call)")
            }
            // Work goes on beside it, and where it is put right.
            try store.put([Records.record(7, in: 7, version: 70)])
            #expect(try scene.group.open().version(in: 7) == 70, "\(call)")
            guard code != nil else { continue }
            try scene.repair()
            let repaired = try scene.group.open()
            for number in 1...6 as ClosedRange<UInt64> {
                #expect(try repaired.version(in: number) == UInt8(number), "\(call)")
            }
            try repaired.put([Records.record(1, in: 1, version: 10)])
            #expect(try scene.group.open().version(in: 1) == 10)
        }
    }

    private func perform(_ call: Call, _ store: SecretServiceStore, _ scene: Scene) throws {
        switch call {
        case .open: try scene.group.open(until: .standard).close()
        case .list: try store.readEverything()
        case .read: _ = try store.contents(of: Records.partition(1))
        case .save: try store.put([Records.record(1, in: 1, version: 9)], until: .standard)
        case .saveElsewhere: try store.put([Records.record(3, in: 3, version: 9)], until: .standard)
        case .remove: try store.remove(1, until: .standard)
        case .removeAll: try store.commit(until: .standard) { _, batch throws(StorageError) in try batch.removeAll() }
        case .rekey: try store.rekey(until: .standard)
        }
    }

    @Test("and was read together with others is read again by its place before it is changed")
    func placeBeforeChange() throws {
        let scene = try Scene(PrivateKeyring())
        try scene.put(.swapped)
        let store = try scene.group.open()
        try store.readEverything()
        let before = try scene.contents()
        // It has what partition 2 needs.
        #expect(failure { try store.put([Records.record(1, in: 1, version: 9)]) }.code == .damaged)
        #expect(try scene.contents() == before)
    }

    /// A group of eight partitions, the first of which was saved twice.
    private struct Scene {
        let keyring: PrivateKeyring
        let group: ScratchGroup
        let items: KeyringItems
        private let older: [UInt8]
        private let newer: [UInt8]
        private let second: [UInt8]

        init(_ keyring: PrivateKeyring) throws {
            self.keyring = keyring
            group = try ScratchGroup(keyring.location())
            items = try KeyringItems(SecretServiceClient(keyring.location()), group.name)
            let store = try group.create()
            try store.put((1...count).map { Records.record($0, in: $0, version: UInt8($0)) })
            older = try Self.text(of: 1, items)
            try store.put([Records.record(1, in: 1, version: 1)])
            newer = try Self.text(of: 1, items)
            second = try Self.text(of: 2, items)
            store.close()
        }

        func put(_ state: State) throws {
            switch state {
            case .swapped:
                try set(1, to: second)
                try set(2, to: newer)
            case .copied: try set(1, to: second)
            case .replayed: try set(1, to: older)
            case .duplicated: try make(1, older)
            case .emptied: try set(1, to: [])
            case .large: try set(1, to: [UInt8](repeating: UInt8(ascii: "A"), count: 1 << 20))
            case .foreign:
                let other = try ScratchGroup(keyring.location())
                let store = try other.create()
                try store.put([Records.record(1, in: 1, version: 66)])
                let content = try Self.text(of: 1, KeyringItems(SecretServiceClient(keyring.location()), other.name))
                try set(1, to: content)
            case .text: try set(1, to: Array(#"{"AccessToken":{}}"#.utf8))
            case .missing: try delete(1)
            }
        }

        func repair() throws {
            for (number, text) in [(1, newer), (2, second)] as [(UInt64, [UInt8])] {
                try delete(number)
                try make(number, text)
            }
        }

        /// All that the keyring has of the group, by path. What cannot be read is empty.
        func contents() throws -> [String: [UInt8]] {
            try items.run(until: .after(.seconds(20))) { [items] calls throws(SecretServiceError) in
                var contents: [String: [UInt8]] = [:]
                for role in [KeyringAttributes.Role.key, .partition, .anchor] {
                    let found = try calls.search(items.attributes.some(role))
                    for item in found { contents[item.path] = [] }
                    for (path, secret) in try calls.secrets(of: found, { $0.copied() }) {
                        contents[path] = (try? secret.get()) ?? []
                    }
                }
                return contents
            }
        }

        private static func attributes(_ number: UInt64, _ items: KeyringItems) -> [(key: String, value: String)] {
            items.attributes.all(.partition, tag: KeyringAttributes.text(Records.partition(number)))
        }

        private static func text(of number: UInt64, _ items: KeyringItems) throws -> [UInt8] {
            try items.run(until: .after(.seconds(20))) { calls throws(SecretServiceError) in
                let found = try calls.search(attributes(number, items))
                return try calls.secrets(of: found) { $0.copied() }.values.first?.get() ?? []
            }
        }

        private func set(_ number: UInt64, to text: [UInt8]) throws {
            try items.run(until: .after(.seconds(20))) { [items] calls throws(SecretServiceError) in
                for item in try calls.search(Self.attributes(number, items)) { try calls.set(item, to: .sealed(text)) }
            }
        }

        private func make(_ number: UInt64, _ text: [UInt8]) throws {
            _ = try items.run(until: .after(.seconds(20))) { [items] calls throws(SecretServiceError) in
                try calls.create(Self.attributes(number, items), label: KeyringAttributes.label, .sealed(text))
            }
        }

        private func delete(_ number: UInt64) throws {
            try items.run(until: .after(.seconds(20))) { [items] calls throws(SecretServiceError) in
                for item in try calls.search(Self.attributes(number, items)) { try calls.delete(item) }
            }
        }
    }
}
