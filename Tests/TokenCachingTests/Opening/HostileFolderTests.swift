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

/// Everything in the folder of a group at its extremes, by the library and by the command: errors that say what is wrong, and
/// nothing destroyed that verified before.
@Suite("A hostile folder")
struct HostileFolderTests {
    enum Mutation: CaseIterable, Sendable {
        case removed, doubled, emptied, long, other, unknownValue

        /// Changes a line of a state file; `other` is another value that is valid for it.
        func apply(to text: inout StoreText, _ key: String, other: String) {
            switch self {
            case .removed: text[key] = nil
            case .doubled:
                text[key] = text[key] ?? other
                text.lines.append("\(key) \(other)")
            case .emptied: text[key] = ""
            // As long as the file may be, and longer.
            case .long: text[key] = String(repeating: "x", count: 16 * 1024)
            case .other: text[key] = other
            case .unknownValue: text[key] = "of-a-newer-version"
            }
        }
    }

    /// Lines of the state file, with another value that is valid for each.
    static let lines: [(key: String, other: String)] = [
        ("storage", "keyring"), ("reason", "another one"), ("group", "6f9619ff-8b86-4011-b42d-00c04fc964ff"),
        ("phase", "moving"), ("folder", "1.1"), ("key-file", "/etc/passwd"), ("collection", "login"),
        ("anchor", "pending"),
        ("moving-to", "keyring"), ("moving-to-collection", "login"), ("left-in", "keyring"),
        ("left-in-collection", "login"), ("mac", String(repeating: "0", count: 64)), ("later-field", "1"),
    ]

    let fixture = HomeFixture()

    init() throws {
        try fixture.create()
        try fixture.create(name: "other")
    }

    @Test("no line of the state file destroys or ends anything", arguments: lines.map(\.key), Mutation.allCases)
    func line(key: String, mutation: Mutation) throws {
        let other = try #require(Self.lines.first { $0.key == key }).other
        try StoreText.edit(fixture.path("store")) { mutation.apply(to: &$0, key, other: other) }
        try expectNothingDestroyed()
    }

    @Test("no two lines of the state file together destroy anything")
    func pairs() throws {
        let sound = try StoreText(fixture.path("store"))
        for (index, first) in Self.lines.enumerated() {
            for second in Self.lines[(index + 1)...] {
                var text = sound
                text[first.key] = first.other
                text[second.key] = second.other
                text.write()
                let before = fixture.treasures
                _ = try? fixture.opener().open()
                _ = try? fixture.opener().migrate(to: .file(unlockedBy: .keyFile), progress: nil, onStep: nil)
                #expect(fixture.treasures == before, "\(first.key) and \(second.key)")
            }
        }
    }

    enum Source: CaseIterable, Sendable { case otherGroup, olderState, attackerWithUUID }

    @Test(
        "no file of another group, an older state or an attacker's group is taken for this one's",
        arguments: ["journal", "store", "revision", "lock", "leases"],
        Source.allCases
    )
    func substituted(name: String, source: Source) throws {
        let old = FileManager.default.contents(atPath: fixture.path(name))
        let group = try fixture.opener().open()
        try group.put(2)
        group.store.close()
        let bytes: Data?
        switch source {
        case .otherGroup: bytes = FileManager.default.contents(atPath: fixture.path(name, group: "other"))
        case .olderState: bytes = old
        case .attackerWithUUID: bytes = try forged(name)
        }
        fixture.scratch.write([UInt8](try #require(bytes)), to: "\(HomeFixture.data)/group/\(name)")
        try expectNothingDestroyed()
        if let opened = try? fixture.opener().open() {
            #expect(try !opened.has(66))
            let isOlder = source == .olderState && name == "journal"
            #expect(try opened.has(1) && (isOlder || opened.has(2)))
        }
    }

    /// A file of a group that bears the UUID of this one and was made by somebody else.
    private func forged(_ name: String) throws -> Data? {
        let scratch = ScratchFolder()
        let location = try GroupLocation("group", root: scratch.path, environment: [:])
        let directory = try GroupDirectory.open(root: location.root, name: location.name, access: .create)
        let uuid = try #require(GroupUUID(fixture.uuid()))
        let keys = try GroupKeys.generate(uuid: uuid)
        let slots = try KeySlots.create(for: keys, slots: [NewSlot(.keyFile(SecretBytes.random(byteCount: 32)))])
        try FileStore.create(in: directory, keys: keys, slots: slots, until: .standard) { _, _ in keys }.close()
        var state = StoreState(storage: .file, reason: "forged", group: uuid.description, phase: .ready)
        state.leftover = StoreReference(.keyring)
        try state.authenticate(with: keys)
        let lock = try directory.lock(.writer, until: .standard)
        try directory.writeState(state, under: lock)
        return FileManager.default.contents(atPath: scratch.path("group/\(name)"))
    }

    /// Tries everything on the group by the library and the command. What fails says why, and journals and key files stay.
    private func expectNothingDestroyed() throws {
        let before = fixture.treasures
        for access in [GroupAccess.readOnly, .readWrite, .create] { _ = try fixture.refusal(access: access) }
        for target in [StorageChoice.file(unlockedBy: .keyFile), .keyring] {
            let opener = try fixture.opener()
            do throws(StorageError) { _ = try opener.migrate(to: target, progress: nil, onStep: nil) } catch {}
        }
        #expect(fixture.treasures == before)
        let commands = [
            ["accounts"], ["sign-out", "--client", "c", "--account", "a", "--yes"], ["repair", "--dry-run"],
            ["migrate", "--to", "file"],
        ]
        for command in commands {
            let done = try Program.cachetool.run(
                command + ["--group", "group", "--timeout", "1", "--no-prompt"],
                environment: fixture.environment.merging(["PATH": "/usr/bin:/bin"]) { $1 }
            )
            #expect((0...9).contains(done.exitCode ?? -1), "\(command): \(done.messages)")
        }
        #expect(fixture.treasures == before)
        #expect(try fixture.opener(name: "other").open().has(1))
    }
}
