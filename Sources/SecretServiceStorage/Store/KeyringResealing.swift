// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
package import RecordStorage
package import Sealing

/// Reseals the boxes of a record when the keys of a group change. The store itself never opens a box.
package struct KeyringResealing: Sendable {
    package typealias Body =
        @Sendable (
            _ record: StoredRecord, _ facts: [UInt8], _ secret: [UInt8], _ old: GroupKeys, _ new: GroupKeys
        ) throws(StorageError) -> (facts: [UInt8], secret: [UInt8])

    let body: Body

    package init(_ body: @escaping Body) {
        self.body = body
    }

    /// Reseals records as the engine seals them.
    package static let records = KeyringResealing { record, facts, secret, old, new throws(StorageError) in
        do throws(SealingError) {
            let (oldSealer, newSealer) = (try RecordSealer(keys: old), try RecordSealer(keys: new))
            let tag = (record.tag.first, record.tag.second)
            let (kind, sequence) = (record.kind.rawValue, record.sequence)
            let plain = try oldSealer.openFacts(facts.rawSpan, tag: tag, kind: kind, sequence: sequence)
            let newFacts = try newSealer.seal(plain.rawSpan, role: .facts, tag: tag, kind: kind, sequence: sequence)
            if secret.isEmpty { return (newFacts, []) }
            let payload = try oldSealer.openSecret(secret.rawSpan, tag: tag, kind: kind, sequence: sequence)
            let newSecret = try newSealer.seal(
                payload.bytes,
                role: .secret,
                tag: tag,
                kind: kind,
                sequence: sequence
            )
            return (newFacts, newSecret)
        } catch {
            throw StorageError(error, damage: "an item in the keyring does not verify")
        }
    }

    /// Reseals a whole partition under newer keys.
    func reseal(_ item: PartitionItem, from old: KeyringKeys, to new: KeyringKeys) throws(StorageError) -> PartitionItem
    {
        var records: [KeyringRecord] = []
        for record in item.records {
            let stored = StoredRecord(
                tag: record.tag,
                kind: record.kind,
                sequence: record.sequence,
                facts: .none,
                secret: .none
            )
            let boxes = try body(stored, record.facts, record.secret, old.group, new.group)
            records.append(
                KeyringRecord(
                    tag: record.tag,
                    kind: record.kind,
                    sequence: record.sequence,
                    facts: boxes.facts,
                    secret: boxes.secret,
                    searchTags: record.searchTags
                )
            )
        }
        return PartitionItem(
            partition: item.partition,
            epoch: new.epoch,
            sequence: item.sequence,
            records: records
        )
    }
}
