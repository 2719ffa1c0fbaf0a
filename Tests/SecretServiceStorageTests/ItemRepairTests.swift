// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Foundation
import GroupDirectory
import Programs
import RecordStorage
import Sealing
import SystemPackage
import Testing

@testable import SecretServiceStorage

@Suite("Repairing items", .serialized, .timeLimit(.minutes(Scale.pick(10, release: 240))))
struct ItemRepairTests {
    private let keyring: PrivateKeyring
    private let group: ScratchGroup
    private let items: KeyringItems

    /// A group with three partitions, and two records in the first.
    init() throws {
        keyring = try PrivateKeyring()
        group = try ScratchGroup(keyring.location())
        items = try KeyringItems(SecretServiceClient(keyring.location()), group.name)
        let store = try group.create()
        try store.put((1...3).map { Records.record($0, in: $0, version: UInt8($0)) } + [Records.record(9, in: 1)])
        store.close()
    }

    // MARK: - Doing harm

    enum Fault: String, CaseIterable {
        case missing, truncated, swapped, replayed, foreign, emptied

        var kind: KeyringFinding.Kind {
            switch self {
            case .missing: .missing
            case .replayed: .older
            case .truncated, .foreign, .emptied, .swapped: .damaged
            }
        }
    }

    private func attributes(_ partition: UInt64) -> [(key: String, value: String)] {
        items.attributes.all(.partition, tag: KeyringAttributes.text(Records.partition(partition)))
    }

    private func text(of partition: UInt64) throws -> [UInt8] {
        let attributes = attributes(partition)
        return try items.run(until: .after(.seconds(10))) { calls throws(SecretServiceError) in
            let found = try calls.search(attributes)
            return try calls.secrets(of: found) { $0.copied() }.values.first?.get() ?? []
        }
    }

    private func overwrite(_ partition: UInt64 = 1, with text: [UInt8]) throws {
        let attributes = attributes(partition)
        try items.run(until: .after(.seconds(10))) { calls throws(SecretServiceError) in
            for item in try calls.search(attributes) { try calls.set(item, to: .sealed(text)) }
        }
    }

    private func create(_ partition: UInt64, _ text: [UInt8]) throws {
        let attributes = attributes(partition)
        _ = try items.run(until: .after(.seconds(10))) { calls throws(SecretServiceError) in
            try calls.create(attributes, label: KeyringAttributes.label, .sealed(text))
        }
    }

    private func delete(_ partition: UInt64) throws {
        let attributes = attributes(partition)
        try items.run(until: .after(.seconds(10))) { calls throws(SecretServiceError) in
            for item in try calls.search(attributes) { try calls.delete(item) }
        }
    }

    private func itemCount() throws -> Int {
        let partitions = items.attributes.some(.partition)
        return try items.run(until: .after(.seconds(10))) { calls throws(SecretServiceError) in
            try calls.search(partitions).count
        }
    }

    /// The text of an item of a group that had this name before.
    private func textOfStranger(epoch: Int) throws -> [UInt8] {
        var keys = try GroupKeys.generate()
        for _ in 1..<epoch { keys = try keys.nextEpoch() }
        let item = PartitionItem(partition: Records.partition(77), epoch: keys.epoch, sequence: 5, records: [])
        return Base64.encode(try item.encoded(KeyringKeys(keys)))
    }

    /// Partition 1 is lost then.
    private func spoil(_ fault: Fault) throws {
        switch fault {
        case .missing: try delete(1)
        case .truncated: try overwrite(with: text(of: 1).dropLast(8))
        case .swapped: try overwrite(with: text(of: 2))
        case .replayed:
            let old = try text(of: 1)
            let store = try group.open()
            try store.put([Records.record(1, in: 1, version: 5)])
            store.close()
            try overwrite(with: old)
        case .foreign: try overwrite(with: textOfStranger(epoch: 2))
        case .emptied: try overwrite(with: [])
        }
    }

    private var list: String { group.root.appending("\(group.name.text)/items").string }

