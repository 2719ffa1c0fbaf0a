// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// The new content of the partitions that a transaction changes.
struct KeyringPlan {
    let sequence: UInt64
    let epoch: UInt32
    /// The new records of each changed partition, in ascending order of tag.
    var partitions: [PartitionTag: [KeyringRecord]] = [:]
    var erasures: [ErasureList.Erasure] = []

    init(sequence: UInt64, epoch: UInt32) {
        self.sequence = sequence
        self.epoch = epoch
    }

    /// Applies the operations on one partition. Omits the partition if they have no effect.
    mutating func change(
        _ tag: PartitionTag,
        from old: PartitionItem?,
        by operations: [RecordTag: KeyringBatch.Operation],
        removesAll: Bool
    ) {
        var records: [RecordTag: KeyringRecord] = [:]
        for record in old?.records ?? [] { records[record.tag] = record }
        var isChanged = removesAll
        for (name, operation) in operations {
            switch operation {
            case .put(let record):
                isChanged = true
                records[name] = KeyringRecord(
                    tag: name,
                    kind: record.kind,
                    sequence: sequence,
                    facts: record.facts,
                    secret: record.secret,
                    searchTags: record.searchTags
                )
            case .remove(let erases):
                guard records.removeValue(forKey: name) != nil else { continue }
                isChanged = true
                if erases {
                    erasures.append(ErasureList.Erasure(partition: tag, record: name, sequence: sequence))
                }
            }
        }
        if isChanged { partitions[tag] = records.values.sorted { $0.tag < $1.tag } }
    }
}
