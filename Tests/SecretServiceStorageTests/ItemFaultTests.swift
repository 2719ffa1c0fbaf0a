// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Foundation
import GroupDirectory
import Programs
import RecordStorage
import Sealing
import SystemPackage
import Testing

@testable import SecretServiceStorage

@Suite("Items that others touched", .serialized, .timeLimit(.minutes(Scale.pick(10, release: 240))))
struct ItemFaultTests {
    private let keyring: PrivateKeyring
    private let group: ScratchGroup
    private let items: KeyringItems

    /// A group with two partitions.
    init() throws {
        keyring = try PrivateKeyring()
        group = try ScratchGroup(keyring.location())
        items = try KeyringItems(SecretServiceClient(keyring.location()), group.name)
        let store = try group.create()
        try store.put([Records.record(1, in: 1, version: 1), Records.record(2, in: 2, version: 2)])
        store.close()
    }

    private func attributes(_ partition: UInt64) -> [(key: String, value: String)] {
        items.attributes.all(.partition, tag: KeyringAttributes.text(Records.partition(partition)))
    }

    private func text(of partition: UInt64) throws -> [UInt8] {
        let attributes = attributes(partition)
        return try items.run(until: .after(.seconds(10))) { calls throws(SecretServiceError) in
            let found = try calls.search(attributes)
            return try calls.secrets(of: found) { $0.copied() }.values.first?.get() ?? []
        }
    }

    private var list: String { group.root.appending("\(group.name.text)/items").string }

    /// Gives the item of a partition this content.
    private func overwrite(_ partition: UInt64 = 1, with text: [UInt8]) throws {
        let attributes = attributes(partition)
        try items.run(until: .after(.seconds(10))) { calls throws(SecretServiceError) in
            for item in try calls.search(attributes) { try calls.set(item, to: .sealed(text)) }
        }
    }

    private func delete(_ attributes: [(key: String, value: String)]) throws {
        try items.run(until: .after(.seconds(10))) { calls throws(SecretServiceError) in
            for item in try calls.search(attributes) { try calls.delete(item) }
        }
    }

