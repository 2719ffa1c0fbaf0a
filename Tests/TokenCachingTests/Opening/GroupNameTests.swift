// SPDX-License-Identifier: Apache-2.0

import FileStorage
import Foundation
import GroupDirectory
import Programs
import RecordStorage
import Sealing
import SystemPackage
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

/// The header of a journal names its group; the folder that contains the groups is not part of it.
@Suite("A group in a folder of another name, or elsewhere")
struct GroupNameTests {
    let fixture = HomeFixture()
    private let files = FileManager.default

    init() throws {
        try fixture.create()
        try fixture.create(name: "other")
    }

    private func folder(_ group: String) -> String { fixture.scratch.path("\(HomeFixture.data)/\(group)") }

    private func journal(_ group: String) -> Data? { files.contents(atPath: fixture.path("journal", group: group)) }

    @Test(
        "the user's other group in the place of a group is foreign, and nothing is written",
        arguments: [true, false]
    )
    func swapped(withState: Bool) throws {
        try fixture.opener(name: "other").open().put(66)
        for name in withState ? ["journal", "store"] : ["journal"] {
            try files.removeItem(atPath: fixture.path(name))
            try files.copyItem(atPath: fixture.path(name, group: "other"), toPath: fixture.path(name))
        }
        if !withState { try files.removeItem(atPath: fixture.path("store")) }
        let before = (journal("group"), fixture.treasures)
        for access in [GroupAccess.readOnly, .readWrite, .create] {
            let error = try fixture.refusal(access: access)
            #expect(error?.code == .foreign)
            #expect(error?.advice.contains("cachetool repair --adopt") == true, "\(String(describing: error))")
        }
        for isDryRun in [true, false] {
            let error = #expect(throws: StorageError.self) { try fixture.opener().repair(isDryRun: isDryRun) }
            #expect(error?.code == .foreign)
        }
        #expect(journal("group") == before.0 && fixture.treasures == before.1)
        #expect(!files.fileExists(atPath: fixture.path("quarantine")))
    }

    @Test("a damaged header does not hide that the journal is another group's")
    func swappedAndDamaged() throws {
        var bytes = try #require(journal("other"))
        bytes[0] ^= 1
        try bytes.write(to: URL(filePath: fixture.path("journal")))
        try files.removeItem(atPath: fixture.path("store"))
        let error = #expect(throws: StorageError.self) { try fixture.opener().repair(isDryRun: false) }
        #expect(error?.code == .foreign)
        #expect(journal("group") == bytes)
    }

    @Test("a renamed folder is foreign, and opens under its old name")
    func renamed() throws {
        try files.moveItem(atPath: folder("group"), toPath: folder("new"))
        #expect(try fixture.refusal(name: "new")?.code == .foreign)
        try files.moveItem(atPath: folder("new"), toPath: folder("group"))
        #expect(try fixture.opener().open().has(1))
    }

    @Test("an open handle does not continue in another group's journal")
    func underOpenHandle() throws {
        let group = try fixture.opener().open()
        try files.removeItem(atPath: fixture.path("journal"))
        try files.copyItem(atPath: fixture.path("journal", group: "other"), toPath: fixture.path("journal"))
        let before = journal("group")
        #expect(throws: StorageError.self) { try group.put(2) }
        #expect(throws: StorageError.self) { _ = try group.store.refresh(until: .standard) }
        #expect(journal("group") == before)
    }

