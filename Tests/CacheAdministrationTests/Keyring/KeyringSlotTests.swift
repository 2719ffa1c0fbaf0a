// SPDX-License-Identifier: Apache-2.0

import FileStorage
import Foundation
import GroupDirectory
import Programs
import RecordStorage
import Sealing
import Testing

@testable import CacheAdministration
@testable import SecretServiceStorage
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("A file that the keyring opens", .serialized, .timeLimit(.minutes(Scale.pick(10, release: 240))))
struct KeyringSlotTests {
    private let fixture: KeyringFixture

    init() throws {
        fixture = try KeyringFixture()
    }

    private static let storage = StorageChoice.file(unlockedBy: .keyring)

    private func deleteItem() throws {
        try fixture.withItems(.slot) { calls, items throws(SecretServiceError) in
            for item in items { try calls.delete(item) }
        }
    }

    private func group(_ storage: StorageChoice = .automatic) throws -> CacheGroup {
        CacheGroup(try fixture.open(storage), timeout: .seconds(30))
    }

    @Test("it is made with an item and without a key file, and opens by itself")
    func creation() throws {
        let group = try fixture.create(Self.storage)
        try group.put(1)
        #expect(group.location.kind == .file)
        #expect(try group.fileStore?.keySlots.slots.map(\.kind) == [.keyring])
        #expect(try fixture.itemCount(.slot) == 1)
        #expect(!fixture.scratch.files.contains { $0.hasPrefix(".keys/") })
        #expect(try fixture.open().has(1))
        #expect(try fixture.open(Self.storage, access: .readOnly).has(1))
    }

    @Test("a collection that was named is found again without being named")
    func collection() throws {
        try fixture.create(.file(unlockedBy: .keyring(collection: "session"))).put(1)
        #expect(try fixture.open().has(1))
        #expect(try fixture.open(Self.storage).has(1))
    }

    @Test("several that create it at once get one group, and leave one item")
    func race() async throws {
        try await withThrowingTaskGroup(of: Void.self) { [fixture] tasks in
            for number in 0..<6 as Range<UInt64> {
                let opener = try fixture.opener(Self.storage, access: .create, timeout: .seconds(30))
                tasks.addTask { try opener.open().put(number) }
            }
            try await tasks.waitForAll()
        }
        let group = try fixture.open()
        #expect(try (0..<6).allSatisfy { try group.has($0) })
        #expect(try fixture.itemCount(.slot) == 1)
    }

    @Test("the second creator removes its own item and opens the existing group")
    func second() throws {
        var opener = try fixture.opener(Self.storage, access: .create)
        let fixture = fixture
        opener.onStep = { step in
            guard step == .keysMade else { return nil }
            _ = try? fixture.create(Self.storage).put(7)
            return nil
        }
        #expect(try opener.open().has(7))
        #expect(try fixture.itemCount(.slot) == 1)
    }

    @Test("without its item it cannot be opened, and no other is made")
    func missing() throws {
        try fixture.create(Self.storage).put(1)
        try deleteItem()
        #expect(try fixture.refusal(access: .create).code == .keyringItemMissing)
        #expect(try fixture.itemCount(.slot) == 0)
    }

    @Test("a locked keyring is not a missing item")
    func locked() throws {
        try fixture.create(Self.storage).put(1)
        try fixture.keyring.lock()
        #expect(try fixture.refusal().code == .keyringLocked)
    }

    @Test("an item that was changed is damaged")
    func damaged() throws {
        try fixture.create(Self.storage).put(1)
        try fixture.withItems(.slot) { calls, items throws(SecretServiceError) in
            for item in items { try calls.set(item, to: .sealed(Array("bm90IGEga2V5".utf8))) }
        }
        #expect(try fixture.refusal().code == .damaged)
    }

    @Test("a keyring that is away takes nothing from a group that opens in another way")
    func otherWay() throws {
        try fixture.create(.file(unlockedBy: .anyOf([.keyring, .keyFile]))).put(1)
        try fixture.keyring.killDaemon()
        #expect(try fixture.open().has(1))
        #expect(try fixture.refusal(Self.storage).code == .keyringMissing)
    }

    @Test("a slot for the keyring is added, and taken away with its item")
    func slots() throws {
        try fixture.create(.file(unlockedBy: .keyFile)).put(1)
        let added = try group().addKeySlot(.keyring)
        #expect(added.kind == .keyring)
        #expect(try fixture.open(Self.storage).has(1))
        #expect(throws: TokenCacheError.self) { try group().addKeySlot(.keyring) }
        #expect(try fixture.itemCount(.slot) == 1)
        _ = try group().removeKeySlot(added.id)
        #expect(try fixture.itemCount(.slot) == 0)
        #expect(try fixture.refusal(Self.storage).code == .keyMissing)
    }

    @Test("new keys come with a new item, and the old one goes")
    func rekey() throws {
        try fixture.create(.file(unlockedBy: .anyOf([.keyring, .keyFile])))
        let before = try group().keySlots().first { $0.kind == .keyring }?.id
        let other = try fixture.open(Self.storage)
        let report = try group().rekey()
        #expect(report.droppedSlots.isEmpty)
        #expect(report.slots.first { $0.kind == .keyring }?.id != before)
        #expect(try fixture.itemCount(.slot) == 1)
        // One that has it open follows by the item.
        try other.put(2)
        #expect(try fixture.open(Self.storage).has(2))
    }

    @Test("new keys are not made where the keyring is locked: its slot would be lost")
    func lockedRekey() throws {
        try fixture.create(.file(unlockedBy: .anyOf([.keyring, .keyFile]))).put(1)
        let group = try group()
        try fixture.keyring.lock()
        let error = #expect(throws: TokenCacheError.self) {
            try group.rekey(options: RekeyOptions(dropsOtherSlots: true))
        }
        #expect(error?.code == .keyringLocked)
    }
}
