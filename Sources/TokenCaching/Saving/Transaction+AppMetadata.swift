// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import UnifiedSchema

extension Transaction {
    /// Records the family of an application in a cloud, unless it is already recorded. A different host of the same
    /// cloud is no reason to write.
    ///
    /// - Parameters:
    ///   - metadata: the application and its family.
    ///   - stored: the app metadata of the group.
    ///   - group: the group's partition.
    ///   - codec: seals the entries.
    ///   - clouds: the known clouds.
    /// - Throws: errors of the store.
    mutating func putAppMetadata(
        _ metadata: NewAppMetadata,
        over stored: PartitionEntries,
        in group: PartitionTag,
        codec: RecordCodec,
        clouds: CloudTable
    ) throws(StorageError) {
        let family = metadata.familyID.normalized()
        let known = stored.allAppMetadata(of: metadata.clientID.normalized(), in: metadata.environment, clouds)
        let contradicting = known.filter { ($0.fields.familyID ?? "") != family }
        if !known.isEmpty, contradicting.isEmpty { return }
        var slots = ReplacementPlan(stored, partition: group, codec: codec, clouds: clouds)
        let slot = try slots.takeMerging(metadata)
        try putMerged(slot, in: slots)
        // An entry under another host that names a family would still count.
        for entry in contradicting where slots.remaining.contains(where: { $0 === entry }) {
            let old = try entry.facts()
            var other = metadata
            other.environment = old.text(.environment) ?? metadata.environment
            let facts = try fitting(try other.facts(KeyFormat(detecting: old), mergedOver: old))
            let address = try codec.address(of: facts, fields: other.fields, in: group)
            let merged = ReplacementPlan.Merged(facts: facts, address: address, old: entry)
            try putMerged(merged, in: slots)
        }
    }
}
