// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Foundation
import GroupDirectory
import RecordStorage
import Sealing
import SystemPackage

extension RecordFileStore: SlottedStore {
    func snapshot(until deadline: Deadline) throws(StorageError) -> RecordFileStore {
        _ = try view
        return try RecordFileStore.open(in: directory, until: deadline, unlock: unlock)
    }

    func newestSequence(until deadline: Deadline) throws(StorageError) -> UInt64 { try view.list.sequence }

    var readsWithoutWaiting: Bool { true }

    /// It has many files, and none that grows.
    var fileBacked: (any FileBackedStore)? { nil }

    func examine(
        until deadline: Deadline,
        progress: @escaping (UInt64, UInt64) -> Bool
    ) throws(StorageError) -> StoreExamination {
        let records = try view.records.values.sorted { $0.entry.recordTag < $1.entry.recordTag }
        let total = records.reduce(0) { $0 + UInt64($1.entry.factsLength) + UInt64($1.entry.secretLength) }
        guard progress(total, total) else { throw StorageError(.cancelled) }
        let findings = records.filter { $0.boxes == nil }.map { record in
            StoreExamination.Finding(
                "the file of a record is missing, or of another length than the list says",
                record: record.entry.recordTag,
                partition: record.entry.partitionTag,
                isDamage: true
            )
        }
        return StoreExamination(findings: findings, byteCount: total)
    }

    /// Erases the files that a writer left who was killed: those that do not count, and are not empty yet.
    func settle(within time: WaitingTime) throws(StorageError) {
        try directory.withLock(.writer, until: time.deadline) { () throws(StorageError) in
            _ = try refresh(until: time.deadline)
            let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path.string)) ?? []
            let counting = try Set(view.list.entries.keys.map { RecordList.fileName($0) })
            for name in names where name.hasPrefix("record-") && !counting.contains(name) {
                if try directory.identity(of: name)?.size ?? 0 > 0 { try directory.erase(name) }
            }
        }
    }

    func forEachRecord(
        within time: WaitingTime,
        _ body: (RelocatedRecord) throws(StorageError) -> Void
    ) throws(StorageError) {
        let view = try view
        for partition in view.partitions.keys.sorted() {
            for (_, record) in view.records(of: partition) { try body(record.relocated()) }
        }
    }

    var keySlots: KeySlots { get throws(StorageError) { try view.slots } }

    func replaceKeys(
        with keys: GroupKeys,
        slots: KeySlots,
        until deadline: Deadline,
        reseal: Reseal
    ) throws(StorageError) {
        try change(until: deadline) { old, _ throws(StorageError) in
            guard slots.uuid == old.slots.uuid, slots.epoch == keys.epoch, slots.epoch >= old.slots.epoch else {
                throw StorageError(.foreign, detail: "the new keys are not those of the next epoch")
            }
            var change = RecordChange(list: old.list)
            change.list.slots = slots.encoded
            guard slots.epoch > old.slots.epoch else { return change }
            for (number, record) in old.records {
                let new = try record.resealed(number, reseal)
                change.list.entries[number] = nil
                change.removed.append((number, true))
                try change.list.add(new.record, sequence: new.sequence, in: directory)
            }
            return change
        }
    }

    /// Removes all that the store has in a folder. The list goes last.
    static func removeAll(in directory: GroupDirectory) throws(StorageError) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path.string)) ?? []
        for name in names where name.hasPrefix("record-") {
            try directory.erase(name)
            try directory.removeFile(name)
        }
        try directory.removeFile(RecordList.fileName)
        directory.revision.bump()
    }
}

extension LoadedRecord {
    /// The record with its boxes as they are.
    func relocated() throws(StorageError) -> RelocatedRecord {
        guard let boxes else { throw StorageError(.damaged, detail: "the file of a record cannot be read") }
        return RelocatedRecord(
            NewRecord(
                tag: entry.recordTag,
                partition: entry.partitionTag,
                kind: RecordKind(rawValue: entry.kind),
                facts: boxes.facts,
                secret: boxes.secret,
                searchTags: entry.searchTags.map { SearchTag(rawValue: $0) }
            ),
            sequence: entry.sequence
        )
    }

    /// The same with boxes under other keys.
    fileprivate func resealed(
        _ number: UInt64,
        _ reseal: Reseal
    ) throws(StorageError) -> RelocatedRecord {
        let old = try relocated()
        let stored = entry.stored(in: number)
        let facts = old.record.facts.rawSpan
        let new =
            old.record.secret.isEmpty
            ? try reseal(stored, entry.partitionTag, facts, nil)
            : try reseal(stored, entry.partitionTag, facts, old.record.secret.rawSpan)
        return RelocatedRecord(
            NewRecord(
                tag: old.record.tag,
                partition: old.record.partition,
                kind: old.record.kind,
                facts: new.facts,
                secret: new.secret,
                searchTags: old.record.searchTags
            ),
            sequence: old.sequence
        )
    }
}
