// SPDX-License-Identifier: Apache-2.0

import FileStorage
import Foundation
import GroupDirectory
import GroupRecords
import Programs
import RecordStorage
import Sealing
import Testing

@testable import SecretServiceStorage
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Choosing a store", .serialized, .timeLimit(.minutes(Scale.pick(10, release: 240))))
struct StorageChoiceTests {
    private let fixture: KeyringFixture

    init() throws {
        fixture = try KeyringFixture()
    }

    @Test("a keyring that can be used gets a new group, which says so and keeps to it")
    func keyring() throws {
        let group = try fixture.create()
        #expect(group.location.kind == .keyring)
        #expect(group.location.reason.contains("gnome-keyring"))
        #expect(group.location.folder == fixture.scratch.path("group"))
        try group.put(1)
        #expect(try fixture.state?.storage == .keyring)
        #expect(try fixture.state?.reason == group.location.reason)
        #expect(!fixture.scratch.files.contains("group/journal"))
        let again = try fixture.open()
        #expect(again.location == group.location)
        #expect(try again.has(1))
        #expect(try fixture.create(.keyring).has(1))
    }

    @Test("a request that contradicts the group is a mismatch", arguments: [true, false])
    func mismatch(isInKeyring: Bool) throws {
        let other: StorageChoice = isInKeyring ? .file(unlockedBy: .keyFile) : .keyring
        try fixture.create(isInKeyring ? .keyring : .file(unlockedBy: .keyFile)).put(1)
        for access in [GroupAccess.create, .readWrite, .readOnly] {
            #expect(try fixture.refusal(other, access: access).code == .storageMismatch)
        }
        #expect(try fixture.refusal(.keyring(collection: "session")).code == .storageMismatch)
        #expect(try fixture.open().has(1))
    }

    @Test("a collection that was named is found again without being named")
    func collection() throws {
        let group = try fixture.create(.keyring(collection: "session"))
        #expect(group.location.collection == "session")
        try group.put(1)
        #expect(try fixture.open().has(1))
        #expect(try fixture.open(.keyring).location.collection == "session")
        #expect(try fixture.open(.keyring(collection: "session")).has(1))
        #expect(try fixture.refusal(.keyring(collection: "login")).code == .storageMismatch)
    }

    @Test("where nothing offers the Secret Service, a new group is a file with a key file")
    func noService() throws {
        try fixture.keyring.killDaemon()
        let group = try fixture.create()
        #expect(group.location.kind == .file)
        #expect(group.location.reason.contains("Secret Service"))
        #expect(try group.fileStore?.keySlots.slots.map(\.kind) == [.keyFile])
        #expect(try fixture.refusal(.keyring, access: .create).code == .storageMismatch)
    }

    @Test("a keyring that comes later changes nothing for a group that is there")
    func laterKeyring() throws {
        try GroupFixture.create(in: fixture.scratch).put(1)
        let group = try fixture.create()
        #expect(group.location.kind == .file)
        #expect(try group.has(1))
    }

    @Test("a keyring that is locked is not passed over: nothing is chosen and nothing made")
    func locked() throws {
        try fixture.keyring.lock()
        #expect(try fixture.refusal(access: .create).code == .keyringLocked)
        #expect(try fixture.refusal(.keyring, access: .create).code == .keyringLocked)
        #expect(try fixture.refusal(.file(unlockedBy: .keyring), access: .create).code == .keyringLocked)
        #expect(!fixture.scratch.files.contains { $0.hasSuffix("journal") || $0.hasPrefix(".keys") })
    }

    @Test("a keyring that does not answer is given up in time: nothing is chosen and nothing made")
    func silent() throws {
        try fixture.keyring.freeze()
        defer { try? fixture.keyring.thaw() }
        let result = try fixture.refusal(access: .create, timeout: .seconds(1))
        #expect(result.code == .timeout)
        // D-Bus by itself would wait for 25 seconds.
        #expect(result.time < .seconds(20), "\(result.time)")
        #expect(fixture.scratch.files.isEmpty)
    }

