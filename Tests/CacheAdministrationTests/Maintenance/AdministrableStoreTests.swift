// SPDX-License-Identifier: Apache-2.0

import FileStorage
import GroupRecords
import RecordStorage
import Sealing
import Testing

@testable import CacheAdministration
@testable import RecordFileStorageTests
@testable import TokenCaching
@testable import TokenCachingTestSupport

/// What tools ask of a store, whichever it is. Tests of the keyring need a bus of their own and are elsewhere.
@Suite("Every store can be looked after")
struct AdministrableStoreTests {
    enum Kind: CaseIterable { case memory, file, recordFiles }

    let fixture = GroupFixture()

    private func open(_ kind: Kind) throws -> OpenedGroup {
        switch kind {
        case .memory: try fixture.open(.memory)
        case .file: try fixture.create(.file(unlockedBy: .keyFile))
        case .recordFiles: try RecordFileBackend.create(in: fixture)
        }
    }

    private func tags(_ store: any AdministrableStore) throws -> [RecordTag] {
        var tags: [RecordTag] = []
        try store.forEachRecord(within: WaitingTime(.seconds(20))) { (carried) throws(StorageError) in
            tags.append(carried.record.tag)
        }
        return tags
    }

    @Test(
        "every record is handed over with both boxes and its number, partition by partition",
        arguments: Kind.allCases
    )
    func records(kind: Kind) throws {
        let group = try open(kind)
        let sequence = try group.store.newestSequence(until: .standard) + 1
        try group.put([.accessToken("one"), .accessToken("two", account: "other.utid"), .refreshToken()])
        _ = try group.store.refresh(until: .standard)
        var partitions: [PartitionTag] = []
        try group.store.forEachRecord(within: WaitingTime(.seconds(20))) { (carried) throws(StorageError) in
            partitions.append(carried.record.partition)
            let contents = try group.store.contents(of: carried.record.partition, until: .standard)
            let index = contents.records.firstIndex { $0.tag == carried.record.tag }
            #expect(index.map { contents.facts[$0] } == carried.record.facts)
            #expect(!carried.record.secret.isEmpty)
            #expect(carried.sequence == sequence)
        }
        #expect(partitions.count == 3)
        #expect(partitions == partitions.sorted())
    }

    @Test("a snapshot shows later commits by others only after it is refreshed", arguments: Kind.allCases)
    func snapshot(kind: Kind) throws {
        let group = try open(kind)
        try group.put([.accessToken()])
        let snapshot = try group.snapshot(until: .standard)
        let sequence = try snapshot.newestSequence(until: .standard)
        try group.put([.refreshToken()])
        #expect(try snapshot.newestSequence(until: .standard) == sequence)
        #expect(try tags(snapshot).count == 1)
        _ = try snapshot.refresh(until: .standard)
        #expect(try snapshot.newestSequence(until: .standard) == sequence + 1)
        #expect(try tags(snapshot).count == 2)
    }

    @Test("a sound store examined has nothing to say, and has read its bytes", arguments: Kind.allCases)
    func examination(kind: Kind) throws {
        let group = try open(kind)
        try group.put([.accessToken(), .refreshToken()])
        let examination = try group.snapshot(until: .standard).examine(until: .standard) { _, _ in true }
        #expect(examination.findings.isEmpty)
        #expect(examination.byteCount > 0)
    }

    @Test("only a group with a file has one to be compacted, and figures of it", arguments: Kind.allCases)
    func compaction(kind: Kind) throws {
        let group = CacheGroup(try open(kind), timeout: .seconds(20))
        #expect(try group.compact() == (kind == .file))
        #expect(try (group.statistics().file != nil) == (kind == .file))
    }

    @Test(
        "only a group with key slots has any, and only one whose keys are kept gets new ones",
        arguments: Kind.allCases
    )
    func keys(kind: Kind) throws {
        let opened = try open(kind)
        let group = CacheGroup(opened, timeout: .seconds(20))
        #expect(group.hasKeySlots == (kind != .memory))
        #expect(try (opened.keysAndSequence(until: .standard) != nil) == (kind != .memory))
        if kind == .memory {
            let error = #expect(throws: TokenCacheError.self) { try group.rekey() }
            #expect(error?.code == .storageMismatch)
        } else {
            #expect(try group.rekey().epoch == 2)
        }
    }

    @Test("a store that was closed makes no snapshots", arguments: Kind.allCases)
    func closed(kind: Kind) throws {
        let group = try open(kind)
        group.store.close()
        let error = #expect(throws: StorageError.self) { try group.snapshot(until: .standard) }
        #expect(error?.code == .closed)
    }
}
