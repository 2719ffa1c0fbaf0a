// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import RecordStorage
import Sealing
import SystemPackage
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Opening groups")
struct GroupOpeningTests {
    let fixture = GroupFixture()

    @Test("a new group gets a journal, a state that says ready, and a key file apart from the data")
    func creation() throws {
        let group = try fixture.create()
        let state = try #require(try group.directory?.readState())
        #expect(state.phase == .ready)
        #expect(state.storage == .file)
        #expect(fixture.keyFiles == [fixture.scratch.path(".keys/\(state.group)")])
        try group.put(7)
        #expect(try fixture.open().has(7))
    }

    @Test("a group that is not there is not created unless that is asked for")
    func notFound() throws {
        #expect(fixture.refusal() == .notFound)
        #expect(fixture.refusal(access: .readOnly) == .notFound)
        #expect(fixture.scratch.files.isEmpty)
    }

    @Test("creating a group that is there opens it")
    func secondCreation() throws {
        try fixture.create().put(1)
        let again = try fixture.create()
        #expect(try again.has(1))
        #expect(fixture.keyFiles.count == 1)
    }

    @Test("a group name outside the allowed form is refused", arguments: ["", ".", "..", "a/b", "ä", " ", ".hidden"])
    func names(name: String) throws {
        let error = #expect(throws: TokenCacheError.self) { try CacheGroup.open(name, root: fixture.scratch.path) }
        #expect(error?.code == .invalidName)
    }

    @Test("a complete group without its journal is damaged and never created again")
    func missingJournal() throws {
        try fixture.create()
        try fixture.remove("journal")
        let before = fixture.scratch.files
        #expect(fixture.refusal(access: .create) == .damaged)
        #expect(fixture.refusal() == .damaged)
        #expect(fixture.scratch.files == before)
    }

    @Test("a journal without a state file is opened, and the state noted")
    func missingState() throws {
        let state = try #require(try fixture.create().directory?.readState())
        try fixture.create().put(3)
        try fixture.remove("store")
        let group = try fixture.open()
        #expect(try group.has(3))
        #expect(try group.directory?.readState()?.phase == .ready)
        #expect(try group.directory?.readState()?.group == state.group)
    }

    @Test("a damaged state file is damage, not a new group")
    func damagedState() throws {
        try fixture.create()
        _ = FileManager.default.createFile(atPath: fixture.path("store"), contents: Data("swift-token-cache st".utf8))
        _ = unsafe chmod(fixture.path("store"), 0o600)
        #expect(fixture.refusal(access: .create) == .damaged)
    }

    @Test("a group in a kind of store of a newer version is refused, whatever is asked for")
    func newerStore() throws {
        let directory = try #require(try fixture.create().directory)
        var state = try #require(try directory.readState())
        state.storage = StorageKind(rawValue: "secret-service")
        let lock = try directory.lock(.writer, until: .standard)
        try directory.writeState(state, under: lock)
        lock.release()
        #expect(fixture.refusal() == .unsupportedVersion)
        #expect(fixture.refusal(.file(unlockedBy: .keyFile), access: .create) == .unsupportedVersion)
    }

    @Test("a migration that an older version began and did not end is as if it had not begun")
    func moving() throws {
        try fixture.create().store.close()
        try StoreText.edit(fixture.path("store")) { ($0["phase"], $0["moving-to"]) = ("moving", "keyring") }
        #expect(fixture.refusal() == nil)
        #expect(fixture.refusal(access: .readOnly) == nil)
    }

    @Test("the journal of another group is foreign")
    func foreignJournal() throws {
        try fixture.create()
        try fixture.create(name: "other")
        try fixture.remove("journal")
        try FileManager.default.moveItem(
            atPath: fixture.path("journal", group: "other"),
            toPath: fixture.path("journal")
        )
        #expect(fixture.refusal() == .foreign)
    }

    @Test("opening for reading writes nothing")
    func readOnly() throws {
        try fixture.create().put(9)
        try fixture.remove("store")
        let before = fixture.scratch.files
        let journal = fixture.contents("journal")
        let group = try fixture.open(access: .readOnly)
        #expect(try group.has(9))
        #expect(group.store.readOnlyReason?.code == .readOnly)
        #expect(throws: StorageError.self) { try group.put(1) }
        #expect(fixture.scratch.files == before)
        #expect(fixture.contents("journal") == journal)
    }

    @Test("a group in memory touches no disk and works")
    func memory() throws {
        let group = try fixture.open(.memory)
        try group.put(4)
        #expect(try group.has(4))
        #expect(fixture.scratch.files.isEmpty)
    }

    @Test("groups are listed with their states, without a key")
    func listing() throws {
        try fixture.create(name: "b")
        try fixture.create(name: "a")
        try fixture.create(name: "gone")
        try FileManager.default.removeItem(atPath: fixture.path("journal", group: "gone"))
        try FileManager.default.createDirectory(
            atPath: fixture.scratch.path("empty"),
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        try FileManager.default.createDirectory(
            atPath: fixture.scratch.path("open"),
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o777]
        )
        _ = unsafe chmod(fixture.scratch.path("open"), 0o777)
        let groups = try CacheGroup.list(root: fixture.scratch.path)
        #expect(groups.map(\.name) == ["a", "b", "empty", "gone", "open"])
        #expect(groups.map(\.state) == [.ready, .ready, .empty, .damaged, .unreadable])
        #expect(groups[4].problem?.code == .unsafePermissions)
        #expect(groups[0].storage == .file)
    }

    @Test("a missing root contains no groups")
    func noRoot() throws {
        #expect(try CacheGroup.list(root: fixture.scratch.path("nothing")).isEmpty)
    }
}
