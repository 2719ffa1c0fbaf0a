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

/// The folder of a group whose records are in the keyring. Whatever lies in it, what the keyring has stays, and nothing of
/// somebody else is taken for it.
@Suite("A hostile folder beside a keyring", .serialized)
struct HostileKeyringFolderTests {
    enum Source: CaseIterable, Sendable { case otherGroup, olderState, attackerWithUUID }

    static let files = ["items", "store", "revision", "lock", "leases"]

    private let home: HomeFixture
    /// Lives as long as the test.
    private let keyring: PrivateKeyring
    /// The files of a state in which the group had its first record only.
    private var older: [String: Data] = [:]

    /// A group with two records, and another one beside it in the same keyring.
    init() throws {
        keyring = try PrivateKeyring()
        var home = HomeFixture()
        home.busAddress = keyring.address
        self.home = home
        try home.create(.keyring, name: "other")
        try home.create(.keyring)
        for name in Self.files { older[name] = FileManager.default.contents(atPath: home.path(name)) }
        let group = try home.opener().open()
        try group.put(2)
        group.store.close()
    }

    @Test(
        "no file of another group, an older state or an attacker's group is taken for this one's",
        arguments: Source.allCases
    )
    func substituted(source: Source) throws {
        var others: [String: Data] = [:]
        switch source {
        case .otherGroup:
            for name in Self.files {
                others[name] = FileManager.default.contents(atPath: home.path(name, group: "other"))
            }
        case .olderState: others = older
        case .attackerWithUUID: others = try forged()
        }
        for name in Self.files {
            let bytes = try #require(others[name], "\(name)")
            try expectAllThere(after: name) {
                home.scratch.write([UInt8](bytes), to: "\(HomeFixture.data)/group/\(name)")
            }
        }
    }

    @Test("no line of the state file destroys items of the keyring", arguments: HostileFolderTests.Mutation.allCases)
    func lines(mutation: HostileFolderTests.Mutation) throws {
        for line in HostileFolderTests.lines {
            // For this group the other store is the file.
            let other = line.other == "keyring" ? "file" : line.other
            try expectAllThere(after: line.key) {
                try StoreText.edit(home.path("store")) { mutation.apply(to: &$0, line.key, other: other) }
            }
        }
    }

    /// Spoils the folder, tries everything on it, puts the state file back, and looks at what the keyring has.
    private func expectAllThere(after what: String, _ spoil: () throws -> Void) throws {
        let own = try #require(FileManager.default.contents(atPath: home.path("store")))
        try spoil()
        try tryEverything(what)
        home.scratch.write([UInt8](own), to: "\(HomeFixture.data)/group/store")
        let group = try home.opener().open()
        defer { group.store.close() }
        for number in [1, 2] as [UInt64] { #expect(try group.has(number), "\(what)") }
        #expect(try !group.has(66), "\(what)")
        try group.put(4)
        let other = try home.opener(name: "other").open()
        defer { other.store.close() }
        #expect(try other.has(1), "\(what)")
    }

    /// Opens the group in every way, saves into it where that is possible, and takes it elsewhere where it is.
    private func tryEverything(_ what: String) throws {
        for access in [GroupAccess.readOnly, .readWrite, .create] {
            guard let group = try? home.opener(access: access).open() else { continue }
            defer { group.store.close() }
            #expect(try !group.has(66), "\(what)")
            if access == .readWrite { _ = try? group.put(3) }
        }
        _ = try? home.opener().repair(isDryRun: true)
        let opener = try home.opener()
        do throws(StorageError) { _ = try opener.migrate(to: .keyring, progress: nil, onStep: nil) } catch {}
    }

    /// The files of a group in another keyring that bears the UUID of this one.
    private func forged() throws -> [String: Data] {
        let attackers = try PrivateKeyring()
        let scratch = ScratchFolder()
        let directory = try GroupDirectory.open(
            root: GroupLocation("group", root: scratch.path, environment: [:]).root,
            name: GroupName("group"),
            access: .create
        )
        let store = try SecretServiceStore.create(
            in: directory,
            SecretServiceLocation(busAddress: attackers.address),
            keys: .generate(uuid: #require(GroupUUID(home.uuid()))),
            reason: "forged",
            until: .after(.seconds(20))
        )
        store.close()
        var files: [String: Data] = [:]
        for name in Self.files { files[name] = FileManager.default.contents(atPath: scratch.path("group/\(name)")) }
        return files
    }
}