    @Test("the user's answer to the prompt of a locked keyring decides")
    func prompts() throws {
        try fixture.keyring.startFake("dismisses")
        #expect(try fixture.refusal(access: .create, prompts: .allowed()).code == .promptDismissed)
        #expect(try fixture.refusal(access: .create).code == .keyringLocked)
        #expect(fixture.scratch.files.isEmpty)
        try fixture.keyring.startFake("unlocks-when-asked")
        #expect(try fixture.refusal(access: .create).code == .keyringLocked)
        #expect(fixture.scratch.files.isEmpty)
        let group = try fixture.opener(access: .create, prompts: .allowed()).open()
        #expect(group.location.kind == .keyring)
    }

    @Test(
        "a keyring that asks about single entries keeps the key of the file only",
        arguments: ["org.kde.kwalletd5", "org.kde.kwalletd6", "org.keepassxc.KeePassXC.MainWindow"]
    )
    func askingKeyring(name: String) throws {
        try fixture.keyring.startFake("is-\(name)")
        let group = try fixture.create()
        #expect(group.location.kind == .file)
        #expect(try group.fileStore?.keySlots.slots.map(\.kind) == [.keyring])
        #expect(!fixture.scratch.files.contains { $0.hasPrefix(".keys") })
        try group.put(1)
        #expect(try fixture.open().has(1))
        #expect(try fixture.itemCount(.slot) == 1)
        #expect(try fixture.itemCount(.partition) == 0)
    }

    @Test("a group of another keyring program than the one that answers is named so, not lost")
    func otherProgram() throws {
        try fixture.create().put(1)
        try fixture.keyring.startFake("is-org.keepassxc.KeePassXC.MainWindow")
        let error = #expect(throws: StorageError.self) { try fixture.open() }
        #expect(error?.code == .keyringItemMissing)
        #expect(error?.detail == "the group was made in gnome-keyring, and KeePassXC answers in its place")
    }

    @Test("several that create at once get one group")
    func race() async throws {
        let groups = try await withThrowingTaskGroup(of: String.self) { [fixture] tasks in
            for number in 0..<6 as Range<UInt64> {
                let opener = try fixture.opener(access: .create, timeout: .seconds(30))
                tasks.addTask {
                    let group = try opener.open()
                    try group.put(number)
                    return try group.unlockedKeys.tagSealer().keys.uuid.description
                }
            }
            return try await tasks.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(groups.count == 1)
        let group = try fixture.open()
        #expect(try (0..<6).allSatisfy { try group.has($0) })
        #expect(try fixture.itemCount(.key) == 1)
    }

    @Test("a creation that was killed is continued", arguments: [true, false])
    func killedCreation(hasItem: Bool) throws {
        try fixture.create()
        var state = try #require(try fixture.state)
        state.phase = .creating
        let directory = try fixture.directory()
        try directory.writeState(state, under: directory.lock(.writer, until: .standard))
        if !hasItem {
            try fixture.withItems(.key) { calls, items throws(SecretServiceError) in
                for item in items { try calls.delete(item) }
            }
        }
        try fixture.create().put(1)
        #expect(try fixture.state?.phase == .ready)
        #expect(try fixture.open().has(1))
    }

    @Test("a group of this name in the keyring that has another folder is elsewhere, not there and not new")
    func elsewhere() throws {
        try fixture.create().put(1)
        let location = try GroupLocation(
            "group",
            root: ScratchFolder().path("other"),
            environment: ["DBUS_SESSION_BUS_ADDRESS": fixture.keyring.address]
        )
        for storage in [StorageChoice.automatic, .keyring] {
            let error = #expect(throws: StorageError.self) {
                try GroupOpener(location, storage: storage, access: .create).open()
            }
            #expect(error?.code == .groupElsewhere)
        }
        #expect(try fixture.open().has(1))
    }

    @Test("a complete group without its key is not created again")
    func missingKey() throws {
        try fixture.create().put(1)
        try fixture.withItems(.key) { calls, items throws(SecretServiceError) in
            for item in items { try calls.delete(item) }
        }
        #expect(try fixture.refusal(access: .create).code == .keyringItemMissing)
        #expect(try fixture.itemCount(.key) == 0)
    }
}

extension GroupFixture {
    /// A new group in the file, where there is no bus.
    static func create(in scratch: ScratchFolder) throws -> OpenedGroup {
        let location = try GroupLocation("group", root: scratch.path, environment: [:])
        return try GroupOpener(location, storage: .automatic, access: .create).open()
    }
}
