// SPDX-License-Identifier: Apache-2.0

import FileStorage
import Foundation
import GroupDirectory
import Programs
import RecordStorage
import Sealing
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

/// Somebody who can write the data of a user, and neither the key files nor the pins, puts a group in the place of another.
@Suite("A group in the place of another one")
struct GroupPinTests {
    let fixture = HomeFixture()
    let attacker = HomeFixture()

    init() throws {
        try fixture.create()
        try attacker.create()
        try attacker.opener().open().put(66)
    }

    /// Puts the files of the attacker's group in the place of those of the group; their key file lies beside them.
    private func substitute(_ names: [String] = ["journal", "store"], keyFile: String? = nil) throws {
        for name in names {
            let bytes = try #require(FileManager.default.contents(atPath: attacker.path(name)))
            fixture.scratch.write([UInt8](bytes), to: "\(HomeFixture.data)/group/\(name)")
        }
        let key = try #require(attacker.stateFiles("keys").first)
        let bytes = try #require(
            FileManager.default.contents(atPath: attacker.scratch.path("\(HomeFixture.state)/keys/\(key)"))
        )
        let path = fixture.scratch.write([UInt8](bytes), to: keyFile ?? "\(HomeFixture.data)/group/key")
        if names.contains("store") { try StoreText.edit(fixture.path("store")) { $0["key-file"] = path } }
    }

    @Test("is refused as foreign, to read and to write, and nothing is saved into it", arguments: [true, false])
    func refused(isBelowRoot: Bool) throws {
        try substitute(keyFile: isBelowRoot ? nil : "elsewhere.key")
        let before = try #require(FileManager.default.contents(atPath: fixture.path("journal")))
        for access in [GroupAccess.readOnly, .readWrite, .create] {
            let error = try fixture.refusal(access: access)
            #expect(error?.code == .foreign)
            #expect(error?.advice.contains("repair --adopt") == true)
        }
        let named = FileUnlocking.keyFile(
            path: isBelowRoot ? fixture.path("key") : fixture.scratch.path("elsewhere.key")
        )
        #expect(try fixture.refusal(.file(unlockedBy: named))?.code == .foreign)
        #expect(throws: StorageError.self) { try fixture.opener().repair(isDryRun: false) }
        #expect(FileManager.default.contents(atPath: fixture.path("journal")) == before)
        #expect(fixture.stateFiles("keys").count == 1)
    }

    @Test("is refused where only the journal was exchanged, or only the state file", arguments: ["journal", "store"])
    func half(name: String) throws {
        try substitute([name])
        #expect(try fixture.refusal()?.code == .foreign)
    }

    @Test("is refused where it bears the UUID of the group")
    func sameUUID() throws {
        let uuid = try #require(GroupUUID(fixture.uuid()))
        let directory = try #require(try fixture.opener().open().directory)
        let keys = try GroupKeys.generate(uuid: uuid)
        let file = try KeyFile(at: fixture.scratch.path("mallory"))
        let slots = try KeySlots.create(for: keys, slots: [NewSlot(file.create())])
        try FileManager.default.removeItem(atPath: fixture.path("journal"))
        try FileStore.create(in: directory, keys: keys, slots: slots, until: .standard) { _, _ in keys }.close()
        try StoreText.edit(fixture.path("store")) { $0["key-file"] = file.path }
        // The group has a key file of its own, so that of the state file is not tried.
        #expect(try [.keyRejected, .foreign].contains(fixture.refusal()?.code))
        #expect(try fixture.refusal(.file(unlockedBy: .keyFile(path: file.path)))?.code == .foreign)
    }

    @Test("is taken once a person says so, and the old one is foreign from then on")
    func adopted() throws {
        let old = try #require(FileManager.default.contents(atPath: fixture.path("journal")))
        let state = try #require(FileManager.default.contents(atPath: fixture.path("store")))
        try substitute(keyFile: "elsewhere.key")
        let named = StorageChoice.file(unlockedBy: .keyFile(path: fixture.scratch.path("elsewhere.key")))
        try fixture.opener(named).adopt(collection: nil)
        #expect(try fixture.opener(named).open().has(66))
        let again = #expect(throws: StorageError.self) { try fixture.opener(named).adopt(collection: nil) }
        #expect(again?.code == .exists)
        fixture.scratch.write([UInt8](old), to: "\(HomeFixture.data)/group/journal")
        fixture.scratch.write([UInt8](state), to: "\(HomeFixture.data)/group/store")
        #expect(try fixture.refusal()?.code == .foreign)
        try fixture.opener().adopt(collection: nil)
        #expect(try fixture.opener().open().has(1))
    }

    @Test("is noticed by handles that have the group open")
    func underOpenHandle() throws {
        let group = try fixture.opener().open()
        try substitute(keyFile: "elsewhere.key")
        #expect(throws: StorageError.self) { try group.put(2) }
        #expect(throws: StorageError.self) { _ = try group.store.refresh(until: .standard) }
    }

    @Test("an older state of the same group opens, as does one whose home was moved")
    func backup() throws {
        let files = FileManager.default
        let backup = fixture.scratch.path("backup")
        try files.copyItem(atPath: fixture.scratch.path("\(HomeFixture.data)/group"), toPath: backup)
        try fixture.opener().open().put(2)
        try files.removeItem(atPath: fixture.scratch.path("\(HomeFixture.data)/group"))
        try files.copyItem(atPath: backup, toPath: fixture.scratch.path("\(HomeFixture.data)/group"))
        #expect(try fixture.opener().open().has(1))
        let moved = HomeFixture()
        try files.moveItem(atPath: fixture.scratch.path(".local"), toPath: moved.scratch.path(".local"))
        #expect(try moved.opener().open().has(1))
        #expect(moved.stateFiles("pins").count == 2)
    }

    @Test("a group that was deleted and created again is pinned again")
    func madeAnew() throws {
        let first = try fixture.uuid()
        try FileManager.default.removeItem(atPath: fixture.scratch.path("\(HomeFixture.data)/group"))
        try fixture.create()
        #expect(try fixture.uuid() != first)
        #expect(try fixture.refusal() == nil)
        #expect(fixture.stateFiles("pins").count == 1)
    }

    @Test("a state folder that was deleted, or cannot be written, does not prevent opening a group otherwise")
    func withoutStateFolder() throws {
        let home = HomeFixture()
        let key = home.scratch.write([UInt8](repeating: 9, count: 32), to: "key")
        let storage = StorageChoice.file(unlockedBy: .keyFile(path: key))
        try home.create(storage)
        let state = home.scratch.path(HomeFixture.state)
        #expect(home.stateFiles("pins").count == 1)
        try FileManager.default.removeItem(atPath: state)
        #expect(try home.refusal(storage) == nil)
        #expect(home.stateFiles("pins").count == 1)
        // A file in its place can be written by nobody, root included.
        try FileManager.default.removeItem(atPath: state)
        home.scratch.write([], to: HomeFixture.state)
        #expect(try home.refusal(storage) == nil)
        #expect(try home.opener(storage).open().put(3) == PartitionTag(first: 3, second: 1))
    }

    @Test("reading pins nothing")
    func readOnly() throws {
        try FileManager.default.removeItem(atPath: fixture.scratch.path("\(HomeFixture.state)/pins"))
        #expect(try fixture.refusal(access: .readOnly) == nil)
        #expect(fixture.stateFiles("pins").isEmpty)
    }

    @Test("a key file below the root is not tried where only the state file names it")
    func keyFileBelowRoot() throws {
        let scratch = GroupFixture()
        let key = scratch.scratch.write([UInt8](repeating: 9, count: 32), to: "key")
        let named = StorageChoice.file(unlockedBy: .keyFile(path: key))
        try scratch.create(named)
        #expect(scratch.refusal() == .keyMissing)
        #expect(scratch.refusal(named) == nil)
        let link = ScratchFolder()
        try FileManager.default.createSymbolicLink(
            atPath: link.path("data"),
            withDestinationPath: scratch.scratch.path
        )
        try StoreText.edit(scratch.path("store")) { $0["key-file"] = link.path("data/key") }
        #expect(scratch.refusal() == .keyMissing)
    }

    private func folder(_ group: String) -> String { fixture.scratch.path("\(HomeFixture.data)/\(group)") }

    @discardableResult
    private func rekey(_ name: String) throws -> RekeyReport {
        let group = CacheGroup(try fixture.opener(name: name).open())
        defer { group.close() }
        return try group.rekey()
    }

    /// Whoever can write the data takes the group away for a while and plants its UUID as that of a creation that was begun.
    @Test(
        "a creation that was broken off under the UUID of another group gets one of its own",
        arguments: ["planted", "group"],
        [true, false]
    )
    func plantedUUID(name: String, isPinned: Bool) throws {
        let files = FileManager.default
        let uuid = try fixture.uuid()
        let key = fixture.treasures.filter { $0.key.contains("/keys/") }
        try files.moveItem(atPath: folder("group"), toPath: folder(".away"))
        if !isPinned { try files.removeItem(atPath: fixture.scratch.path("\(HomeFixture.state)/pins")) }
        try files.createDirectory(
            atPath: folder(name),
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        fixture.scratch.write([], to: "\(HomeFixture.data)/\(name)/store")
        var text = try StoreText(fixture.path("store", group: name))
        text.lines = ["swift-token-cache store 1", "storage file", "reason ", "group \(uuid)", "phase creating"]
        text.write()
        try fixture.create(name: name)
        #expect(try fixture.uuid(name) != uuid)
        try rekey(name)
        #expect(fixture.treasures.filter { key.keys.contains($0.key) } == key)
        // Back in its place it is as it was.
        if name == "group" { try files.removeItem(atPath: folder("group")) }
        try files.moveItem(atPath: folder(".away"), toPath: folder("group"))
        if name == "group" { try fixture.opener().adopt(collection: nil) }
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

    enum Original: CaseIterable, Sendable { case there, away, pinUnreadable, pinsUnreadable }

    @Test(
        "new keys for a copy of a group leave the key file of the other one, and name it",
        arguments: Original.allCases
    )
    func copiedGroup(original: Original) throws {
        let files = FileManager.default
        try files.copyItem(atPath: folder("group"), toPath: folder("copy"))
        switch original {
        case .there: break
        case .away: try files.moveItem(atPath: folder("group"), toPath: folder(".away"))
        case .pinUnreadable:
            let pin = try #require(fixture.stateFiles("pins").first)
            fixture.scratch.write([], to: "\(HomeFixture.state)/pins/\(pin)")
        case .pinsUnreadable:
            try files.removeItem(atPath: fixture.scratch.path("\(HomeFixture.state)/pins"))
            fixture.scratch.write([], to: "\(HomeFixture.state)/pins")
        }
        let kept = try rekey("copy").keptKeyFiles
        #expect(kept == [fixture.scratch.path("\(HomeFixture.state)/keys/\(try fixture.uuid("copy"))")])
        if original == .away { try files.moveItem(atPath: folder(".away"), toPath: folder("group")) }
        #expect(try fixture.opener().open().has(1))
        #expect(try fixture.opener(name: "copy").open().has(1))
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

    @Test("a copy of a group of the keyring under another root is refused, and can clear nothing there")
    func copyOfKeyringGroup() throws {
        let (keyring, home, location) = try Self.copyUnderOtherRoot(.keyring)
        defer { withExtendedLifetime(keyring) {} }
        let error = #expect(throws: StorageError.self) { try Self.opener(location, access: .create).open() }
        #expect(error?.code == .groupElsewhere)
        // Nothing is pinned under a root that was named, so it cannot take the place of the other.
        let refused = #expect(throws: StorageError.self) { try Self.opener(location).adopt(collection: nil) }
        #expect(refused?.advice?.hasSuffix("away first") == true)
        #expect(try home.opener().open().has(1))
        // Moved instead of copied, it is the group.
        try FileManager.default.removeItem(atPath: home.scratch.path("\(HomeFixture.data)/group"))
        #expect(try Self.opener(location).open().has(1))
    }

    @Test("a copy of a group of the keyring takes its place once a person says so, and the original is refused then")
    func copyAdopted() throws {
        let (keyring, home, _) = try Self.copyUnderOtherRoot(.keyring)
        defer { withExtendedLifetime(keyring) {} }
        let environment = home.environment.merging(["XDG_DATA_HOME": home.scratch.path("moved")]) { $1 }
        let folder = home.scratch.path("moved/swift-token-cache")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try FileManager.default.moveItem(atPath: home.scratch.path("root/group"), toPath: folder + "/group")
        let location = try GroupLocation("group", root: nil, environment: environment)
        #expect(throws: StorageError.self) { try Self.opener(location).open() }
        #expect(try Self.opener(location).adopt(collection: nil) == nil)
        #expect(try Self.opener(location).open().has(1))
        #expect(try home.refusal()?.code == .groupElsewhere)
    }

    @Test(
        "another path to the folder of a group of the keyring is the same folder",
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
}
