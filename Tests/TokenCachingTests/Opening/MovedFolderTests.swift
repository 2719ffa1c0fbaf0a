// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import RecordStorage
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

/// The folder of a group goes elsewhere while somebody has it open.
@Suite("A group folder that was moved")
struct MovedFolderTests {
    enum Way: CaseIterable, Sendable {
        case renamed, replacedByCopy, removed, parentRenamed, parentIsFile
    }

    let fixture = GroupFixture()

    /// A root below the scratch folder, so that it can be renamed too.
    private func open(_ access: GroupAccess) throws -> OpenedGroup {
        let location = try GroupLocation("group", root: fixture.scratch.path("root"), environment: [:])
        return try GroupOpener(location, storage: .automatic, access: access, timeout: .seconds(20)).open()
    }

    private func move(_ way: Way) throws {
        let files = FileManager.default
        let (root, folder) = (fixture.scratch.path("root"), fixture.scratch.path("root/group"))
        switch way {
        case .renamed: try files.moveItem(atPath: folder, toPath: folder + ".old")
        case .replacedByCopy:
            try files.moveItem(atPath: folder, toPath: folder + ".old")
            try files.copyItem(atPath: folder + ".old", toPath: folder)
        case .removed: try files.removeItem(atPath: folder)
        case .parentRenamed: try files.moveItem(atPath: root, toPath: root + ".old")
        case .parentIsFile:
            try files.moveItem(atPath: root, toPath: root + ".old")
            fixture.scratch.write([], to: "root")
        }
    }

    private func journals() -> [String: Data] {
        var found: [String: Data] = [:]
        for name in fixture.scratch.files where name.hasSuffix("/journal") {
            found[name] = FileManager.default.contents(atPath: fixture.scratch.path(name))
        }
        return found
    }

    @Test("a save is refused, writes nothing, and the handle fails for good", arguments: Way.allCases)
    func save(way: Way) throws {
        let group = try open(.create)
        try group.put(1)
        try move(way)
        let before = journals()
        #expect(throws: StorageError.self) { try group.put(2) }
        #expect(
            code { () throws(StorageError) in
                try group.store.commit(until: .standard) { _, _ throws(StorageError) in }
            } == .storageMoved
        )
        #expect(code { () throws(StorageError) in _ = try group.store.refresh(until: .standard) } == .storageMoved)
        #expect(journals() == before)
        if way == .renamed {
            let folder = fixture.scratch.path("root/group")
            try FileManager.default.moveItem(atPath: folder + ".old", toPath: folder)
            #expect(code { () throws(StorageError) in _ = try group.store.refresh(until: .standard) } == .storageMoved)
            #expect(try open(.readWrite).has(1))
        }
    }

    @Test("the look at the files notices it", arguments: Way.allCases)
    func look(way: Way) throws {
        let group = try open(.create)
        try group.put(1)
        #expect(!group.store.hasUnannouncedChanges())
        try move(way)
        #expect(group.store.hasUnannouncedChanges())
        #expect(code { () throws(StorageError) in _ = try group.store.refresh(until: .standard) } == .storageMoved)
    }

    @Test("a process that waits for changes is notified")
    func watch() throws {
        let group = CacheGroup(try open(.create))
        let feed = try group.watch()
        let mover = Thread { [self] in try? move(.replacedByCopy) }
        mover.start()
        let error = #expect(throws: TokenCacheError.self) {
            while try feed.next() != nil {}
        }
        #expect(error?.code == .storageMoved)
    }

    @Test("a renewal that is about to begin is refused")
    func lease() throws {
        let directory = try #require(try open(.create).directory)
        try move(.replacedByCopy)
        #expect(code { () throws(StorageError) in _ = try directory.tryLease(1, in: .file) } == .storageMoved)
    }

    private func code(_ body: () throws(StorageError) -> Void) -> StorageError.Code? {
        do throws(StorageError) {
            try body()
            return nil
        } catch {
            return error.code
        }
    }
}
