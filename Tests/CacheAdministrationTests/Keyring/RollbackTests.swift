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

@Suite("An older file in the place of a newer one", .serialized, .timeLimit(.minutes(Scale.pick(10, release: 240))))
struct RollbackTests {
    private let fixture: KeyringFixture

    init() throws {
        fixture = try KeyringFixture()
    }

    private var journal: String { fixture.scratch.path("group/journal") }

    private func create() throws -> OpenedGroup {
        try fixture.create(.file(unlockedBy: .anyOf([.keyring, .keyFile])))
    }

    private func remove(_ number: UInt64, from group: OpenedGroup) throws {
        let partition = PartitionTag(first: number, second: 1)
        try group.store.commit(until: .after(.seconds(20))) { _, batch throws(StorageError) in
            try batch.remove(
                Removal(tag: RecordTag(first: number, second: 2), partition: partition, erasesSecret: true)
            )
        }
    }

    private func copy() throws -> Data { try #require(FileManager.default.contents(atPath: journal)) }

    /// As somebody would who restores a folder: without the page, which remembers more for as long as the machine runs.
    private func putBack(_ data: Data) throws {
        try FileManager.default.removeItem(atPath: fixture.scratch.path("group/revision"))
        try FileManager.default.removeItem(atPath: journal)
        _ = FileManager.default.createFile(atPath: journal, contents: data)
        _ = unsafe chmod(journal, 0o600)
    }

    @Test("it is noticed after a removal, whichever key opens the group")
    func removal() throws {
        let group = try create()
        try group.put(1)
        let old = try copy()
        try remove(1, from: group)
        #expect(try fixture.itemCount(.fileAnchor) == 1)
        group.store.close()
        #expect(try !fixture.open().has(1))
        try putBack(old)
        #expect(try fixture.refusal().code == .rollbackSuspected)
        #expect(try fixture.refusal(.file(unlockedBy: .keyFile)).code == .rollbackSuspected)
    }

    @Test("it is noticed after a change of keys, also where a key opens both")
    func rekey() throws {
        let file = FileUnlocking.keyFile(path: fixture.scratch.path("mine.key"))
        let group = try fixture.create(.file(unlockedBy: .anyOf([.keyring, file])))
        try group.put(1)
        group.store.close()
        let old = try copy()
        let whole = try CacheGroup(fixture.open(.file(unlockedBy: .anyOf([.keyring, file]))), timeout: .seconds(30))
        #expect(try whole.rekey().droppedSlots.isEmpty)
        #expect(try fixture.open(.file(unlockedBy: file)).has(1))
        try putBack(old)
        #expect(try fixture.refusal(.file(unlockedBy: file)).code == .rollbackSuspected)
    }

    @Test("a change of keys that was killed before it updated the keyring is recorded when the group is next opened")
    func killedRekey() throws {
        let file = FileUnlocking.keyFile(path: fixture.scratch.path("mine.key"))
        let group = try fixture.create(.file(unlockedBy: .anyOf([.keyring, file])))
        try group.put(1)
        group.store.close()
        let old = try copy()
        let whole = try CacheGroup(fixture.open(.file(unlockedBy: .anyOf([.keyring, file]))), timeout: .seconds(30))
        #expect(throws: TokenCacheError.self) {
            try whole.rekey(onStep: { $0 == .keysReplaced ? StorageError(.cancelled) : nil })
        }
        #expect(try fixture.itemCount(.fileAnchor) == 0)
        #expect(try fixture.open().has(1))
        #expect(try fixture.itemCount(.fileAnchor) == 1)
        #expect(try fixture.state?.isAnchorPending == false)
        try putBack(old)
        #expect(try fixture.refusal(.file(unlockedBy: file)).code == .rollbackSuspected)
    }

    /// Damages the start of the journal, so that it opens no more.
    private func spoil() throws {
        var bytes = try copy()
        bytes[0] ^= 1
        try bytes.write(to: URL(filePath: journal))
    }

    @Test("a repair refuses it too, until it is accepted")
    func repaired() throws {
        let group = try create()
        try group.put(1)
        let old = try copy()
        try remove(1, from: group)
        group.store.close()
        try putBack(old)
        try spoil()
        let spoiled = try copy()
        for isDryRun in [true, false] {
            let error = #expect(throws: StorageError.self) { try fixture.opener().repair(isDryRun: isDryRun) }
            #expect(error?.code == .rollbackSuspected)
        }
        #expect(try copy() == spoiled)
        #expect(try fixture.opener().acceptRollback(isDryRun: false).isRepaired)
        #expect(try fixture.open().has(1))
    }

    @Test("a repair of the newest one continues")
    func newestRepaired() throws {
        let group = try create()
        try group.put(1)
        try group.put(2)
        try remove(1, from: group)
        group.store.close()
        try spoil()
        #expect(try fixture.opener().repair(isDryRun: false).isRepaired)
        let opened = try fixture.open()
        #expect(try opened.has(2) && !opened.has(1))
    }

