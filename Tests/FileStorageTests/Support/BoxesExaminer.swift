// SPDX-License-Identifier: Apache-2.0

import FileStorage
import RecordStorage

/// Tells made-up boxes apart by their bytes, as an engine tells its own by opening them.
final class BoxesExaminer: RecordExaminer {
    private let records: [(record: NewRecord, sequence: UInt64)]
    /// What a repair said was lost.
    private(set) var lost: Set<LostRecord> = []

    /// Knows what was written, each with the transaction that wrote it.
    init(_ records: [(record: NewRecord, sequence: UInt64)] = []) {
        self.records = records
    }

    func record(
        at bytes: RawSpan,
        sequences: [UInt64],
        partitions: Set<PartitionTag>
    ) throws(StorageError) -> ExaminedRecord? {
        for (record, sequence) in records where sequences.contains(sequence) && bytes.starts(with: record.facts) {
            return ExaminedRecord(
                tag: record.tag,
                partition: record.partition,
                kind: record.kind,
                sequence: sequence,
                searchTags: record.searchTags,
                factsByteCount: record.facts.count,
                hasSecret: !record.secret.isEmpty,
                removal: nil
            )
        }
        return nil
    }

    func begin() {}

    func secret(
        at bytes: RawSpan,
        of examined: [ExaminedRecord]
    ) throws(StorageError) -> (number: Int, byteCount: Int)? {
        for (number, examined) in examined.enumerated() {
            let known = records.first { $0.record.tag == examined.tag && $0.sequence == examined.sequence }
            guard let secret = known?.record.secret, !secret.isEmpty, bytes.starts(with: secret) else { continue }
            return (number, secret.count)
        }
        return nil
    }

    func outlivesRemoval(_ kind: RecordKind) -> Bool { kind.rawValue >= 128 }

    func mayHaveRecordedSignOut(_ lost: LostRecord) -> Bool { (lost.kind?.rawValue ?? 128) >= 128 }

    func note(_ record: StoredRecord, in partition: PartitionTag, facts: RawSpan) throws(StorageError) {}

    func replacements(
        for lost: Set<LostRecord>,
        sequence: UInt64
    ) throws(StorageError) -> (accountCount: Int, records: [NewRecord]) {
        self.lost = lost
        return (0, [])
    }
}

extension RawSpan {
    fileprivate func starts(with bytes: [UInt8]) -> Bool {
        byteCount >= bytes.count
            && bytes.indices.allSatisfy { unsafe unsafeLoad(fromByteOffset: $0, as: UInt8.self) == bytes[$0] }
    }
}
