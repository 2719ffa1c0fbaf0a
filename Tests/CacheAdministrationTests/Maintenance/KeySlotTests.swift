// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import Sealing
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Key slots")
struct KeySlotTests {
    let fixture = GroupFixture()

    private func group(_ storage: StorageChoice = .automatic) throws -> CacheGroup {
        let group = try fixture.createGroup(storage)
        try group.take(.sections(["Account": [Document.account()]]))
        return group
    }

    private func opens(_ storage: StorageChoice) throws -> Bool {
        guard fixture.refusal(storage) == nil else { return false }
        return try CacheGroup(fixture.open(storage)).give().keys("Account").count == 1
    }

    @Test("slots are listed with their ways of opening, without a prompt")
    func listing() throws {
        let passphrase = AskedPassphrase("correct horse")
        let path = fixture.scratch.path("key")
        let all = StorageChoice.file(unlockedBy: .anyOf([.keyFile, .keyFile(path: path), passphrase.choice]))
        let slots = try group(all).keySlots()
        #expect(slots.map(\.kind) == [.ownKeyFile, .keyFile, .passphrase])
        #expect(slots.map(\.keyFilePath) == [fixture.keyFiles[0], path, nil])
        #expect(slots[2].passphraseMemoryByteCount == 64 << 20)
        #expect(passphrase.purposes == [.create])
        #expect(Set(slots.map(\.id)).count == 3)
    }

    @Test("a passphrase can be added, and the key file still works")
    func addPassphrase() throws {
        let group = try group()
        let passphrase = AskedPassphrase("correct horse")
        let slot = try group.addKeySlot(passphrase.choice)
        #expect(slot.kind == .passphrase)
        #expect(passphrase.purposes == [.addSlot])
        #expect(try opens(passphrase.storage))
        #expect(try opens(.automatic))
        #expect(try group.keySlots().count == 2)
    }

    @Test("a second passphrase is refused")
    func secondPassphrase() throws {
        let group = try group(AskedPassphrase("one").storage)
        let error = #expect(throws: TokenCacheError.self) {
            try group.addKeySlot(AskedPassphrase("two").choice)
        }
        #expect(error?.code == .passphraseSlotExists)
    }

    @Test("a key file can be added: one that is there, one that is made, one of the library's own")
    func addKeyFiles() throws {
        let passphrase = AskedPassphrase("correct horse")
        let group = try group(passphrase.storage)
        let existing = fixture.scratch.write([UInt8](repeating: 3, count: 40), to: "existing")
        let made = fixture.scratch.path("made")
        #expect(try group.addKeySlot(.keyFile(path: existing)).keyFilePath == existing)
        #expect(try group.addKeySlot(.keyFile(path: made)).keyFilePath == made)
        #expect(try group.addKeySlot(.keyFile).kind == .ownKeyFile)
        #expect(try opens(.file(unlockedBy: .keyFile(path: existing))))
        #expect(try opens(.file(unlockedBy: .keyFile(path: made))))
        #expect(try opens(.automatic))
        let again = #expect(throws: TokenCacheError.self) { try group.addKeySlot(.keyFile) }
        #expect(again?.code == .exists)
    }

    @Test("another open handle continues to work when a slot is added")
    func otherHandle() throws {
        let group = try group()
        let other = CacheGroup(try fixture.open())
        _ = try group.addKeySlot(.keyFile(path: fixture.scratch.path("key")))
        try other.opened.put(5)
        #expect(try group.opened.has(5))
        #expect(try other.give().keys("Account").count == 1)
    }

    @Test("a slot that is taken away opens nothing any more, and the keys are new")
    func remove() throws {
        let group = try group()
        let passphrase = AskedPassphrase("correct horse")
        let slot = try group.addKeySlot(passphrase.choice)
        let report = try group.removeKeySlot(String(slot.id.prefix(8)))
        #expect(report.epoch == 2)
        #expect(report.slots.map(\.kind) == [.ownKeyFile])
        #expect(fixture.refusal(passphrase.storage) == .keyMissing)
        #expect(try opens(.automatic))
    }

    @Test("the own key file goes with its slot")
    func removeOwnKeyFile() throws {
        let passphrase = AskedPassphrase("correct horse")
        let group = try group(.file(unlockedBy: .anyOf([.keyFile, passphrase.choice])))
        let slot = try #require(try group.keySlots().first { $0.kind == .ownKeyFile })
        _ = try group.removeKeySlot(slot.id)
        #expect(fixture.keyFiles.isEmpty)
        #expect(try opens(passphrase.storage))
    }

    @Test("a named key file stays when its slot is removed")
    func removeNamedKeyFile() throws {
        let path = fixture.scratch.path("key")
        let group = try group(.file(unlockedBy: .anyOf([.keyFile(path: path), .keyFile])))
        let slot = try #require(try group.keySlots().first { $0.kind == .keyFile })
        _ = try group.removeKeySlot(slot.id)
        #expect(FileManager.default.fileExists(atPath: path))
        #expect(fixture.refusal(.file(unlockedBy: .keyFile(path: path))) == .keyRejected)
    }

    @Test("the last slot is not taken away")
    func lastSlot() throws {
        let group = try group()
        let slot = try group.keySlots()[0]
        let error = #expect(throws: TokenCacheError.self) { try group.removeKeySlot(slot.id) }
        #expect(error?.code == .lastSlot)
        #expect(try opens(.automatic))
    }

    @Test("the error for a group without key slots names its store")
    func noSlots() throws {
        let group = CacheGroup(try fixture.create(.memory))
        let error = #expect(throws: TokenCacheError.self) { try group.keySlots() }
        #expect(error?.code == .storageMismatch)
        #expect(error?.detail == "a group in memory has no key slots")
    }

    @Test("a slot that is not there is not found", arguments: ["", "abc", "00000000", "zz"])
    func unknownSlot(id: String) throws {
        let group = try group()
        let error = #expect(throws: TokenCacheError.self) { try group.removeKeySlot(id) }
        #expect(error?.code == .slotNotFound)
    }
}