    private func quarantined() throws -> [[UInt8]] {
        let folder = group.root.appending("\(group.name.text)/quarantine").string
        return try (try? FileManager.default.contentsOfDirectory(atPath: folder))?.map {
            [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder + "/" + $0)))
        } ?? []
    }

    // MARK: - Repairing

    private func repair(
        isDryRun: Bool = false,
        within time: Duration = .seconds(20),
        _ judge: (KeyringReport) throws(StorageError) -> [PartitionTag: Set<RecordTag>] = { _ throws(StorageError) in
            [:]
        }
    ) throws -> KeyringReport {
        let store = try group.open()
        defer { store.close() }
        return try store.repair(within: WaitingTime(time), isDryRun: isDryRun, judge)
    }

    private func examine() throws -> KeyringReport {
        let store = try group.open()
        defer { store.close() }
        return try store.examine(until: .after(.seconds(20)))
    }

    /// Everything but partition 1 is there, and everything works.
    private func expectMended(mark: UInt8? = nil) throws {
        #expect(try examine().findings.isEmpty)
        #expect(try repair().isRepaired == false)
        let store = try group.open()
        defer { store.close() }
        #expect(try store.version(in: 1) == mark)
        #expect(try store.version(in: 2) == 2)
        #expect(try store.version(in: 3) == 3)
        #expect(try store.readEverything().count == (mark == nil ? 2 : 3))
        try store.put([Records.record(1, in: 1, version: 7)])
        try store.rekey(until: .after(.seconds(20)))
        #expect(try group.open().version(in: 1) == 7)
        try FileManager.default.removeItem(atPath: list)
        #expect(try group.open().partitions().count == 3)
    }

    @Test("a sound group is left as it is, also without a list", arguments: [true, false])
    func sound(hasList: Bool) throws {
        if !hasList { try FileManager.default.removeItem(atPath: list) }
        let before = try text(of: 1)
        let report = try repair()
        #expect(!report.isDamaged && !report.isRepaired && report.lost.isEmpty)
        #expect(report.findings.map(\.kind) == (hasList ? [] : [.unlisted]))
        #expect(report.partitions.map(\.contents.records.count).sorted() == [1, 1, 2])
        #expect(try text(of: 1) == before)
        #expect(FileManager.default.fileExists(atPath: list) == hasList)
        #expect(try quarantined().isEmpty)
    }

    @Test("drops unreadable items, reports how many, and everything works again", arguments: Fault.allCases)
    func lost(fault: Fault) throws {
        try spoil(fault)
        // What is empty cannot be read back.
        let spoilt = fault == .emptied ? [] : try text(of: 1)
        let listed = try Data(contentsOf: URL(fileURLWithPath: list))

        let plan = try repair(isDryRun: true)
        let found = try #require(plan.findings.first { $0.lostCount != 0 })
        #expect(found.kind == fault.kind)
        #expect(found.partition == Records.partition(1) && found.lostCount == 2)
        #expect(plan.lost == [Records.partition(1)])
        #expect(!plan.isRepaired)
        #expect(try examine().isDamaged)
        if fault != .emptied { #expect(try text(of: 1) == spoilt) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: list)) == listed)
        #expect(try quarantined().isEmpty)

        let report = try repair()
        #expect(report.isRepaired && report.findings == plan.findings)
        if !spoilt.isEmpty {
            let aside = try #require(try quarantined().first)
            #expect(aside.count == report.quarantinedByteCount)
            #expect(Data(aside).range(of: Data(spoilt)) != nil)
        }
        #expect(try itemCount() == 2)
        try expectMended()
    }

    @Test(
        "without a list drops what does not verify, and says that the rest is not known",
        arguments: [Fault.truncated, .swapped, .emptied]
    )
    func lostWithoutList(fault: Fault) throws {
        try spoil(fault)
        try FileManager.default.removeItem(atPath: list)
        let report = try repair()
        #expect(report.lost == [Records.partition(1)])
        #expect(report.findings.contains { $0.kind == .damaged && $0.lostCount == nil })
        #expect(report.findings.contains { $0.kind == .unlisted })
        try expectMended()
    }

    @Test("drops records that do not open, and keeps the others of their item")
    func records() throws {
        let whole = try text(of: 1)
        let report = try repair { _ throws(StorageError) in
            [Records.partition(1): [Records.record(9, in: 1).tag]]
        }
        #expect(report.isRepaired)
        #expect(Data(try #require(try quarantined().first)).range(of: Data(whole)) != nil)
        let contents = try group.open().contents(of: Records.partition(1))
        #expect(contents.records.map(\.tag) == [Records.record(1, in: 1).tag])
        try expectMended(mark: 1)
    }

    @Test("one that the keyring does not answer any more finds the same when it is begun anew")
    func interrupted() throws {
        try spoil(.missing)
        let keyring = keyring
        #expect(throws: StorageError.self) {
            try repair(within: .seconds(2)) { _ throws(StorageError) in
                try? keyring.freeze()
                return [:]
            }
        }
        try keyring.thaw()
        let again = try repair(isDryRun: true)
        #expect(again.lost == [Records.partition(1)])
        #expect(again.findings.map(\.lostCount) == [2])
        _ = try repair()
        try expectMended()
    }

    @Test("restores items that are in each other's place, and loses nothing", arguments: [true, false])
    func swapped(hasList: Bool) throws {
        let (first, second) = (try text(of: 1), try text(of: 2))
        try overwrite(1, with: second)
        try overwrite(2, with: first)
        if !hasList { try FileManager.default.removeItem(atPath: list) }
        let report = try repair()
        #expect(Set(report.findings.map(\.kind)) == (hasList ? [.misplaced] : [.misplaced, .unlisted]))
        #expect(report.findings.allSatisfy { $0.lostCount == 0 } && report.lost.isEmpty && report.isRepaired)
        try expectMended(mark: 1)
    }

    @Test("removes items that the list does not know, and those restored after their removal")
    func unlisted() throws {
        let old = try text(of: 1)
        let store = try group.open()
        try store.commit(until: .after(.seconds(20))) { _, batch throws(StorageError) in
            for number in [1, 9] as [UInt64] {
                let tag = Records.record(number, in: 1).tag
                try batch.remove(Removal(tag: tag, partition: Records.partition(1), erasesSecret: true))
            }
        }
        store.close()
        try create(1, old)
        try create(8, Array("{}".utf8))
        let report = try repair()
        #expect(Set(report.findings.map(\.kind)) == [.returned, .damaged])
        #expect(report.lost.isEmpty)
        #expect(try itemCount() == 2)
        try expectMended()
    }

    @Test(
        "does not touch items of another group of this name",
        arguments: [1, 2],
        [true, false]
    )
    func strangers(epoch: Int, hasList: Bool) throws {
        let text = try textOfStranger(epoch: epoch)
        try create(77, text)
        if !hasList { try FileManager.default.removeItem(atPath: list) }
        let report = try repair()
        #expect(!report.isDamaged && !report.isRepaired)
        #expect(report.findings.contains { $0.kind == .foreign && !$0.isDamage })
        let store = try group.open()
        #expect(try store.readEverything().count == 3)
        try store.rekey(until: .after(.seconds(20)))
        try store.put([Records.record(6, in: 6)])
        #expect(try store.partitions().count == 4)
        #expect(try self.text(of: 77) == text)
    }

    @Test("creates a list again that is older than the items in the keyring")
    func listBehind() throws {
        let old = try Data(contentsOf: URL(fileURLWithPath: list))
        let store = try group.open()
        try store.put([Records.record(5, in: 5, version: 5)])
        try store.commit(until: .after(.seconds(20))) { _, batch throws(StorageError) in
            let tag = Records.record(3, in: 3).tag
            try batch.remove(Removal(tag: tag, partition: Records.partition(3), erasesSecret: true))
        }
        store.close()
        try putBack(old)
        let report = try repair()
        #expect(report.findings.map(\.kind) == [.listBehind])
        // It has a partition that may have been removed since.
        #expect(report.findings.map(\.lostCount) == [nil])
        #expect(report.lost.isEmpty && report.isRepaired)
        #expect(try examine().findings.isEmpty)
        #expect(try group.open().version(in: 5) == 5)
        #expect(try group.open().contents(of: Records.partition(3)).records.isEmpty)
    }

    /// Saves partition 5, and puts the list from before that in the place of the newer one.
    private func saveAndHide() throws {
        let old = try Data(contentsOf: URL(fileURLWithPath: list))
        let store = try group.open()
        try store.put([Records.record(5, in: 5, version: 5)])
        store.close()
        try putBack(old)
        #expect(try group.open().version(in: 5) == nil)
    }

    @Test("removes nothing because an older list does not know it, even if numbers continued from that list")
    func forkedList() throws {
        try saveAndHide()
        let store = try group.open()
        for number in 6...8 as ClosedRange<UInt64> { try store.put([Records.record(number, in: number)]) }
        store.close()
        let report = try repair()
        #expect(report.findings.map(\.kind) == [.listBehind])
        #expect(report.lost.isEmpty && report.quarantinedFiles.isEmpty && report.isRepaired)
        #expect(try group.open().version(in: 5) == 5)
        #expect(try itemCount() == 7)
        #expect(try examine().findings.isEmpty)
    }

    @Test("new keys for all lose nothing that an older list does not know of", arguments: [true, false])
    func rekeyedUnderOlderList(isResumed: Bool) throws {
        try saveAndHide()
        let store = try group.open()
        if isResumed {
            let end = failure {
                try store.rekey(until: .after(.seconds(20))) { $0 == .listWritten ? StorageError(.busy) : nil }
            }
            #expect(end.code == .busy)
            store.close()
            let resumed = try group.open()
            #expect(resumed.groupKeys.epoch == 2)
            try resumed.settle(within: WaitingTime(.seconds(20)))
        } else {
            try store.rekey(until: .after(.seconds(20)))
        }
        try FileManager.default.removeItem(atPath: list)
        #expect(try examine().findings.map(\.kind) == [.unlisted])
        #expect(try group.open().version(in: 5) == 5)
    }

    @Test("a migration moves all of the group, including items that an older list does not know")
    func carriedUnderOlderList() throws {
        try saveAndHide()
        let store = try group.open()
        try store.settle(within: WaitingTime(.seconds(20)))
        var partitions: Set<PartitionTag> = []
        try store.forEachRecord(within: WaitingTime(.seconds(20))) { partitions.insert($0.record.partition) }
        #expect(partitions == Set([1, 2, 3, 5].map { Records.partition($0) }))
        #expect(try store.newestSequence(until: .standard) == 2)
    }

    @Test("emptying a group removes all of it, including items that an older list does not know")
    func emptiedUnderOlderList() throws {
        try saveAndHide()
        let store = try group.open()
        try store.commit(until: .after(.seconds(20))) { _, batch throws(StorageError) in
            try batch.removeAll()
        }
        #expect(try itemCount() == 0)
    }

    /// An older list, in a folder whose page knows of nothing newer.
    private func putBack(_ bytes: Data) throws {
        try bytes.write(to: URL(fileURLWithPath: list))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: list)
        try FileManager.default.removeItem(atPath: group.root.appending("\(group.name.text)/revision").string)
    }

    @Test("is required by a change of keys while an item is missing")
    func rekey() throws {
        try delete(1)
        let store = try group.open()
        #expect(failure { try store.rekey(until: .after(.seconds(20))) }.code == .damaged)
        #expect(store.groupKeys.epoch == 1)
        _ = try repair()
        try expectMended()
    }

    @Test(
        "a list as new as the keyring is kept by an adoption, and shows what is missing",
        arguments: [true, false]
    )
    func adopted(isCurrent: Bool) throws {
        let old = try Data(contentsOf: URL(fileURLWithPath: list))
        if !isCurrent {
            let store = try group.open()
            try store.put([Records.record(5, in: 5)])
            store.close()
            try putBack(old)
        }
        try delete(1)
        let directory = try group.directory()
        try directory.removeFile(GroupDirectory.FileName.state)
        try SecretServiceStore.adopt(
            in: directory,
            keyring.location(),
            reason: "a test",
            within: WaitingTime(.seconds(20))
        )
        let report = try examine()
        #expect(report.lost == (isCurrent ? [Records.partition(1)] : []))
        #expect(report.findings.map(\.kind) == (isCurrent ? [.missing] : [.unlisted]))
    }
}
