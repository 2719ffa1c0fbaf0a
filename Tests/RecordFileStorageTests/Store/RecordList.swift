// SPDX-License-Identifier: Apache-2.0

import Foundation
import RecordStorage
import Sealing

/// What the file `records` of a group says: which record files count, and what opens the group. It is replaced as a whole, so a
/// transaction is there or is not.
struct RecordList: Codable, Equatable {
    static let fileName = "records"

    /// The newest transaction.
    var sequence: UInt64 = 0
    /// The number of the next record file: none is ever used twice.
    var nextFile: UInt64 = 1
    /// The block of key slots.
    var slots: [UInt8]
    var entries: [UInt64: Entry] = [:]

    /// One record, by the number of its file.
    struct Entry: Codable, Hashable {
        let partition: [UInt64]
        let tag: [UInt64]
        let kind: UInt8
        let sequence: UInt64
        let factsLength: UInt32
        let secretLength: UInt32
        let searchTags: [UInt64]

        init(_ record: NewRecord, sequence: UInt64) {
            partition = [record.partition.first, record.partition.second]
            tag = [record.tag.first, record.tag.second]
            kind = record.kind.rawValue
            self.sequence = sequence
            factsLength = UInt32(record.facts.count)
            secretLength = UInt32(record.secret.count)
            searchTags = record.searchTags.map(\.rawValue)
        }

        var partitionTag: PartitionTag { PartitionTag(first: partition[0], second: partition[1]) }
        var recordTag: RecordTag { RecordTag(first: tag[0], second: tag[1]) }
        var key: Key { Key(partition: partitionTag, tag: recordTag) }

        /// As it is handed out. A place names the file, and which of its two boxes is meant.
        func stored(in file: UInt64) -> StoredRecord {
            StoredRecord(
                tag: recordTag,
                kind: RecordKind(rawValue: kind),
                sequence: sequence,
                facts: BoxLocation(offset: file << 1, length: factsLength),
                secret: secretLength == 0 ? .none : BoxLocation(offset: file << 1 | 1, length: secretLength)
            )
        }
    }

    /// A record, whichever version of it.
    struct Key: Hashable {
        let partition: PartitionTag
        let tag: RecordTag
    }

    init(slots: KeySlots) { self.slots = slots.encoded }

    init(_ bytes: [UInt8]) throws(StorageError) {
        do {
            self = try JSONDecoder().decode(RecordList.self, from: Data(bytes))
        } catch {
            throw StorageError(.damaged, detail: "the list of records cannot be read")
        }
        guard entries.values.allSatisfy({ $0.partition.count == 2 && $0.tag.count == 2 }) else {
            throw StorageError(.damaged, detail: "the list of records names one that is none")
        }
    }

    var encoded: [UInt8] {
        get throws(StorageError) {
            do {
                return try [UInt8](JSONEncoder().encode(self))
            } catch {
                throw StorageError(.system, detail: "the list of records cannot be written: \(error)")
            }
        }
    }

    func keySlots() throws(StorageError) -> KeySlots {
        do throws(SealingError) {
            return try KeySlots(encoded: slots)
        } catch {
            throw StorageError(.damaged, detail: "the key slots cannot be read")
        }
    }

    static func fileName(_ number: UInt64) -> String { "record-\(number)" }
}
