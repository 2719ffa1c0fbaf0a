// SPDX-License-Identifier: Apache-2.0

extension MemoryStore: AdministrableStore {
    package func snapshot(until deadline: Deadline) throws(StorageError) -> MemoryStore {
        _ = try currentView
        return MemoryStore(backing, readOnlyReason: readOnlyReason)
    }

    package func newestSequence(until deadline: Deadline) throws(StorageError) -> UInt64 { try currentView.sequence }

    package var readsWithoutWaiting: Bool { true }

    package var fileBacked: (any FileBackedStore)? { nil }

    /// Finds no problems, because a store in memory has no checksums to verify besides the boxes themselves.
    package func examine(
        until deadline: Deadline,
        progress: @escaping (UInt64, UInt64) -> Bool
    ) throws(StorageError) -> StoreExamination {
        let records = try currentView.contents.partitions.values.flatMap(\.records)
        let byteCount = records.reduce(into: UInt64(0)) { sum, record in
            sum += UInt64(record.stored.facts.length) + UInt64(record.stored.secret.length)
        }
        return StoreExamination(findings: [], byteCount: byteCount)
    }

    /// Transactions in memory are atomic, so there is no unfinished operation to complete.
    package func settle(within time: WaitingTime) throws(StorageError) { _ = try refresh(until: time.deadline) }

    package func forEachRecord(
        within time: WaitingTime,
        _ body: (RelocatedRecord) throws(StorageError) -> Void
    ) throws(StorageError) {
        let partitions = try currentView.contents.partitions
        for (tag, partition) in partitions.sorted(by: { $0.key < $1.key }) {
            for record in partition.records {
                let secret = record.secret?.content
                if record.secret != nil, secret == nil {
                    throw StorageError(
                        .damaged,
                        detail: "the secret of a record was erased, but the record still exists"
                    )
                }
                let new = NewRecord(
                    tag: record.stored.tag,
                    partition: tag,
                    kind: record.stored.kind,
                    facts: record.facts,
                    secret: secret ?? [],
                    searchTags: record.searchTags
                )
                try body(RelocatedRecord(new, sequence: record.stored.sequence))
            }
        }
    }
}
