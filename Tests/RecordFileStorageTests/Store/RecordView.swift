// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import GroupDirectory
import RecordStorage
import Sealing
import SystemPackage

/// A record with its boxes, as they were when they were read; `nil` where its file is not what the list says.
struct LoadedRecord: Sendable {
    let entry: RecordList.Entry
    let boxes: (facts: [UInt8], secret: [UInt8])?
}

/// One state of a group, read into memory: what a handle knows.
struct RecordView: Sendable {
    let list: RecordList
    let slots: KeySlots
    /// The list that was read.
    let identity: FileIdentity
    private(set) var records: [UInt64: LoadedRecord] = [:]
    /// The numbers of their files, in order of tag.
    private(set) var partitions: [PartitionTag: [UInt64]] = [:]

    /// Reads what the folder holds now. Records that `known` has are not read again.
    static func read(
        _ directory: GroupDirectory,
        knowing known: RecordView?,
        until deadline: Deadline
    ) throws(StorageError) -> RecordView {
        while true {
            let file = try directory.openFile(RecordList.fileName, .reading)
            if let known, known.identity == file.identity { return known }
            let list = try RecordList(try directory.bytes(of: file, upTo: 1 << 30))
            var view = RecordView(list: list, slots: try list.keySlots(), identity: file.identity)
            for (number, entry) in list.entries.sorted(by: { $0.value.recordTag < $1.value.recordTag }) {
                let loaded = known?.records[number] ?? LoadedRecord(entry: entry, boxes: entry.boxes(number, directory))
                view.records[number] = loaded
                view.partitions[entry.partitionTag, default: []].append(number)
            }
            // A file that is missing is damage only where nobody committed meanwhile.
            let isWhole = view.records.values.allSatisfy { $0.boxes != nil }
            if isWhole { return view }
            if try directory.identity(of: RecordList.fileName) == file.identity { return view }
            if deadline.hasPassed { throw StorageError(.timeout, detail: "the group keeps changing") }
        }
    }

    func records(of partition: PartitionTag) -> [(number: UInt64, record: LoadedRecord)] {
        (partitions[partition] ?? []).compactMap { number in records[number].map { (number, $0) } }
    }

    /// What is different from an earlier state.
    func changes(since old: RecordView) -> StoreChanges {
        if identity == old.identity { return .none }
        let gone = old.list.entries.filter { list.entries[$0.key] == nil }
        let new = list.entries.filter { old.list.entries[$0.key] == nil }
        let changed = Set(gone.values.map(\.partitionTag)).union(new.values.map(\.partitionTag))
        return changed.isEmpty ? .none : .partitions(changed)
    }
}

extension RecordList.Entry {
    /// The boxes in the file of this number; `nil` where it is missing, or of another length.
    fileprivate func boxes(_ number: UInt64, _ directory: GroupDirectory) -> (facts: [UInt8], secret: [UInt8])? {
        let (facts, secret) = (Int(factsLength), Int(secretLength))
        guard let file = try? directory.openFile(RecordList.fileName(number), .reading),
            let bytes = try? directory.bytes(of: file, upTo: UInt64(facts + secret)), bytes.count == facts + secret
        else { return nil }
        return (Array(bytes[..<facts]), Array(bytes[facts...]))
    }
}

/// The records of one partition, as a handle knew them.
final class RecordPartition: BoxReader {
    let epoch: UInt32
    private let directory: GroupDirectory
    private let records: [(number: UInt64, record: LoadedRecord)]

    init(_ records: [(number: UInt64, record: LoadedRecord)], epoch: UInt32, in directory: GroupDirectory) {
        self.records = records
        self.epoch = epoch
        self.directory = directory
    }

    var contents: PartitionContents {
        PartitionContents(
            records: records.map { $0.record.entry.stored(in: $0.number) },
            facts: records.map { $0.record.boxes?.facts },
            reader: self
        )
    }

    func withBox<Result>(
        at location: BoxLocation,
        _ body: (RawSpan) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        if location == .none { return try body(RawSpan()) }
        guard let (number, record) = records.first(where: { $0.number == location.offset >> 1 }),
            let boxes = record.boxes
        else { throw StorageError(.damaged, detail: "there is no box at this location") }
        guard location.offset & 1 == 1 else { return try body(boxes.facts.rawSpan) }
        // Whoever erases a secret leaves its file, empty.
        if try directory.identity(of: RecordList.fileName(number))?.size == 0 {
            throw StorageError(.tokenGone, detail: "the secret was removed after it was looked up")
        }
        return try body(boxes.secret.rawSpan)
    }
}
