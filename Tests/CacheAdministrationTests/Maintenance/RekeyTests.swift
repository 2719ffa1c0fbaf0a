// SPDX-License-Identifier: Apache-2.0

import FileStorage
import Foundation
import GroupDirectory
import RecordStorage
import Testing

@testable import CacheAdministration
@testable import Sealing
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Changing the keys of a group")
struct RekeyTests {
    let fixture = GroupFixture()

    private func group(_ storage: StorageChoice = .automatic) throws -> CacheGroup {
        let group = try fixture.createGroup(storage)
        try group.take(Document.person)
        return group
    }

    private func reopened(_ storage: StorageChoice = .automatic) throws -> CacheGroup {
        CacheGroup(try fixture.open(storage), timeout: .seconds(20))
    }

    @Test("everything is there afterwards, under a new key file")
    func keyFile() throws {
        let group = try group()
        let old = fixture.keyFiles
        let oldKey = FileManager.default.contents(atPath: old[0])
        let report = try group.rekey()
        #expect(report.epoch == 2)
        #expect(report.slots.map(\.kind) == [.ownKeyFile])
        #expect(report.droppedSlots.isEmpty)
        #expect(fixture.keyFiles.count == 1)
        #expect(fixture.keyFiles != old)
        #expect(FileManager.default.contents(atPath: fixture.keyFiles[0]) != oldKey)
        #expect(try group.give().value == Document.person.value)
        #expect(try reopened().give().value == Document.person.value)
    }

    @Test("the old key file is overwritten before it is removed")
    func overwritten() throws {
        let group = try group()
        let old = try FileHandle(forReadingFrom: URL(filePath: fixture.keyFiles[0]))
        _ = try group.rekey()
        #expect(try old.readToEnd() == Data(count: 32))
    }

    @Test("a key file that the caller named is neither overwritten nor removed")
    func named() throws {
        let path = fixture.scratch.path("named.key")
        let group = try group(.file(unlockedBy: .keyFile(path: path)))
        let content = FileManager.default.contents(atPath: path)
        _ = try group.rekey()
        #expect(content?.count == 32 && FileManager.default.contents(atPath: path) == content)
    }

    @Test("the keys of the last epoch are the last ones, and stay in force")
    func lastEpoch() throws {
        let opened = try fixture.create(.file(unlockedBy: .keyFile))
        let keys = try #require(try opened.keysAndSequence(until: .standard)?.keys)
        let store = try #require(opened.fileStore)
        let last = GroupKeys(uuid: keys.uuid, epoch: .max, rootKey: try .random(), tagKey: try keys.tagKey.copy())
        let keyFile = Array(try Data(contentsOf: URL(filePath: fixture.keyFiles[0])))
        let secret = try unsafe SecretBytes(copying: keyFile.span.bytes)
        let slots = try store.keySlots.rekeyed(from: keys, to: last, slots: [NewSlot(.keyFile(secret))])
        try store.replaceKeys(with: last, slots: slots, until: .standard) { (_, _, _, _) throws(StorageError) in
            ([], [])
        }
        opened.store.close()
        let before = fixture.keyFiles
        let error = #expect(throws: TokenCacheError.self) { try reopened().rekey() }
        #expect(error?.code == .tooLarge)
        #expect(fixture.keyFiles == before)
        #expect(try reopened().keySlots().count == 1)
    }

    @Test("the old key file opens nothing any more")
    func oldKeyFile() throws {
        let group = try group()
        let copy = fixture.scratch.path("copy")
        try FileManager.default.copyItem(atPath: fixture.keyFiles[0], toPath: copy)
        _ = try group.rekey()
        #expect(fixture.refusal(.file(unlockedBy: .keyFile(path: copy))) == .keyRejected)
    }

