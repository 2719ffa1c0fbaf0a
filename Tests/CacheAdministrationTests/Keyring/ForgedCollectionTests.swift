// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import RecordStorage
import Sealing
import Testing

@testable import CacheAdministration
@testable import SecretServiceStorage
@testable import TokenCaching
@testable import TokenCachingTestSupport

/// Items that are made in the collection `session` are gone when the person logs out. Whoever can write the folder can name it.
@Suite("An unauthenticated state file that names a collection of the keyring", .serialized)
struct ForgedCollectionTests {
    private let fixture: KeyringFixture

    init() throws {
        fixture = try KeyringFixture()
    }

    private func forge(_ edits: (inout StoreText) -> Void = { _ in }) throws {
        try StoreText.edit(fixture.scratch.path("group/store")) { text in
            text["collection"] = "session"
            edits(&text)
        }
    }

    /// How many items of the group with this role lie in the default collection, and in any other one.
    private func counts(_ role: KeyringAttributes.Role) throws -> [Int] {
        let attributes = try KeyringAttributes(GroupName("group")).some(role)
        return try fixture.withItems(role) { calls, items throws(SecretServiceError) in
            [items.count, try calls.searchAllCollections(attributes).count - items.count]
        }
    }

    private func group(_ storage: StorageChoice) throws -> CacheGroup {
        CacheGroup(try fixture.open(storage), timeout: .seconds(20))
    }

    @Test("new keys and a new slot are made in the default collection")
    func newSlots() throws {
        let both = StorageChoice.file(unlockedBy: .anyOf([.keyFile, .keyring]))
        let opened = try fixture.create(.file(unlockedBy: .keyFile))
        try opened.put(1)
        opened.store.close()
        try forge()
        _ = try group(both).addKeySlot(.keyring)
        #expect(try counts(.slot) == [1, 0])
        try forge()
        _ = try group(both).rekey()
        // The old item stays: a state file that is not signed does not show that this folder is no copy.
        #expect(try counts(.slot) == [2, 0])
        #expect(try counts(.fileAnchor) == [1, 0])
        #expect(try fixture.open(.file(unlockedBy: .keyring)).has(1))
    }

    @Test("a group whose creation was begun is made in the default collection", arguments: [true, false])
    func creation(isInKeyring: Bool) throws {
        let storage: StorageChoice = isInKeyring ? .keyring : .file(unlockedBy: .keyring)
        try fixture.create(storage).store.close()
        let state = try #require(try fixture.state)
        try FileManager.default.removeItem(atPath: fixture.scratch.path("group"))
        for role in [KeyringAttributes.Role.key, .anchor, .slot] {
            try fixture.withItems(role) { calls, items throws(SecretServiceError) in
                for item in items { try calls.delete(item) }
            }
        }
        try FileManager.default.createDirectory(
            atPath: fixture.scratch.path("group"),
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        var begun = state
        (begun.phase, begun.authenticator, begun.collection) = (.creating, nil, "session")
        let directory = try fixture.directory()
        let lock = try directory.lock(.writer, until: .standard)
        try directory.writeState(begun, under: lock)
        lock.release()
        try fixture.create(storage).put(1)
        #expect(try counts(isInKeyring ? .key : .slot) == [1, 0])
        // For a group in the file, nothing reads it.
        if isInKeyring { #expect(try fixture.state?.collection == nil) }
        #expect(try fixture.open().has(1))
    }

    @Test("how far the group has come is noted in the default collection")
    func anchor() throws {
        let group = try fixture.create(.file(unlockedBy: .keyring))
        try group.put(1)
        group.store.close()
        try forge()
        let opened = try fixture.open()
        try opened.store.commit(until: .after(.seconds(20))) { _, batch throws(StorageError) in
            let partition = PartitionTag(first: 1, second: 1)
            try batch.remove(
                Removal(tag: RecordTag(first: 1, second: 2), partition: partition, erasesSecret: true)
            )
        }
        #expect(try counts(.fileAnchor) == [1, 0])
    }

    @Test("that does not exist is named in the error, with the way out")
    func nowhere() throws {
        try fixture.create(.keyring).put(1)
        try forge { $0["collection"] = "nowhere" }
        let error = #expect(throws: StorageError.self) { try fixture.opener().open() }
        #expect(error?.code == .keyringMissing)
        #expect(error?.detail?.contains("names collection nowhere") == true, "\(String(describing: error))")
        #expect(error?.advice?.contains("cachetool repair --adopt") == true, "\(String(describing: error))")
        try fixture.opener().adopt(collection: nil)
        #expect(try fixture.open().has(1))
    }

    @Test("a collection that the caller names is written to, and found without its name")
    func named() throws {
        let named = FileUnlocking.keyring(collection: "session")
        try fixture.create(.file(unlockedBy: named)).store.close()
        #expect(try fixture.state?.collection == nil)
        #expect(try counts(.slot) == [0, 1])
        _ = try group(.file(unlockedBy: named)).rekey()
        #expect(try counts(.slot) == [0, 1])
        #expect(try counts(.fileAnchor) == [0, 1])
        try fixture.open().store.close()
    }
}
