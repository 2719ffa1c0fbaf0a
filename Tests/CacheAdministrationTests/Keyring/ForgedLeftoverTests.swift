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

/// What lies where a group was taken from is removed only if it is the group's and no newer.
@Suite("The leftover of a migration", .serialized)
struct ForgedLeftoverTests {
    private let fixture: KeyringFixture

    init() throws {
        fixture = try KeyringFixture()
    }

    private func path(_ name: String) -> String { fixture.scratch.path("group/\(name)") }

    private func bytes(_ name: String) -> Data? { FileManager.default.contents(atPath: path(name)) }

    /// A group whose migration was killed once the new store was the group's. `early` runs before it, with the group open.
    private func leave(in store: StorageChoice, takenTo target: StorageChoice) throws {
        let group = try fixture.create(store)
        try group.put(1)
        group.store.close()
        try migrateAndDie(to: target)
    }

    private func migrateAndDie(to target: StorageChoice) throws {
        #expect(throws: StorageError.self) {
            try fixture.opener().migrate(to: target, progress: nil) { $0 == .flipped ? Migration.killed : nil }
        }
    }

    @Test(
        "a leftover in the keyring stays if the state file is not signed, and every opening warns",
        arguments: [true, false]
    )
    func unvouched(isNamed: Bool) throws {
        try leave(in: .keyring, takenTo: .file(unlockedBy: .keyFile))
        try StoreText.edit(path("store")) { text in
            text["mac"] = nil
            if !isNamed { text["left-in"] = nil }
        }
        for _ in 0..<2 {
            #expect(try fixture.open().leftoverProblem?.code == .groupElsewhere)
            #expect(try fixture.open(access: .readOnly).leftoverProblem?.code == .readOnly)
        }
        #expect(try fixture.itemCount(.key) == 1 && fixture.itemCount(.partition) == 1)
        #expect(try fixture.open().has(1))
    }

    @Test(
        "what is in the keyring stays with the original, whatever is done to a copy of the folder",
        arguments: [true, false]
    )
    func copy(isInKeyring: Bool) throws {
        try leave(
            in: isInKeyring ? .keyring : .file(unlockedBy: .keyFile),
            takenTo: isInKeyring ? .file(unlockedBy: .keyFile) : .keyring
        )
        let other = ScratchFolder()
        let copied = try Program(path: "/bin/cp").run(
            ["-a", fixture.scratch.path("group"), fixture.scratch.path(".keys"), other.path]
        )
        #expect(copied.exitCode == 0)
        let environment = ["DBUS_SESSION_BUS_ADDRESS": fixture.keyring.address]
        let location = try GroupLocation("group", root: other.path, environment: environment)
        let opener = GroupOpener(location, storage: .automatic, access: .readWrite, timeout: .seconds(10))
        for number in 2..<5 as Range<UInt64> {
            let group = try opener.open()
            if isInKeyring { #expect(group.leftoverProblem?.code == .groupElsewhere) }
            if isInKeyring { try group.put(number) }
            group.store.close()
        }
        // In the second case the copy is in the keyring already, and its own journal is gone.
        for target in (isInKeyring ? [.keyring] : []) + [StorageChoice.file(unlockedBy: .keyFile)] {
            let error = #expect(throws: StorageError.self) {
                try opener.migrate(to: target, progress: nil, onStep: nil)
            }
            #expect(error?.code == .groupElsewhere, "\(String(describing: error))")
        }
        #expect(try fixture.itemCount(.key) == 1 && fixture.itemCount(.partition) == 1)
        #expect(fixture.scratch.files.contains("group/journal"))
        #expect(fixture.scratch.files.contains { $0.hasPrefix(".keys/") })
        // The original goes on as if there were none.
        let original = try fixture.open()
        #expect(try original.has(1) && original.leftoverProblem == nil)
        #expect(try fixture.itemCount(.key) == (isInKeyring ? 0 : 1))
        #expect(fixture.scratch.files.contains("group/journal") == isInKeyring)
    }

    @Test("a leftover journal that is not newer is removed even if the state file is unsigned, but its key file stays")
    func unvouchedFile() throws {
        try leave(in: .file(unlockedBy: .keyFile), takenTo: .keyring)
        try StoreText.edit(path("store")) { $0["mac"] = nil }
        let group = try fixture.open()
        #expect(try group.has(1) && group.location.kind == .keyring && group.leftoverProblem == nil)
        #expect(bytes("journal") == nil)
        #expect(fixture.scratch.files.contains { $0.hasPrefix(".keys/") })
    }

    /// Whoever opens the group is told how it can be found out where it is.
    private func expectRefusal() throws {
        for access in [GroupAccess.readOnly, .readWrite, .create] {
            let error = #expect(throws: StorageError.self) { try fixture.opener(access: access).open() }
            #expect(error?.code == .rollbackSuspected)
            #expect(error?.advice?.contains("cachetool repair") == true, "\(String(describing: error))")
        }
    }

    @Test(
        "in a keyring does not become the group because of an unsigned state file, and after a repair every opening warns",
        arguments: ["ready", "creating"]
    )
    func sentBack(phase: String) throws {
        try sendBack(phase)
        try expectRefusal()
        #expect(try fixture.opener().repair(isDryRun: true).wasDamaged)
        try expectRefusal()
        #expect(try fixture.opener().repair(isDryRun: false).isRepaired)
        let opened = try fixture.open()
        #expect(try opened.location.kind == .file && opened.has(1) && opened.has(2))
        // Nothing proves that the keyring's part was made for this folder.
        #expect(opened.leftoverProblem?.code == .groupElsewhere)
        #expect(try fixture.itemCount(.key) == 1 && fixture.itemCount(.partition) == 1)
        #expect(try !fixture.opener().repair(isDryRun: true).wasDamaged)
    }

    @Test("in a keyring or a damaged journal: which of the two is the group is asked")
    func damagedJournal() throws {
        try sendBack("ready")
        var journal = try #require(bytes("journal"))
        journal[20] ^= 1
        fixture.scratch.write([UInt8](journal), to: "group/journal")
        for isDryRun in [true, false] {
            let error = #expect(throws: StorageError.self) { try fixture.opener().repair(isDryRun: isDryRun) }
            #expect(error?.code == .damaged)
            #expect(error?.advice?.contains("cachetool repair --storage file") == true, "\(String(describing: error))")
        }
        #expect(bytes("journal") == journal)
        #expect(try fixture.opener(.file(unlockedBy: .keyFile)).repair(isDryRun: false).isRepaired)
        let opened = try fixture.open()
        #expect(try opened.location.kind == .file && opened.has(1) && opened.has(2))
    }

    @Test(
        "in a keyring that is empty by now is no group again by a state file of that time: a repair takes the journal",
        arguments: [StorageChoice.automatic, .file(unlockedBy: .keyFile)]
    )
    func stateOfBefore(storage: StorageChoice) throws {
        let group = try fixture.create(.keyring)
        try group.put(1)
        group.store.close()
        let before = try #require(bytes("store"))
        _ = try fixture.opener().migrate(to: .file(unlockedBy: .keyFile), progress: nil, onStep: nil)
        let moved = try fixture.open()
        try moved.put(2)
        moved.store.close()
        fixture.scratch.write([UInt8](before), to: "group/store")
        let error = #expect(throws: StorageError.self) { try fixture.opener().open() }
        #expect(error?.advice?.contains("cachetool repair") == true, "\(String(describing: error))")
        #expect(try fixture.opener(storage).repair(isDryRun: true).wasDamaged)
        #expect(try fixture.opener(storage).repair(isDryRun: false).isRepaired)
        let opened = try fixture.open()
        #expect(try opened.location.kind == .file && opened.has(1) && opened.has(2))
    }

    /// Has a migration killed that took a group to the file, keeps the keyring from being emptied, goes on in the file, and then
    /// says that the group is in the keyring.
    private func sendBack(_ phase: String) throws {
        try leave(in: .keyring, takenTo: .file(unlockedBy: .keyFile))
        try StoreText.edit(path("store")) { text in
            text["left-in"] = nil
            text["mac"] = nil
        }
        // Nobody can clear up as long as this is held.
        let lock = try fixture.directory().lock(.keys, until: .standard)
        let group = try fixture.open()
        try group.put(2)
        group.store.close()
        lock.release()
        try StoreText.edit(path("store")) { text in
            text["storage"] = "keyring"
            text["phase"] = phase
            text["mac"] = nil
        }
    }

    /// A group that was taken to the keyring and went on there, and an older journal of it, put back with its key file.
    private func putBackOlderJournal() throws {
        let group = try fixture.create(.file(unlockedBy: .keyFile))
        try group.put(1)
        group.store.close()
        let journal = try #require(bytes("journal"))
        let key = try #require(fixture.scratch.files.first { $0.hasPrefix(".keys/") })
        let keyFile = try #require(FileManager.default.contents(atPath: fixture.scratch.path(key)))
        _ = try fixture.opener().migrate(to: .keyring, progress: nil, onStep: nil)
        let moved = try fixture.open()
        try moved.put(2)
        moved.store.close()
        // A state file of an older version, which nobody vouches for, leads to the keyring all the same.
        try StoreText.edit(path("store")) { $0["mac"] = nil }
        #expect(try fixture.open().has(2))
        fixture.scratch.write([UInt8](journal), to: "group/journal")
        fixture.scratch.write([UInt8](keyFile), to: key)
    }

    @Test("an older journal beside a group in the keyring does not become the group, whatever key is given")
    func olderJournal() throws {
        try putBackOlderJournal()
        let journal = try #require(bytes("journal"))
        for ways: [FileUnlocking] in [[], [.keyFile]] {
            fixture.scratch.write([UInt8](journal), to: "group/journal")
            try StoreText.edit(path("store")) { $0["mac"] = nil }
            #expect(try fixture.open(access: .readOnly).has(2))
            var opener = try fixture.opener()
            opener.fallbackUnlocking = ways
            #expect(try !opener.repair(isDryRun: false).wasDamaged)
            let opened = try opener.open()
            #expect(try opened.location.kind == .keyring && opened.has(2))
            #expect(bytes("journal") == nil)
        }
    }

    @Test(
        "a journal that cannot be compared is not hidden by a state file without a signature, and not by a signed one"
    )
    func incomparable() throws {
        try fixture.create(.keyring).put(1)
        let forged = try forgedJournal(GroupUUID())
        fixture.scratch.write([UInt8](forged), to: "group/journal")
        #expect(try fixture.open().leftoverProblem?.code == .foreign)
        try StoreText.edit(path("store")) { $0["mac"] = nil }
        for access in [GroupAccess.readOnly, .readWrite] {
            let error = #expect(throws: StorageError.self) { try fixture.opener(access: access).open() }
            #expect(error?.code == .foreign)
        }
        #expect(bytes("journal") == forged)
    }

    @Test(
        "a group in the keyring opens, with a warning, if its unsigned state file names an unknown kind of store"
    )
    func unknownKind() throws {
        try fixture.create(.keyring).put(1)
        try StoreText.edit(path("store")) { ($0["left-in"], $0["mac"]) = ("cloud", nil) }
        for access in [GroupAccess.readOnly, .readWrite] {
            let group = try fixture.opener(access: access).open()
            #expect(try group.has(1))
            #expect(group.leftoverProblem?.code == .unsupportedVersion)
        }
    }

    @Test("an older journal that a state file makes the group is a suspected rollback, with two ways out")
    func olderJournalAsTheGroup() throws {
        try putBackOlderJournal()
        func forge() throws {
            try StoreText.edit(path("store")) { ($0["storage"], $0["mac"]) = ("file", nil) }
            let error = #expect(throws: StorageError.self) { try fixture.open() }
            #expect(error?.code == .rollbackSuspected)
            #expect(error?.advice?.contains("cachetool repair") == true, "\(String(describing: error))")
        }
        try forge()
        let journal = path("journal")
        try FileManager.default.moveItem(atPath: journal, toPath: fixture.scratch.path("journal"))
        try fixture.opener().adopt(collection: nil)
        #expect(try fixture.open().has(2))
        // The other one.
        try FileManager.default.moveItem(atPath: fixture.scratch.path("journal"), toPath: journal)
        try forge()
        #expect(try fixture.opener().acceptRollback(isDryRun: false).isRepaired)
        let taken = try fixture.open()
        #expect(try taken.location.kind == .file && taken.has(1) && !taken.has(2))
        #expect(taken.leftoverProblem?.code == .groupElsewhere)
        #expect(try fixture.itemCount(.key) == 1)
    }

    @Test("stays where it is newer than the store in use")
    func newer() throws {
        let group = try fixture.create(.file(unlockedBy: .keyFile))
        try group.put(1)
        let old = try #require(bytes("journal"))
        for number in 2..<4 as Range<UInt64> { try group.put(number) }
        group.store.close()
        let new = try #require(bytes("journal"))
        fixture.scratch.write([UInt8](old), to: "group/journal")
        try FileManager.default.removeItem(atPath: path("revision"))
        try migrateAndDie(to: .keyring)
        fixture.scratch.write([UInt8](new), to: "group/journal")
        let error = #expect(throws: StorageError.self) { try fixture.open() }
        #expect(error?.code == .rollbackSuspected)
        #expect(bytes("journal") == new)
        #expect(fixture.scratch.files.contains { $0.hasPrefix(".keys/") })
    }

    @Test("stays where it bears the UUID of the group and has other keys")
    func otherKeys() throws {
        try leave(in: .file(unlockedBy: .keyFile), takenTo: .keyring)
        let uuid = try #require(GroupUUID(StoreText(path("store"))["group"] ?? ""))
        let forged = try forgedJournal(uuid)
        fixture.scratch.write([UInt8](forged), to: "group/journal")
        #expect(try [.foreign, .keyRejected].contains(fixture.open().leftoverProblem?.code))
        #expect(bytes("journal") == forged)
        #expect(fixture.scratch.files.contains { $0.hasPrefix(".keys/") })
    }

    @Test("another group of the same name in the keyring is not taken for a leftover")
    func otherGroupInKeyring() throws {
        let other = try fixture.create(.keyring)
        try other.put(7)
        other.store.close()
        try FileManager.default.removeItem(atPath: fixture.scratch.path("group"))
        let group = try fixture.create(.file(unlockedBy: .keyFile))
        let keys = try #require(try group.keysAndSequence(until: .after(.seconds(20)))?.keys)
        try group.directory?.changeState(with: keys, until: .standard) { $0.leftover = StoreReference(.keyring) }
        #expect(try fixture.open().leftoverProblem == nil)
        #expect(try fixture.itemCount(.key) == 1 && fixture.itemCount(.partition) == 1)
    }

    @Test("a journal that is not the group's is not replaced by taking the group to the file")
    func journalInTheWay() throws {
        let group = try fixture.create(.keyring)
        try group.put(1)
        group.store.close()
        let forged = try forgedJournal(GroupUUID())
        fixture.scratch.write([UInt8](forged), to: "group/journal")
        let error = #expect(throws: StorageError.self) {
            try fixture.opener().migrate(to: .file(unlockedBy: .keyFile), progress: nil, onStep: nil)
        }
        #expect(error?.code == .foreign)
        #expect(bytes("journal") == forged)
        #expect(try fixture.open().has(1))
    }

    /// The journal of a group that somebody else made.
    private func forgedJournal(_ uuid: GroupUUID) throws -> Data {
        let scratch = ScratchFolder()
        let location = try GroupLocation("forged", root: scratch.path, environment: [:])
        let directory = try GroupDirectory.open(root: location.root, name: location.name, access: .create)
        let keys = try GroupKeys.generate(uuid: uuid)
        let slots = try KeySlots.create(
            for: keys,
            slots: [NewSlot(.keyFile(SecretBytes.random(byteCount: 32)))]
        )
        try FileStore.create(in: directory, keys: keys, slots: slots, until: .standard) { _, _ in keys }.close()
        return try #require(FileManager.default.contents(atPath: scratch.path("forged/journal")))
    }
}