    @Test("a handle that is open elsewhere follows, reads and writes")
    func otherHandle() throws {
        let group = try group()
        let other = try reopened()
        try other.opened.put(1)
        for round in 0..<3 {
            _ = try group.rekey()
            #expect(try other.opened.has(1))
            #expect(try other.give().value == Document.person.value)
            try other.opened.put(UInt64(round) + 2)
            #expect(try group.opened.has(UInt64(round) + 2))
        }
        #expect(fixture.keyFiles.count == 1)
    }

    @Test("a handle with a passphrase asks for it again after another process changed the keys")
    func passphraseElsewhere() throws {
        let here = AskedPassphrase("correct horse")
        let group = try group(here.storage)
        let there = AskedPassphrase("correct horse")
        let other = try reopened(there.storage)
        _ = try group.rekey()
        #expect(here.purposes == [.create, .keep])
        #expect(there.purposes == [.open])
        #expect(try other.give().value == Document.person.value)
        #expect(there.purposes == [.open, .reopen])
    }

    @Test("a slot that nothing was given for keeps the keys from being changed, unless it may go")
    func dropping() throws {
        let passphrase = AskedPassphrase("correct horse")
        _ = try group(.file(unlockedBy: .anyOf([.keyFile, passphrase.choice])))
        let group = try reopened()
        let error = #expect(throws: TokenCacheError.self) { try group.rekey() }
        #expect(error?.code == .keyMissing)
        #expect(try reopened(passphrase.storage).keySlots().count == 2)
        let report = try group.rekey(options: RekeyOptions(dropsOtherSlots: true))
        #expect(report.droppedSlots.map(\.kind) == [.passphrase])
        #expect(report.slots.map(\.kind) == [.ownKeyFile])
        #expect(fixture.refusal(passphrase.storage) == .keyMissing)
    }

    @Test("slots are kept whose secrets are given")
    func keeping() throws {
        let passphrase = AskedPassphrase("correct horse")
        let path = fixture.scratch.path("key")
        _ = try group(.file(unlockedBy: .anyOf([.keyFile, passphrase.choice, .keyFile(path: path)])))
        let group = try reopened()
        let options = RekeyOptions(keeping: [passphrase.choice, .keyFile(path: path)])
        let report = try group.rekey(options: options)
        #expect(report.slots.count == 3)
        #expect(report.droppedSlots.isEmpty)
        #expect(try reopened(passphrase.storage).give().value == Document.person.value)
        #expect(try reopened(.file(unlockedBy: .keyFile(path: path))).give().value == Document.person.value)
        #expect(FileManager.default.contents(atPath: path)?.count == 32)
    }

