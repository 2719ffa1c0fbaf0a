// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import Programs
import RecordStorage
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

/// A state file, edited by somebody who can write the folder and has no keys, that leads everybody away from a sound journal.
@Suite("A misleading state file")
struct MisleadingStateTests {
    enum Lie: CaseIterable, Sendable {
        case otherGroup, keyring, unknownStore

        /// What is said to who opens the group.
        var code: TokenCacheError.Code {
            switch self {
            case .otherGroup: .foreign
            case .keyring: .keyringMissing
            case .unknownStore: .unsupportedVersion
            }
        }

        func tell(in text: inout StoreText) {
            switch self {
            case .otherGroup: text["group"] = "6f9619ff-8b86-4011-b42d-00c04fc964ff"
            case .keyring: text["storage"] = "keyring"
            case .unknownStore: text["storage"] = "foo"
            }
        }
    }

    let fixture = HomeFixture()

    init() throws {
        try fixture.create()
    }

    private func expectAllIsWell() throws {
        #expect(try !fixture.opener().repair(isDryRun: true).wasDamaged)
        let group = try fixture.opener(access: .create).open()
        #expect(try group.has(1))
        try group.put(2)
        #expect(try group.directory?.readState()?.storage == .file)
    }

    @Test(
        "is reported with the way out, and repair rewrites it from the journal",
        arguments: Lie.allCases
    )
    func repaired(lie: Lie) throws {
        try StoreText.edit(fixture.path("store")) { lie.tell(in: &$0) }
        let before = fixture.treasures
        for access in [GroupAccess.readOnly, .readWrite, .create] {
            let error = try fixture.refusal(access: access)
            #expect(error?.code == lie.code)
            #expect(error?.advice.contains("cachetool repair") == true, "\(String(describing: error))")
        }
        var storage = StorageChoice.automatic
        if lie == .keyring {
            // It may be true, and the keyring may have more: somebody has to say so.
            let error = #expect(throws: StorageError.self) { try fixture.opener().repair(isDryRun: false) }
            #expect(error?.code == .keyringMissing)
            #expect(error?.advice?.contains("cachetool repair --storage file") == true, "\(String(describing: error))")
            storage = .file(unlockedBy: .keyFile)
        }
        let plan = try fixture.opener(storage).repair(isDryRun: true)
        #expect(plan.wasDamaged && !plan.isRepaired && plan.keptCount == 1 && plan.maximumLostCount == 0)
        #expect(fixture.treasures == before)
        let done = try fixture.opener(storage).repair(isDryRun: false)
        #expect(done.isRepaired && done.keptCount == 1)
        #expect(fixture.treasures == before)
        let quarantine = try FileManager.default.contentsOfDirectory(atPath: fixture.path("quarantine"))
        #expect(quarantine.contains { $0.hasPrefix("store.") })
        try expectAllIsWell()
    }

    @Test("is mended where the file was asked for by name, too", arguments: Lie.allCases)
    func repairedByName(lie: Lie) throws {
        try StoreText.edit(fixture.path("store")) { lie.tell(in: &$0) }
        let named = StorageChoice.file(unlockedBy: .keyFile)
        #expect(try fixture.refusal(named)?.advice.contains("cachetool repair") == true)
        #expect(try fixture.opener(named).repair(isDryRun: false).isRepaired)
        try expectAllIsWell()
    }

    @Test("a signed state file is left unchanged")
    func vouched() throws {
        let group = try fixture.opener().open()
        let keys = try #require(try group.keysAndSequence(until: .after(.seconds(20)))?.keys)
        try group.directory?.changeState(with: keys, until: .standard) { $0.storage = .keyring }
        let state = FileManager.default.contents(atPath: fixture.path("store"))
        let error = #expect(throws: StorageError.self) { try fixture.opener().repair(isDryRun: false) }
        #expect(error?.code == .keyringMissing)
        #expect(FileManager.default.contents(atPath: fixture.path("store")) == state)
    }

    @Test("that names a keyring as another store that may have records is no obstacle, and warns")
    func unreachableLeftover() throws {
        try StoreText.edit(fixture.path("store")) { $0["left-in"] = "keyring" }
        for access in [GroupAccess.readOnly, .readWrite] {
            let group = try fixture.opener(access: access).open()
            #expect(try group.has(1))
            #expect(group.leftoverProblem?.code == .keyringMissing)
            group.store.close()
        }
    }

    @Test("over a journal whose start is damaged: what the copy of its header opens is kept")
    func damagedStart() throws {
        var journal = try #require(FileManager.default.contents(atPath: fixture.path("journal")))
        journal[0] ^= 1
        fixture.scratch.write([UInt8](journal), to: "\(HomeFixture.data)/group/journal")
        try StoreText.edit(fixture.path("store")) { $0["group"] = "6f9619ff-8b86-4011-b42d-00c04fc964ff" }
        let plan = try? fixture.opener().repair(isDryRun: true)
        #expect(plan?.beginsAnew != true)
        let done = try fixture.opener().repair(isDryRun: false)
        #expect(done.isRepaired && done.keptCount == 1 && !done.beginsAnew)
        try expectAllIsWell()
    }
}