    /// Partition 1 cannot be read or changed, nothing was written over it, and everything else works.
    private func checkDamage(_ code: StorageError.Code, keeping expected: [UInt8]?) throws {
        let store = try group.open()
        #expect(failure { try store.contents(of: Records.partition(1)) }.code == code)
        #expect(failure { try store.put([Records.record(1, in: 1, version: 9)]) }.code == code)
        if let expected { #expect(try text(of: 1) == expected) }
        #expect(try store.version(in: 2) == 2)
        try store.put([Records.record(2, in: 2, version: 3)])
        #expect(try group.open().version(in: 2) == 3)
        // Clearing needs to read nothing.
        try store.commit(until: .after(.seconds(20))) { _, batch throws(StorageError) in try batch.removeAll() }
        try store.put([Records.record(1, in: 1, version: 4)])
        #expect(try group.open().version(in: 1) == 4)
    }

    enum Content: String, CaseIterable {
        case swapped, truncated, flipped, emptied, large, foreign
    }

    @Test("with another content are damaged, and not written over", arguments: Content.allCases)
    func content(_ content: Content) throws {
        var text: [UInt8]
        switch content {
        case .swapped: text = try self.text(of: 2)
        case .truncated: text = try self.text(of: 1).dropLast(8)
        case .flipped:
            text = try self.text(of: 1)
            text[120] = text[120] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        case .emptied: text = []
        case .large: text = [UInt8](repeating: UInt8(ascii: "A"), count: 1 << 20)
        case .foreign: text = Array(#"{"AccessToken":{}}"#.utf8)
        }
        try overwrite(with: text)
        // What is empty cannot be read back.
        try checkDamage(.damaged, keeping: text.isEmpty ? nil : text)
    }

    @Test("that do not verify do not affect the others, also without a list", arguments: [true, false])
    func severalDamaged(hasList: Bool) throws {
        let writer = try group.open()
        try writer.put((3...6).map { Records.record($0, in: $0, version: UInt8($0)) })
        writer.close()
        try overwrite(3, with: [])
        try overwrite(4, with: Array("{}".utf8))
        try overwrite(5, with: text(of: 6))
        try overwrite(1, with: [UInt8](repeating: UInt8(ascii: "A"), count: 1 << 20))
        if !hasList { try FileManager.default.removeItem(atPath: list) }
        let store = try group.open()
        #expect(try store.partitions().count == 6)
        for number in [1, 3, 4, 5] as [UInt64] {
            #expect(failure { try store.contents(of: Records.partition(number)) }.code == .damaged)
            #expect(failure { try store.put([Records.record(number, in: number)]) }.code == .damaged)
        }
        #expect(try store.version(in: 2) == 2)
        #expect(try store.version(in: 6) == 6)
        #expect(try store.contents(of: Records.partition(7)).records.isEmpty)
        // One of them may bear any name.
        #expect(try store.partitions(under: SearchTag(rawValue: 1)).count == (hasList ? 0 : 4))
        try store.put([Records.record(2, in: 2, version: 9), Records.record(7, in: 7, version: 7)])
        #expect(try group.open().version(in: 2) == 9)
        #expect(try text(of: 4) == Array("{}".utf8))
    }

    @Test("restored from an earlier state are damaged for a reader that knows the newer one")
    func replayed() throws {
        let old = try text(of: 1)
        try group.open().put([Records.record(1, in: 1, version: 5)])
        try overwrite(with: old)
        try checkDamage(.damaged, keeping: old)
    }

    @Test("that are missing are missing, not empty")
    func missing() throws {
        try delete(attributes(1))
        try checkDamage(.keyringItemMissing, keeping: nil)
    }

    @Test("that are there twice count once, the newest, and are one again after a save")
    func duplicated() throws {
        let old = try text(of: 1)
        try group.open().put([Records.record(1, in: 1, version: 5)])
        let attributes = attributes(1)
        _ = try items.run(until: .after(.seconds(10))) { calls throws(SecretServiceError) in
            try calls.create(attributes, label: KeyringAttributes.label, .sealed(old))
        }
        let store = try group.open()
        #expect(try store.version(in: 1) == 5)
        try store.put([Records.record(1, in: 1, version: 6)])
        let count = try items.run(until: .after(.seconds(10))) { calls throws(SecretServiceError) in
            try calls.search(attributes).count
        }
        #expect(count == 1)
        #expect(try group.open().version(in: 1) == 6)
    }

    @Test("with the key: if they are missing the group reports it and creates no new one")
    func keyMissing() throws {
        try delete(items.attributes.some(.key))
        #expect(failure { try group.open() }.code == .keyringItemMissing)
        #expect(failure { try group.create() }.code == .exists)
        #expect(failure { try group.open() }.code == .keyringItemMissing)
    }

    @Test(
        "with the key: one that does not verify counts as missing, and no other is requested",
        arguments: [60, 400]
    )
    func keySpoilt(offset: Int) throws {
        let search = items.attributes.some(.key)
        try items.run(until: .after(.seconds(10))) { calls throws(SecretServiceError) in
            for item in try calls.search(search) {
                var text = try calls.secrets(of: [item]) { $0.copied() }.values.first?.get() ?? []
                text[offset] = text[offset] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                try calls.set(item, to: .sealed(text))
            }
        }
        #expect(failure { try group.open() }.code == .keyringItemMissing)
        #expect(failure { try group.create() }.code == .exists)
    }

    @Test("of a folder elsewhere are not touched")
    func elsewhere() throws {
        let before = try text(of: 1)
        let other = FilePath(NSTemporaryDirectory()).appending("stc-keyring-other-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(atPath: other.string) }
        let directory = try GroupDirectory.open(root: other, name: group.name, access: .create)
        let open = failure { try SecretServiceStore.open(in: directory, keyring.location(), until: .standard) }
        #expect(open.code == .groupElsewhere)
        let create = failure {
            try SecretServiceStore.create(
                in: directory,
                keyring.location(),
                keys: .generate(),
                reason: "a test",
                until: .standard
            )
        }
        #expect(create.code == .exists)
        #expect(try text(of: 1) == before)
    }

    @Test("are all that a new run of the machine has, and are enough", arguments: [false, true])
    func withoutList(isSpoilt: Bool) throws {
        if isSpoilt {
            try Data([1, 2, 3]).write(to: URL(fileURLWithPath: list))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: list)
        } else {
            try FileManager.default.removeItem(atPath: list)
        }
        let store = try group.open()
        #expect(try store.version(in: 1) == 1)
        #expect(try store.contents(of: Records.partition(7)).records.isEmpty)
        #expect(try store.partitions().count == 2)
        let sequence = try store.put([Records.record(3, in: 3, version: 3)])
        #expect(sequence == 2)
        #expect(try group.open().partitions().count == 3)
    }

    @Test("give a number only once, even where all of them were removed and the list is gone")
    func numbers() throws {
        let store = try group.open()
        let sequence = try store.commit(until: .after(.seconds(20))) { _, batch throws(StorageError) in
            try batch.removeAll()
        }
        try FileManager.default.removeItem(atPath: list)
        #expect(try group.open().put([Records.record(1, in: 1)]) == sequence + 1)
    }

    @Test("say nothing about the group and its records in label and attributes, and nothing in clear but boxes")
    func blind() throws {
        let store = try group.open()
        let (first, second): (UInt64, UInt64) = (0x6C61_6974_6E65_6469, 0x7365_6372_6574_6C79)
        let tag = RecordTag(first: first, second: second)
        let search = SearchTag(rawValue: 0x7573_6572_6E61_6D65)
        let record = Records.record(5, in: 5)
        try store.put([
            NewRecord(
                tag: tag,
                partition: record.partition,
                kind: record.kind,
                facts: record.facts,
                secret: record.secret,
                searchTags: [search]
            )
        ])
        let attributes = attributes(5)
        let item = try #require(
            try items.run(until: .after(.seconds(20))) { calls throws(SecretServiceError) in
                try calls.search(attributes).first
            }
        )
        let label = try items.run(until: .after(.seconds(20))) { calls throws(SecretServiceError) in
            try calls.property("Label", of: BusMethod.itemInterface, at: item.path).text
        }
        let kept = try items.run(until: .after(.seconds(20))) { calls throws(SecretServiceError) in
            try calls.attributes(of: item)
        }
        #expect(label == "swift-token-cache")
        #expect(kept.map(\.key).sorted() == ["group", "role", "tag", "xdg:schema"])
        for value in kept.map(\.value) { #expect(!value.contains(group.name.text)) }
        let content = try #require(Data(base64Encoded: Data(text(of: 5))))
        #expect(content.range(of: Data(record.facts)) != nil)
        let hidden = [tag.first, tag.second, search.rawValue].map { number in
            var bytes: [UInt8] = []
            bytes.append(littleEndian: number)
            return Data(bytes)
        }
        for bytes in hidden + [Data(group.name.text.utf8)] { #expect(content.range(of: bytes) == nil) }
    }

    @Test("beyond the limits are refused with a word about the file")
    func limits() throws {
        let store = try group.open()
        let (code, _) = failure { try store.put([Records.record(1, in: 1, secret: 1 << 20)]) }
        #expect(code == .tooLarge)
        #expect(try store.version(in: 1) == 1)
        #expect(try store.put([Records.record(1, in: 1, version: 7)]) == 2)
    }
}
