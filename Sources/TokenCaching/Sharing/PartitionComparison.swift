// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import UnifiedSchema

/// The records of one partition at one moment, without their facts.
struct KnownPartition {
    let records: [StoredRecord]
    let reader: any BoxReader

    init(_ contents: PartitionContents) {
        records = contents.records
        reader = contents.reader
    }
}

/// Compares two states of one partition.
struct PartitionComparison {
    private let old: [StoredRecord]
    private let oldReader: (any BoxReader)?
    private let new: PartitionContents
    private let codec: RecordCodec
    private let partition: PartitionTag

    init(_ old: KnownPartition?, _ new: PartitionContents, codec: RecordCodec, partition: PartitionTag) {
        self.old = old?.records ?? []
        oldReader = old?.reader
        self.new = new
        self.codec = codec
        self.partition = partition
    }

    /// Both lists are sorted by tag.
    func changes(
        isApplicationToken: (CredentialFields) throws(StorageError) -> Bool
    ) throws(StorageError) -> [CacheChange] {
        var found: [(CacheChange.Action, StoredRecord, (any BoxReader)?)] = []
        var (left, right) = (0, 0)
        while left < old.count || right < new.records.count {
            if right == new.records.count || (left < old.count && old[left].tag < new.records[right].tag) {
                found.append((.removed, old[left], oldReader))
                left += 1
            } else if left == old.count || new.records[right].tag < old[left].tag {
                found.append((.added, new.records[right], new.reader))
                right += 1
            } else {
                if old[left].sequence != new.records[right].sequence {
                    found.append((.replaced, new.records[right], new.reader))
                }
                left += 1
                right += 1
            }
        }
        found.removeAll { $0.1.kind.isInternalRecord }
        return found.isEmpty ? [] : try described(found, isApplicationToken)
    }

    private func described(
        _ found: [(CacheChange.Action, StoredRecord, (any BoxReader)?)],
        _ isApplicationToken: (CredentialFields) throws(StorageError) -> Bool
    ) throws(StorageError) -> [CacheChange] {
        var username = try username(new.records, new.reader)
        if username == nil { username = try self.username(old, oldReader) }
        var changes: [CacheChange] = []
        for (change, record, reader) in found {
            let kind = record.kind.entryKind ?? .opaque
            var summary: EntrySummary?
            if let reader, let facts = try codec.facts(of: record, from: reader).content {
                let fields = CredentialFields(facts)
                let isOfAccount = facts.kind == .account || fields.homeAccountID != nil
                let entry = ListedEntry(
                    record: record,
                    partition: partition,
                    reader: reader,
                    facts: facts,
                    fields: fields,
                    isApplicationToken: try isApplicationToken(fields)
                )
                summary = entry.summary(account: isOfAccount ? AccountHandle(partition) : nil, username: username)
            }
            changes.append(CacheChange(change, kind: kind, entry: summary))
        }
        return changes.sorted { $0.kind < $1.kind }
    }

    private func username(_ records: [StoredRecord], _ reader: (any BoxReader)?) throws(StorageError) -> String? {
        guard let reader else { return nil }
        for record in records where record.kind == RecordCodec.kind(.account) {
            if let name = try codec.facts(of: record, from: reader).content?.text(.username), !name.isBlank {
                return name.string
            }
        }
        return nil
    }
}