    @Test("a wrong passphrase changes nothing")
    func wrongPassphrase() throws {
        let passphrase = AskedPassphrase("correct horse")
        _ = try group(.file(unlockedBy: .anyOf([.keyFile, passphrase.choice])))
        let journal = fixture.contents("journal")
        let files = fixture.keyFiles
        let group = try reopened()
        let options = RekeyOptions(keeping: [AskedPassphrase("wrong").choice])
        let error = #expect(throws: TokenCacheError.self) {
            try group.rekey(options: options)
        }
        #expect(error?.code == .keyRejected)
        #expect(fixture.contents("journal") == journal)
        #expect(fixture.keyFiles == files)
    }

    @Test("killed at any step, the group opens, and later changes of keys clear up", arguments: RekeyStep.allCases)
    func killed(step: RekeyStep) throws {
        let group = try group()
        #expect(throws: TokenCacheError.self) {
            try group.rekey(onStep: { $0 == step ? StorageError(.cancelled) : nil })
        }
        let next = try reopened()
        #expect(try next.give().value == Document.person.value)
        #expect(try group.give().value == Document.person.value)
        let wasMade = fixture.keyFiles.count == 2 && step == .keyFileMade
        _ = try next.rekey()
        // One that was made for keys that are not in force opens a newer state, for all that is known.
        #expect(fixture.keyFiles.count == (wasMade ? 2 : 1))
        for _ in 0..<2 { _ = try next.rekey() }
        #expect(fixture.keyFiles.count == 1)
        #expect(try reopened().give().value == Document.person.value)
        #expect(try group.give().value == Document.person.value)
    }

    @Test(
        "what is done with an older state that was put back leaves the key file of the newer one",
        arguments: [false, true]
    )
    func putBack(addsSlot: Bool) throws {
        let passphrase = AskedPassphrase("correct horse")
        let group = try group()
        let slot = try group.addKeySlot(passphrase.choice)
        let older = try #require(fixture.contents("journal"))
        _ = try group.removeKeySlot(slot.id)
        group.close()
        let (newer, newKey) = (try #require(fixture.contents("journal")), fixture.keyFiles)
        #expect(newKey.count == 1)
        try put(older)
        let found = try reopened(passphrase.storage)
        _ = try found.rekey(options: RekeyOptions(dropsOtherSlots: true))
        if addsSlot { #expect(try found.addKeySlot(.keyFile).kind == .ownKeyFile) }
        found.close()
        #expect(Set(fixture.keyFiles).isSuperset(of: newKey))
        try put(newer)
        #expect(try reopened().give().value == Document.person.value)
    }

    /// Puts a journal in the place of the one that is there, as who restores the folder.
    private func put(_ journal: Data) throws {
        fixture.scratch.write([UInt8](journal), to: "group/journal")
        try? fixture.remove("revision")
    }

    @Test("a change of keys can be cancelled and then changes nothing")
    func cancelling() throws {
        let group = try fixture.createGroup()
        let tokens = (0..<2_000).map { Document.accessToken(user: "u\($0).t") }
        try group.take(.sections(["AccessToken": tokens]))
        let (journal, files) = (fixture.contents("journal"), fixture.keyFiles)
        let error = #expect(throws: TokenCacheError.self) { try group.rekey(progress: { _ in .cancel }) }
        #expect(error?.code == .cancelled)
        #expect(fixture.contents("journal") == journal)
        #expect(fixture.keyFiles == files)
    }

    @Test("keys that never came into force are forgotten, here and for others", arguments: [false, true])
    func failed(othersGoFirst: Bool) throws {
        _ = try group()
        let opened = try fixture.open()
        let group = CacheGroup(opened, timeout: .seconds(20))
        let hasty = CacheGroup(opened, timeout: .milliseconds(50))
        let directory = try #require(opened.directory)
        let lock = try directory.lock(.writer, until: .after(.seconds(20)))
        let error = #expect(throws: TokenCacheError.self) { try hasty.rekey() }
        lock.release()
        #expect(error?.code == .busy)
        #expect(fixture.keyFiles.count == 1)
        if othersGoFirst { _ = try reopened().rekey() }
        #expect(try group.give().value == Document.person.value)
        #expect(try group.rekey().epoch == (othersGoFirst ? 3 : 2))
        #expect(try group.give().value == Document.person.value)
    }

    @Test("nothing of the old journal is left in the folder")
    func oldJournal() throws {
        let group = try group()
        let old = try #require(fixture.contents("journal"))
        _ = try group.rekey()
        let new = try #require(fixture.contents("journal"))
        #expect(new != old)
        let names = try FileManager.default.contentsOfDirectory(atPath: try #require(group.location.folder)).sorted()
        #expect(Set(names).subtracting(["journal", "leases", "lock", "quarantine", "revision", "store"]).isEmpty)
    }

    @Test("the keys of a group in memory, or open for reading, are not changed")
    func refused() throws {
        let memory = try CacheGroup.open("group", storage: .memory)
        #expect(throws: TokenCacheError.self) { try memory.rekey() }
        _ = try group()
        let reading = CacheGroup(try fixture.open(access: .readOnly))
        let error = #expect(throws: TokenCacheError.self) { try reading.rekey() }
        #expect(error?.code == .readOnly)
    }
}