    @Test("a journal with the group's UUID and other keys is foreign to an open handle")
    func sameUUID() throws {
        let group = try fixture.opener().open()
        let keys = try GroupKeys.generate(uuid: try #require(GroupUUID(fixture.uuid())))
        let key = try KeyFile(at: fixture.scratch.path("mallory"))
        let slots = try KeySlots.create(for: keys, slots: [NewSlot(key.create())])
        try files.removeItem(atPath: fixture.path("journal"))
        let directory = try #require(group.directory)
        try FileStore.create(in: directory, keys: keys, slots: slots, until: .standard) { _, _ in keys }.close()
        #expect(throws: StorageError.self) { try group.put(2) }
        #expect(try fixture.refusal()?.code == .keyRejected)
    }

    @Test("a home that was moved, or came back from a backup, opens")
    func movedHome() throws {
        let backup = fixture.scratch.path("backup")
        try files.copyItem(atPath: folder("group"), toPath: backup)
        try fixture.opener().open().put(2)
        try files.removeItem(atPath: folder("group"))
        try files.copyItem(atPath: backup, toPath: folder("group"))
        #expect(try fixture.opener().open().has(1))
        let moved = HomeFixture()
        try files.moveItem(atPath: fixture.scratch.path(".local"), toPath: moved.scratch.path(".local"))
        #expect(try moved.opener().open().has(1))
    }

    @Test("a state file names no key file, so a key elsewhere is named at each opening")
    func keyFileElsewhere() throws {
        let key = fixture.scratch.write([UInt8](repeating: 9, count: 32), to: "key")
        let named = StorageChoice.file(unlockedBy: .keyFile(path: key))
        try fixture.create(named, name: "third")
        let text = try String(contentsOfFile: fixture.path("store", group: "third"), encoding: .utf8)
        #expect(!text.contains(key))
        #expect(try fixture.refusal(name: "third")?.code == .keyMissing)
        #expect(try fixture.refusal(named, name: "third") == nil)
        // An older version noted it there. Whoever can write the file could name a key of their own.
        try StoreText.edit(fixture.path("store", group: "third")) { $0["key-file"] = key }
        #expect(try fixture.refusal(name: "third")?.code == .keyMissing)
        #expect(try fixture.refusal(named, name: "third") == nil)
    }

    // MARK: - Adopting

    @Test("an adopted copy is a group of its own, with another UUID, other keys and its own key file")
    func adopted() throws {
        try files.copyItem(atPath: folder("group"), toPath: folder("copy"))
        #expect(try fixture.refusal(name: "copy")?.code == .foreign)
        #expect(try fixture.opener(name: "copy").adopt(collection: nil).wasDamaged == false)
        let copy = try fixture.opener(name: "copy").open()
        #expect(try copy.has(1))
        try copy.put(2)
        #expect(try copy.directory?.readState()?.isAuthentic(under: copy.keys) == true)
        #expect(try fixture.uuid("copy") != fixture.uuid())
        #expect(fixture.stateFiles("keys").count == 3)
        let again = #expect(throws: StorageError.self) { try fixture.opener(name: "copy").adopt(collection: nil) }
        #expect(again?.code == .exists)
        #expect(try fixture.opener().open().has(1))
        #expect(try !fixture.opener().open().has(2))
        // New keys and the removal of the copy concern the copy alone.
        #expect(try rekey("copy").keptKeyFiles.isEmpty)
        #expect(try GroupRemoval.run(with: fixture.opener(name: "copy"), isDryRun: false).isComplete)
        #expect(fixture.stateFiles("keys").count == 2)
        #expect(try fixture.opener().open().has(1))
    }

    @Test("a damaged copy is repaired and adopted")
    func adoptedDamaged() throws {
        try files.copyItem(atPath: folder("group"), toPath: folder("copy"))
        var bytes = try #require(journal("copy"))
        bytes[0] ^= 1
        try bytes.write(to: URL(filePath: fixture.path("journal", group: "copy")))
        let report = try fixture.opener(name: "copy").adopt(collection: nil)
        #expect(report.isRepaired && !report.beginsAnew)
        #expect(try fixture.opener(name: "copy").open().has(1))
        #expect(try fixture.uuid("copy") != fixture.uuid())
    }

    @Test("an adoption keeps a passphrase that was given, and makes no key file beside it")
    func adoptedPassphrase() throws {
        let passphrase = AskedPassphrase("correct horse")
        try fixture.create(passphrase.storage, name: "third")
        try files.copyItem(atPath: folder("third"), toPath: folder("copy"))
        try fixture.opener(passphrase.storage, name: "copy").adopt(collection: nil)
        #expect(try fixture.opener(passphrase.storage, name: "copy").open().has(1))
        #expect(try fixture.refusal(name: "copy")?.code == .keyMissing)
        #expect(fixture.stateFiles("keys").count == 2)
    }

    @Test("an adoption that was killed before the state file was written is completed by a repair")
    func adoptionKilled() throws {
        try files.copyItem(atPath: folder("group"), toPath: folder("copy"))
        let state = try #require(files.contents(atPath: fixture.path("store", group: "copy")))
        try fixture.opener(name: "copy").adopt(collection: nil)
        try state.write(to: URL(filePath: fixture.path("store", group: "copy")))
        let error = try fixture.refusal(name: "copy")
        #expect(error?.code == .foreign)
        #expect(error?.advice.contains("cachetool repair to use the journal") == true, "\(String(describing: error))")
        #expect(try fixture.opener(name: "copy").repair(isDryRun: false).isRepaired)
        #expect(try fixture.opener(name: "copy").open().has(1))
    }

    // MARK: - Copies

    @discardableResult
    private func rekey(_ name: String) throws -> RekeyReport {
        let group = CacheGroup(try fixture.opener(name: name).open(), timeout: .seconds(20))
        defer { group.close() }
        return try group.rekey()
    }

    /// A place to which the folder of a group is copied.
    enum Place: CaseIterable, Sendable { case sameRoot, namedRoot, otherDataFolder, otherHome }

    private func location(_ place: Place, _ fixture: HomeFixture) throws -> (GroupLocation, folder: String) {
        var environment = fixture.environment
        switch place {
        case .sameRoot:
            return (try GroupLocation("copy", root: nil, environment: environment), folder("copy"))
        case .namedRoot:
            let root = fixture.scratch.path("root")
            return (try GroupLocation("group", root: root, environment: environment), root + "/group")
        case .otherDataFolder: environment["XDG_DATA_HOME"] = fixture.scratch.path("data")
        case .otherHome: environment["HOME"] = fixture.scratch.path("home")
        }
        let location = try GroupLocation("group", root: nil, environment: environment)
        return (location, location.root.string + "/group")
    }

    @Test(
        "whatever is done to a copy of the folder, the original opens",
        arguments: Place.allCases,
        ["remove", "adopt", "rekey"]
    )
    func copied(place: Place, action: String) throws {
        let (location, copy) = try location(place, fixture)
        try files.createDirectory(
            atPath: location.root.string,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        try files.copyItem(atPath: folder("group"), toPath: copy)
        let key = fixture.scratch.path("\(HomeFixture.state)/keys/\(try fixture.uuid())")
        for way in [nil, FileUnlocking.keyFile(path: key)] {
            let storage = way.map { StorageChoice.file(unlockedBy: $0) } ?? .automatic
            let opener = GroupOpener(location, storage: storage, access: .readWrite, timeout: .seconds(20))
            switch action {
            case "remove": _ = try? GroupRemoval.run(with: opener, isDryRun: false)
            case "adopt": _ = try? opener.adopt(collection: nil)
            default:
                guard let opened = try? opener.open() else { continue }
                let group = CacheGroup(opened, timeout: .seconds(20))
                _ = try? group.rekey(options: RekeyOptions(dropsOtherSlots: true))
                group.close()
            }
            #expect(try fixture.opener().open().has(1))
        }
        if action == "remove" { #expect(!files.fileExists(atPath: copy)) }
    }

    /// A home with a keyring, and a copy of the folder of its group under another root.
    private static func copyUnderOtherRoot(_ storage: StorageChoice) throws -> (
        PrivateKeyring, HomeFixture, GroupLocation
    ) {
        let keyring = try PrivateKeyring()
        var home = HomeFixture()
        home.busAddress = keyring.address
        try home.create(storage)
        let root = home.scratch.path("root")
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
        try FileManager.default.copyItem(
            atPath: home.scratch.path("\(HomeFixture.data)/group"),
            toPath: root + "/group"
        )
        return (keyring, home, try GroupLocation("group", root: root, environment: home.environment))
    }

    private static func opener(
        _ location: GroupLocation,
        _ storage: StorageChoice = .automatic,
        access: GroupAccess = .readWrite
    ) -> GroupOpener {
        GroupOpener(location, storage: storage, access: access, timeout: .seconds(20))
    }

    @Test("new keys for a copy under another root leave the key files and the keyring's items of the group")
    func copyUnderOtherRoot() throws {
        let (keyring, home, location) = try Self.copyUnderOtherRoot(.file(unlockedBy: .anyOf([.keyFile, .keyring])))
        defer { withExtendedLifetime(keyring) {} }
        let opened = try Self.opener(location, .file(unlockedBy: .keyring)).open()
        _ = try CacheGroup(opened, timeout: .seconds(20)).rekey(options: RekeyOptions(dropsOtherSlots: true))
        // What the keyring knows of changes of keys it knows of the UUID, and so of both.
        #expect(try home.refusal()?.code == .rollbackSuspected)
        #expect(try home.opener().acceptRollback(isDryRun: false).missingTransactionCount > 0)
        for way in [FileUnlocking.keyFile, .keyring] {
            #expect(try home.opener(.file(unlockedBy: way)).open().has(1))
        }
    }

    @Test(
        "the removal of a copy leaves the keyring's items of the group",
        arguments: [StorageChoice.keyring, .file(unlockedBy: .keyring)]
    )
    func removedCopyOfKeyringGroup(storage: StorageChoice) throws {
        let (keyring, home, location) = try Self.copyUnderOtherRoot(storage)
        defer { withExtendedLifetime(keyring) {} }
        let report = try GroupRemoval.run(with: Self.opener(location), isDryRun: false)
        #expect(report.kept.contains { $0.kind == .keyringItems && $0.count > 0 })
        #expect(report.isComplete)
        #expect(!FileManager.default.fileExists(atPath: location.root.string + "/group"))
        #expect(try home.opener().open().has(1))
    }

    @Test("new keys for a copy of a group in the keyring are found by the original")
    func rekeyedCopyOfKeyringGroup() throws {
        let (keyring, home, location) = try Self.copyUnderOtherRoot(.keyring)
        defer { withExtendedLifetime(keyring) {} }
        let copy = CacheGroup(try Self.opener(location).open(), timeout: .seconds(20))
        try copy.rekey()
        copy.close()
        #expect(try home.opener().open().has(1))
    }

    @Test("a copy of a group in the keyring takes its items over once it is adopted")
    func adoptedCopyOfKeyringGroup() throws {
        let (keyring, home, location) = try Self.copyUnderOtherRoot(.keyring)
        defer { withExtendedLifetime(keyring) {} }
        #expect(try Self.opener(location).adopt(collection: nil).wasDamaged == false)
        let again = #expect(throws: StorageError.self) { try Self.opener(location).adopt(collection: nil) }
        #expect(again?.code == .exists)
        #expect(try home.opener().open().has(1))
    }

    @Test(
        "another path to the folder of a group in the keyring is the same folder",
        .enabled(if: Root.isHere, "needs mount")
    )
    func mounted() throws {
        let (keyring, home, location) = try Self.copyUnderOtherRoot(.keyring)
        defer { withExtendedLifetime(keyring) {} }
        let root = home.scratch.path("root")
        try FileManager.default.removeItem(atPath: root + "/group")
        func run(_ program: String, _ arguments: String...) throws -> Int32 {
            let process = try Process.run(URL(filePath: program), arguments: arguments)
            process.waitUntilExit()
            return process.terminationStatus
        }
        try #require(try run("/bin/mount", "--bind", home.scratch.path(HomeFixture.data), root) == 0)
        defer { _ = try? run("/bin/umount", "-l", root) }
        #expect(try Self.opener(location).open().has(1))
    }

    // MARK: - Creations

    /// Whoever can write the data takes the group away for a while and plants its UUID as that of a creation that was begun.
    @Test("a creation that was broken off under the UUID of another group gets one of its own")
    func plantedUUID() throws {
        let uuid = try fixture.uuid()
        let key = fixture.treasures.filter { $0.key.contains("/keys/") }
        try files.moveItem(atPath: folder("group"), toPath: folder(".away"))
        try files.createDirectory(
            atPath: folder("planted"),
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        fixture.scratch.write([], to: "\(HomeFixture.data)/planted/store")
        var text = try StoreText(fixture.path("store", group: "planted"))
        text.lines = ["swift-token-cache store 1", "storage file", "reason ", "group \(uuid)", "phase creating"]
        text.write()
        try fixture.create(name: "planted")
        #expect(try fixture.uuid("planted") != uuid)
        try rekey("planted")
        #expect(fixture.treasures.filter { key.keys.contains($0.key) } == key)
        try files.moveItem(atPath: folder(".away"), toPath: folder("group"))
        #expect(try fixture.opener().open().has(1))
    }

    @Test("a creation that was broken off before its key file was used gets no other UUID")
    func begunCreation() throws {
        var opener = try fixture.opener(.file(unlockedBy: .keyFile), access: .create, name: "new")
        opener.onStep = { $0 == .keysMade ? StorageError(.cancelled) : nil }
        #expect(throws: StorageError.self) { try opener.open() }
        let uuid = try fixture.uuid("new")
        #expect(fixture.stateFiles("keys").contains("\(uuid).begun"))
        try fixture.create(name: "new")
        #expect(try fixture.uuid("new") == uuid)
        #expect(fixture.stateFiles("keys").filter { $0.hasPrefix(uuid) } == [uuid])
    }

    @Test("a creation whose folder is removed meanwhile begins again, and leaves no key file of its first attempt")
    func creationMeetsRemoval() throws {
        var opener = try fixture.opener(.file(unlockedBy: .keyFile), access: .create, name: "new")
        let (folder, away) = (folder("new"), folder(".away"))
        opener.onStep = { step in
            if step == .keysMade { try? FileManager.default.moveItem(atPath: folder, toPath: away) }
            return nil
        }
        try opener.open().store.close()
        #expect(fixture.stateFiles("keys").count == 3)
        #expect(!fixture.stateFiles("keys").contains { $0.hasSuffix(".begun") })
    }
}

extension OpenedGroup {
    fileprivate var keys: GroupKeys {
        get throws { try #require(try keysAndSequence(until: .after(.seconds(20)))?.keys) }
    }
}
