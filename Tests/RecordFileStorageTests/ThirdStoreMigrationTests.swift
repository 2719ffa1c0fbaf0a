// SPDX-License-Identifier: Apache-2.0

import GroupDirectory
import RecordStorage
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Taking a group to a kind of store that production does not know, and away", .timeLimit(.minutes(10)))
struct ThirdStoreMigrationTests {
    typealias Way = (from: StorageKind, to: StorageKind)
    static let steps = MigrationStep.allCases
    static let ways: [Way] = [(.file, .recordFiles), (.recordFiles, .file)]

    @Test("everything is there afterwards, and nothing in the old place", arguments: ways)
    func move(way: Way) throws {
        let scene = try ThirdStoreScene(in: way.from)
        let before = try scene.contents()
        let report = try scene.move(to: way.to)
        #expect(report.recordCount >= 5 && !report.wasResumed)
        #expect(try scene.contents() == before)
        #expect(try scene.files(of: way.from).isEmpty && !scene.files(of: way.to).isEmpty)
        // The new place opens with the key file of the old one.
        #expect(scene.fixture.keyFiles.count == 1)
    }

    @Test("entries keep the order in which they were written", arguments: ways)
    func order(way: Way) throws {
        let names = ["zeta", "alpha", "mu", "beta", "omega", "gamma"]
        let scene = try ThirdStoreScene(in: way.from)
        try scene.group().take(.sections(["RefreshToken": names.map { Document.refreshToken(key: $0, client: $0) }]))
        try scene.move(to: way.to)
        let text = try scene.contents()
        let places = try names.map { try #require(text.firstRange(of: "\"\($0)\"")).lowerBound }
        #expect(places == places.sorted())
    }

    @Test("killed at any step, it loses nothing, can be undone, and continues", arguments: ways, steps)
    func step(way: Way, step: MigrationStep) throws {
        let scene = try ThirdStoreScene(in: way.from)
        let before = try scene.contents()
        let isDecided = [.flipped, .wiped].contains(step)
        for target in isDecided ? [way.to] : [way.from, way.to] {
            #expect(throws: StorageError.self) {
                try scene.move(to: way.to) { $0 == step ? Migration.killed : nil }
            }
            try scene.move(to: target)
            #expect(try scene.contents() == before)
            #expect(try scene.files(of: target == way.to ? way.from : way.to).isEmpty)
        }
    }

    @Test("open handles learn that it was moved", arguments: ways)
    func openHandle(way: Way) throws {
        let scene = try ThirdStoreScene(in: way.from)
        let cache = try scene.cache()
        try scene.move(to: way.to)
        let error = #expect(throws: TokenCacheError.self) { try TestResponse.signIn().save(in: cache) }
        #expect(error?.code == .storageMismatch)
    }

    @Test("every kind of store that can be opened can be moved to and from")
    func kinds() {
        let opened: [any StorageBackend] = .all
        let moved: [any MovableBackend] = .all
        #expect(Set(opened.map(\.kind)) == Set(moved.map(\.kind)))
    }

    @Test("the error for an impossible target names every kind of store that can be one")
    func otherTarget() {
        let error = #expect(throws: StorageError.self) { try StorageChoice.memory.migrationTarget() }
        #expect(error?.code == .invalidRequest)
        #expect(error?.detail == "a group can be migrated only to the keyring or to the encrypted file")
    }

    @Test("every kind of store that can be opened has a name of its own")
    func names() {
        let opened: [any StorageBackend] = .all
        for kind in opened.map(\.kind) { #expect(StorageLocation.Kind(kind).rawValue == kind.rawValue) }
    }
}