    @Test("a migration refuses it, and the keyring keeps its anchor")
    func migrated() throws {
        let group = try create()
        try group.put(1)
        let old = try copy()
        try remove(1, from: group)
        group.store.close()
        try putBack(old)
        let error = #expect(throws: StorageError.self) {
            try fixture.opener().migrate(to: .keyring, progress: nil, onStep: nil)
        }
        #expect(error?.code == .rollbackSuspected)
        #expect(try fixture.refusal().code == .rollbackSuspected)
    }

    @Test("it is noticed though the state file leads to another collection", arguments: ["session", "nowhere"])
    func misled(collection: String) throws {
        let group = try create()
        try group.put(1)
        let old = try copy()
        try remove(1, from: group)
        group.store.close()
        try StoreText.edit(fixture.scratch.path("group/store")) { $0["collection"] = collection }
        // What is told from now on goes where it stood.
        try remove(2, from: fixture.open())
        try StoreText.edit(fixture.scratch.path("group/store")) { $0["collection"] = collection }
        try putBack(old)
        #expect(try fixture.refusal().code == .rollbackSuspected)
        #expect(try fixture.itemCount(.fileAnchor) == 1)
    }

    @Test("a group opens though the state file leads to another collection", arguments: ["session", "nowhere"])
    func misledSlot(collection: String) throws {
        let group = try fixture.create(.file(unlockedBy: .keyring))
        try group.put(1)
        group.store.close()
        try StoreText.edit(fixture.scratch.path("group/store")) { $0["collection"] = collection }
        #expect(try fixture.open().has(1))
    }

    @Test("after accepting it, the group can be used")
    func accepted() throws {
        let group = try create()
        try group.put(1)
        let old = try copy()
        try remove(1, from: group)
        group.store.close()
        try putBack(old)
        let plan = try fixture.opener().acceptRollback(isDryRun: true)
        #expect(plan.missingTransactionCount == 1 && !plan.isRepaired)
        #expect(try fixture.refusal().code == .rollbackSuspected)
        let done = try fixture.opener().acceptRollback(isDryRun: false)
        #expect(done.isRepaired && done.missingTransactionCount == 1 && done.lostCount == 0)
        #expect(try fixture.open().has(1))
    }

    @Test("a locked keyring holds up no removal, which is noted once it is unlocked")
    func pending() throws {
        let group = try create()
        try group.put(1)
        let old = try copy()
        try fixture.keyring.lock()
        try remove(1, from: group)
        #expect(try fixture.state?.isAnchorPending == true)
        group.store.close()
        #expect(try !fixture.open(.file(unlockedBy: .keyFile)).has(1))
        try fixture.keyring.killDaemon()
        try fixture.keyring.startDaemon()
        #expect(try !fixture.open().has(1))
        #expect(try fixture.state?.isAnchorPending == false)
        try putBack(old)
        #expect(try fixture.refusal().code == .rollbackSuspected)
    }

    @Test("a file that only lacks ordinary changes is taken: they are not noted")
    func ordinary() throws {
        let group = try create()
        try group.put(1)
        try group.put(2)
        try remove(1, from: group)
        let old = try copy()
        try group.put(3)
        group.store.close()
        try putBack(old)
        #expect(try fixture.open().has(2))
    }

    @Test("a group in the keyring whose folder is missing is adopted by another folder")
    func adopted() throws {
        try fixture.create(.keyring).put(1)
        try FileManager.default.removeItem(atPath: fixture.scratch.path("group"))
        #expect(try fixture.refusal(.keyring, access: .create).code == .groupElsewhere)
        try fixture.opener(.keyring).adopt(collection: nil)
        #expect(try fixture.open().has(1))
        #expect(try fixture.state?.phase == .ready)
    }

    enum Spoiled: CaseIterable, Sendable { case nonsense, empty, otherGroup, file, absent, nowhere }

    @Test(
        "a group in the keyring whose state file was changed or is missing is adopted again",
        arguments: Spoiled.allCases
    )
    func adoptedAgain(spoiled: Spoiled) throws {
        try fixture.create(.keyring).put(1)
        let store = fixture.scratch.path("group/store")
        switch spoiled {
        case .nonsense: fixture.scratch.write(Array("nonsense".utf8), to: "group/store")
        case .empty: fixture.scratch.write([], to: "group/store")
        case .otherGroup:
            try StoreText.edit(store) { $0["group"] = "6f9619ff-8b86-4011-b42d-00c04fc964ff" }
        case .file: try StoreText.edit(store) { $0["storage"] = "file" }
        case .absent: try FileManager.default.removeItem(atPath: store)
        case .nowhere: try StoreText.edit(store) { $0["collection"] = "nowhere" }
        }
        #expect(throws: StorageError.self) { try fixture.opener().open() }
        // Nothing begins anew while the keyring has the group.
        #expect(throws: StorageError.self) { try fixture.opener().repair(isDryRun: false) }
        try fixture.opener().adopt(collection: nil)
        #expect(try fixture.open().has(1))
        #expect(try fixture.open(access: .create).has(1))
    }

    @Test("a group that is there already, or has nothing in the keyring, is not adopted")
    func notAdopted() throws {
        #expect(throws: StorageError.self) { try fixture.opener(.keyring).adopt(collection: nil) }
        try fixture.create(.keyring).put(1)
        let error = #expect(throws: StorageError.self) { try fixture.opener(.keyring).adopt(collection: nil) }
        #expect(error?.code == .exists)
    }
}
