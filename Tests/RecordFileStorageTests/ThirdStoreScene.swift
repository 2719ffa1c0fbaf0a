// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import RecordStorage

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

/// A group that somebody signed in to, and the kinds of store that it can be moved between: those of this version, and a third.
struct ThirdStoreScene {
    let fixture = GroupFixture()
    let clock = TestClock()

    /// A group that was signed in to, and lies in a store of this kind.
    init(in kind: StorageKind = .recordFiles) throws {
        try fixture.create(.file(unlockedBy: .keyFile)).store.close()
        try TestResponse.signIn().save(in: cache())
        if kind != .file { try move(to: kind) }
    }

    func open() throws -> OpenedGroup { try RecordFileBackend.open(in: fixture) }

    /// A cache of its own, as another process would have.
    func cache(client: String = TestGroup.client) throws -> TokenCache {
        let opened = try open()
        return try TokenCache(
            store: opened.store,
            unlockedKeys: opened.unlockedKeys,
            clientID: client,
            options: TokenCacheOptions(clock: clock.wallClock),
            location: opened.location
        )
    }

    func group() throws -> CacheGroup { CacheGroup(try open(), timeout: .seconds(20)) }

    @discardableResult
    func move(to kind: StorageKind, onStep: ((MigrationStep) -> StorageError?)? = nil) throws -> MigrationReport {
        try RecordFileBackend.move(fixture, to: kind, onStep: onStep)
    }

    /// Everything that the group holds, as a document.
    func contents() throws -> String { try group().give(ExportOptions(includesSignedOutAccounts: true)).text }

    /// The names of the files that a kind of store has in the folder of the group.
    func files(of kind: StorageKind) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: fixture.path(""))
            .filter { $0 == "journal" ? kind == .file : kind == .recordFiles && $0.hasPrefix("record") }
    }
}

extension RecordFileBackend {
    /// Those of this version, and this one.
    static var allAndThis: [any MovableBackend] { .all + [RecordFileBackend()] }

    /// Opens a group in whichever of them it is.
    static func open(in fixture: GroupFixture) throws -> OpenedGroup {
        var opener = try fixture.opener()
        opener.backends = allAndThis
        return try opener.open()
    }

    /// An empty group.
    static func create(in fixture: GroupFixture) throws -> OpenedGroup {
        try fixture.create(.file(unlockedBy: .keyFile)).store.close()
        try move(fixture, to: .recordFiles)
        return try open(in: fixture)
    }

    @discardableResult
    static func move(
        _ fixture: GroupFixture,
        to kind: StorageKind,
        onStep: ((MigrationStep) -> StorageError?)? = nil
    ) throws -> MigrationReport {
        let target = StoreReference(kind)
        return try fixture.opener().migrate(
            to: target,
            creation: [.ownKeyFile],
            backends: allAndThis,
            onStep: onStep
        )
    }
}
