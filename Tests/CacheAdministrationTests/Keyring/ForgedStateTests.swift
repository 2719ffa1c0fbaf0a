// SPDX-License-Identifier: Apache-2.0

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

/// Whoever can write to the folder of one group names another group in its state file.
@Suite("A state file without a signature", .serialized)
struct ForgedStateTests {
    private let fixture: KeyringFixture
    /// Another root, whose group has the same name and the same keyring.
    private let other = ScratchFolder()

    init() throws {
        fixture = try KeyringFixture()
    }

    private func opener(
        _ storage: StorageChoice = .automatic,
        _ access: GroupAccess = .readWrite
    ) throws -> GroupOpener {
        let environment = ["DBUS_SESSION_BUS_ADDRESS": fixture.keyring.address]
        let location = try GroupLocation("group", root: other.path, environment: environment)
        return GroupOpener(location, storage: storage, access: access, timeout: .seconds(30))
    }

    /// A group in a file below the other root, whose journal is gone and whose state file is forged.
    private func forge(_ storage: String, _ phase: String, _ group: GroupUUID) throws {
        try opener(.file(unlockedBy: .keyFile), .create).open().store.close()
        try FileManager.default.removeItem(atPath: other.path("group/journal"))
        try StoreText.edit(other.path("group/store")) {
            $0["storage"] = storage
            $0["phase"] = phase
            $0["group"] = group.description
            $0["mac"] = nil
        }
    }

    private func create(_ storage: StorageChoice) throws -> GroupUUID {
        let group = try fixture.create(storage)
        defer { group.store.close() }
        try group.put(1)
        return try #require(try group.keysAndSequence(until: .after(.seconds(10)))?.keys.uuid)
    }

    @Test(
        "that says that a creation in the keyring has begun does not hide the journal beside it",
        arguments: [true, false]
    )
    func hiddenJournal(namesOwnGroup: Bool) throws {
        let group = try create(.file(unlockedBy: .keyFile))
        let journal = FileManager.default.contents(atPath: fixture.scratch.path("group/journal"))
        try StoreText.edit(fixture.scratch.path("group/store")) {
            $0["storage"] = "keyring"
            $0["phase"] = "creating"
            $0["group"] = (namesOwnGroup ? group : GroupUUID()).description
            $0["mac"] = nil
        }
        for storage in [StorageChoice.automatic, .keyring] {
            #expect(try fixture.refusal(storage, access: .create).code == .damaged)
        }
        #expect(FileManager.default.contents(atPath: fixture.scratch.path("group/journal")) == journal)
        #expect(try fixture.itemCount(.key) == 0)
        #expect(try fixture.opener().repair(isDryRun: false).isRepaired)
        #expect(try fixture.open().has(1))
    }

    @Test("that names a group of the keyring does not let a migration move that group's records away")
    func migration() throws {
        try forge("keyring", "ready", create(.keyring))
        let opener = try opener()
        let error = #expect(throws: StorageError.self) {
            try opener.migrate(to: .file(unlockedBy: .keyFile), progress: nil, onStep: nil)
        }
        #expect(error?.code == .damaged)
        #expect(try fixture.open().has(1))
    }

    @Test("that names a group of the keyring does not let the removal of its folder remove that group's items")
    func removal() throws {
        try forge("keyring", "ready", create(.keyring))
        let report = try GroupRemoval.run(with: opener(), isDryRun: false)
        #expect(!report.isComplete)
        #expect(try fixture.open().has(1))
    }

    @Test(
        "that begins a creation under the UUID of a group that the keyring opens does not give that UUID to another group"
    )
    func creation() throws {
        let group = try create(.file(unlockedBy: .keyring))
        try forge("file", "creating", group)
        let made = try opener(.file(unlockedBy: .keyFile), .create).open()
        #expect(try made.keysAndSequence(until: .after(.seconds(10)))?.keys.uuid != group)
        made.store.close()
        #expect(try GroupRemoval.run(with: opener(), isDryRun: false).isComplete)
        #expect(try fixture.open().has(1))
    }
}
