// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import RecordStorage
import Sealing
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Tools on a kind of store that production does not know", .timeLimit(.minutes(10)))
struct ThirdStoreAdministrationTests {
    let scene: ThirdStoreScene

    init() throws { scene = try ThirdStoreScene() }

    @Test("its entries are listed, and each is shown by its handle")
    func entries() throws {
        let group = try scene.group()
        var handles: [String] = []
        try group.forEachEntry { (entry) throws(TokenCacheError) in handles.append(entry.handle.description) }
        #expect(handles.count == 5)
        for handle in handles { #expect(try group.entry(handle).summary.handle.description == handle) }
    }

    @Test("an export can be imported again unchanged")
    func interchange() throws {
        let group = try scene.group()
        let document = try group.give()
        #expect(try group.clearAll().entryCount == 5)
        #expect(try group.give().text == "{}")
        try group.take(document)
        #expect(try group.give().value == document.value)
    }

    @Test("it is sound, has figures without a file, and nothing to be compacted")
    func figures() throws {
        let group = try scene.group()
        let summary = try group.verify()
        #expect(summary.isSound && summary.recordCount >= 5 && summary.byteCount > 0)
        let statistics = try group.statistics()
        #expect(statistics.accountCount == 1 && statistics.entryCount == 5 && statistics.file == nil)
        #expect(try !group.compact())
    }

    @Test("a record whose file is spoiled is damage, and the others are read", arguments: [true, false])
    func damage(isMissing: Bool) throws {
        let name = try #require(try scene.files(of: .recordFiles).filter { $0.hasPrefix("record-") }.min())
        let path = scene.fixture.path(name)
        if isMissing {
            try FileManager.default.removeItem(atPath: path)
        } else {
            var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            bytes[bytes.count - 1] ^= 1
            try bytes.write(to: URL(fileURLWithPath: path))
        }
        let summary = try scene.group().verify()
        #expect(!summary.isSound && summary.findings.count(where: \.isDamage) == 1)
    }

    @Test("new keys are followed by open handles, and open nothing that is old")
    func rekey() throws {
        let cache = try scene.cache()
        let keyFiles = scene.fixture.keyFiles
        let report = try scene.group().rekey()
        #expect(report.epoch == 2 && report.slots.map(\.kind) == [.ownKeyFile])
        #expect(scene.fixture.keyFiles.count == 1 && scene.fixture.keyFiles != keyFiles)
        let query = MatchingCase.query("user.read")
        #expect(try cache.token(for: query).summary() == "valid at")
        #expect(try scene.cache().token(for: query).summary() == "valid at")
        #expect(try scene.group().verify().isSound)
    }

    @Test("key slots are added and taken away")
    func slots() throws {
        let group = try scene.group()
        let added = try group.addKeySlot(.keyFile(path: scene.fixture.scratch.path("other.key")))
        #expect(try group.keySlots().map(\.kind) == [.ownKeyFile, .keyFile])
        #expect(try group.removeKeySlot(added.id).epoch == 2)
        #expect(try group.keySlots().map(\.kind) == [.ownKeyFile])
    }

    @Test("it is listed, and examined without being taken for a file")
    func examination() throws {
        let summary = try #require(try CacheGroup.list(root: scene.fixture.scratch.path).first { $0.name == "group" })
        #expect(summary.storage == .unknown && summary.state == .ready)
        let findings = try GroupReference("group", root: scene.fixture.scratch.path).examine()
        #expect(!findings.contains { $0.text.contains("encrypted file") && $0.topic == .store })
        #expect(findings.contains { $0.topic == .opening && $0.error?.code == .unsupportedVersion })
    }

    @Test("a folder whose state file is missing is not taken for an empty one")
    func missingState() throws {
        try FileManager.default.removeItem(atPath: scene.fixture.path("store"))
        let files = try scene.files(of: .recordFiles)
        let error = #expect(throws: StorageError.self) { try scene.open() }
        #expect(error?.code == .damaged && error?.path == scene.fixture.path("store"))
        #expect(try scene.files(of: .recordFiles) == files)
    }

    @Test("the secrets of its key slots are removed with it if the group moved to a store without key slots")
    func leftover() throws {
        let opened = try scene.open()
        let (keys, sequence) = try #require(try opened.keysAndSequence(until: .after(.seconds(20))))
        opened.store.close()
        let opener = try scene.fixture.opener()
        let removal = LeftoverRemoval(
            directory: try #require(opened.directory),
            access: opener.keyringAccess,
            time: WaitingTime(.seconds(20)),
            ownKeyFiles: opener.location.ownKeyFiles,
            unlocker: try #require(opened.unlocker),
            storage: .keyring,
            hasKeySlots: false,
            keys: keys,
            sequence: sequence,
            backends: RecordFileBackend.allAndThis
        )
        #expect(scene.fixture.keyFiles.count == 1)
        let error = #expect(throws: StorageError.self) { try removal.remove(OtherStore(StoreReference(.recordFiles))) }
        // There is no keyring here. It is tried last, when everything else has been removed.
        #expect(error?.code == .keyringMissing)
        #expect(try scene.fixture.keyFiles.isEmpty && scene.files(of: .recordFiles).isEmpty)
    }

    @Test("its folder and its key files are removed with it")
    func removal() throws {
        var opener = try scene.fixture.opener()
        opener.backends = RecordFileBackend.allAndThis
        #expect(scene.fixture.keyFiles.count == 1)
        let report = try GroupRemoval.run(with: opener, isDryRun: false)
        #expect(report.kept.isEmpty && report.isComplete)
        #expect(scene.fixture.keyFiles.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: scene.fixture.path("")))
    }
}
