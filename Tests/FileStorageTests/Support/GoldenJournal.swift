// SPDX-License-Identifier: Apache-2.0

import FileStorage
import Foundation
import GroupDirectory
import RecordStorage
import Sealing

/// Journals that were written once and lie beside the tests: what is out there has to stay readable.
enum GoldenJournal: String, CaseIterable, Sendable {
    /// A new group and three transactions: four records, a new version, a removal.
    case frames
    /// The same after a compaction, and one transaction more.
    case snapshot
    /// ``frames`` as a newer minor version would have left it: optional fields, and a longer fixed part in a head.
    case newerMinor = "newer-minor"
    /// ``frames`` with an operation that this version does not know.
    case newerOperation = "newer-operation"
    /// ``frames`` with another major version.
    case newerMajor = "newer-major"
    /// ``frames``, ``snapshot`` and ``newerMinor`` as version 1 of the format wrote them.
    case version1Frames = "version1-frames"
    case version1Snapshot = "version1-snapshot"
    case version1NewerMinor = "version1-newer-minor"

    var isVersion1: Bool { rawValue.hasPrefix("version1") }

    /// The group of all these files.
    static func group() throws -> ScratchGroup {
        try ScratchGroup(keys: keys(), slots: slots())
    }

    var url: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Fixtures/\(rawValue).journal")
    }

    /// Puts the file into a group.
    func install(in group: ScratchGroup) throws {
        _ = try group.directory()
        try Data(contentsOf: url).write(to: group.journal)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: group.journal.path)
    }

    /// 0 to 31: the root key; 32 to 63: the tag key; 64 to 95: what the key file holds.
    static func secret(from first: UInt8) throws(SealingError) -> SecretBytes {
        let bytes = Array(first..<first + 32)
        return try SecretBytes(copying: bytes.rawBytes)
    }

    private static func keys() throws -> GroupKeys {
        guard let uuid = GroupUUID("0f1e2d3c-4b5a-4978-8796-a5b4c3d2e1f0") else { throw StorageError(.foreign) }
        let rootKey = try SealingKey(secret(from: 0))
        let tagKey = try SealingKey(secret(from: 32))
        return GroupKeys(uuid: uuid, epoch: 1, rootKey: rootKey, tagKey: tagKey)
    }

    private static func slots() throws -> KeySlots {
        let secret = try SlotSecret.keyFile(secret(from: 64))
        return try KeySlots.create(for: keys(), slots: [NewSlot(secret)])
    }

    /// Writes all files of the current version anew. Only for a change of the format, which takes another major version.
    static func writeAll() throws {
        let group = try group()
        let sample = try SealedSample(group)
        let store = try group.create()
        try store.commit(until: .standard) { context, batch throws(StorageError) in
            for (number, partition) in [(1, 1), (2, 1), (3, 2), (4, 3)] as [(UInt64, UInt64)] {
                let record = try? sample.record(number, in: partition, version: 0, sequence: context.sequence)
                if let record { try batch.put(record) }
            }
        }
        try sample.write(store, 2, in: 1, version: 1)
        try store.write(removing: [Removal(tag: Boxes.tag(3), partition: Boxes.partition(2), erasesSecret: true)])
        let frames = JournalBytes(try group.bytes())
        try Data(frames.bytes).write(to: Self.frames.url)

        var minor = frames
        try minor.setFields([(300, [1, 2, 3, 4]), (301, [])], minor: 3, keys: group.keys)
        let record = try sample.record(5, in: 1, version: 0, sequence: 4)
        let put = try JournalBytes.put(record, keys: group.keys)
        try minor.appendFrame(
            sequence: 4,
            head: JournalBytes.head([put], fixedByteCount: 48),
            facts: record.facts,
            secrets: record.secret,
            keys: group.keys
        )
        try Data(minor.bytes).write(to: Self.newerMinor.url)

        var operation = frames
        let unknown: [UInt8] = [9, 0, 0, 0, 0, 0, 0, 0]
        try operation.appendFrame(sequence: 4, head: JournalBytes.head([unknown]), keys: group.keys)
        try Data(operation.bytes).write(to: Self.newerOperation.url)

        var major = frames
        major.put(3, 2, at: 8)
        try major.rehash(group.keys)
        try Data(major.bytes).write(to: Self.newerMajor.url)

        try store.compact(until: .standard)
        _ = try store.refresh(until: .standard)
        try sample.write(store, 4, in: 3, version: 1)
        try Data(group.bytes()).write(to: Self.snapshot.url)
    }
}
