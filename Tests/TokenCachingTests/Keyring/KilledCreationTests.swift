// SPDX-License-Identifier: Apache-2.0

import Programs
import Testing

@testable import SecretServiceStorage
@testable import TokenCaching
@testable import TokenCachingTestSupport

/// A process is killed while it makes a file that an item in the keyring opens.
@Suite(
    "A file that the keyring opens, whose maker is killed",
    .serialized,
    .timeLimit(.minutes(Scale.pick(10, release: 240)))
)
struct KilledCreationTests {
    private static let storage = StorageChoice.file(unlockedBy: .keyring)

    private let fixture: KeyringFixture

    init() throws {
        fixture = try KeyringFixture()
    }

    /// Another process begins to make the group and is killed at a step.
    private func kill(at step: OpeningStep) throws {
        let done = try Program(path: Program.folder + "/keyring-worker").run(
            ["creates", fixture.scratch.path, "group", "file-with-keyring", "\(step)"],
            environment: [
                "PATH": "/usr/bin:/bin", "HOME": fixture.scratch.path,
                "DBUS_SESSION_BUS_ADDRESS": fixture.keyring.address,
            ]
        )
        try #require(done.exitCode == nil, "\(done.messages)")
    }

    @Test("is created by the next process, with one item", arguments: OpeningStep.allCases)
    func next(step: OpeningStep) throws {
        try kill(at: step)
        #expect(try fixture.itemCount(.slot) == (step == .stateBegun ? 0 : 1))
        try fixture.create(Self.storage).put(1)
        #expect(try fixture.itemCount(.slot) == 1)
        #expect(try fixture.open().has(1))
    }

    @Test("is made with one item, however often that was begun")
    func again() throws {
        for _ in 0..<3 { try kill(at: .keysMade) }
        try fixture.create(Self.storage).put(1)
        #expect(try fixture.itemCount(.slot) == 1)
        #expect(try fixture.open().has(1))
    }

    @Test("leaves nothing beside one that is made at the same time")
    func beside() throws {
        var opener = try fixture.opener(Self.storage, access: .create)
        let fixture = fixture
        opener.onStep = { step in
            if step == .stateBegun { try? kill(at: .keysMade) }
            // Each has made one by now.
            if step == .keysMade { #expect((try? fixture.itemCount(.slot)) == 2) }
            return nil
        }
        try opener.open().put(1)
        #expect(try fixture.itemCount(.slot) == 1)
        #expect(try fixture.open().has(1))
    }

    @Test("leaves the items of other groups alone")
    func others() throws {
        try fixture.create(Self.storage).put(1)
        let other = try KeyringFixtureBeside(fixture)
        try other.create(Self.storage).put(2)
        #expect(try fixture.itemCount(.slot) == 2)
        #expect(try fixture.open().has(1))
        #expect(try other.open().has(2))
    }
}

/// Another root beside the same keyring, with a group of the same name.
private struct KeyringFixtureBeside {
    private let fixture: KeyringFixture
    private let scratch = ScratchFolder()

    init(_ fixture: KeyringFixture) throws {
        self.fixture = fixture
    }

    private func opener(_ storage: StorageChoice, _ access: GroupAccess) throws -> GroupOpener {
        let environment = ["DBUS_SESSION_BUS_ADDRESS": fixture.keyring.address]
        let location = try GroupLocation("group", root: scratch.path, environment: environment)
        return GroupOpener(location, storage: storage, access: access, timeout: .seconds(30))
    }

    func create(_ storage: StorageChoice) throws -> OpenedGroup { try opener(storage, .create).open() }

    func open() throws -> OpenedGroup { try opener(.automatic, .readWrite).open() }
}
