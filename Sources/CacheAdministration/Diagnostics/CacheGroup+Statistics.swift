// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
internal import GroupRecords
internal import RecordStorage
internal import Sealing
public import TokenCaching
internal import UnifiedSchema

extension CacheGroup {
    /// Returns figures about the group. Opens no entry; takes about a second for 100,000 accounts.
    ///
    /// - Throws: `damaged`, `busy`, `closed`, and codes about the files or the keyring of the group.
    public func statistics() throws(TokenCacheError) -> GroupStatistics {
        try opened.translating(try countRecords())
    }

    private func countRecords() throws(StorageError) -> GroupStatistics {
        let deadline = newDeadline()
        let store = try opened.snapshot(until: deadline)
        defer { store.close() }
        var statistics = GroupStatistics()
        let account = RecordCodec.kind(.account)
        for (partition, _) in try store.partitionsToRead(until: deadline) {
            let records = try store.contents(of: partition, until: deadline).records
            for record in records {
                if let kind = record.kind.entryKind {
                    statistics.entryCounts[CachedEntryKind(kind), default: 0] += 1
                } else {
                    statistics.internalRecordCount += 1
                }
            }
            if records.contains(where: { $0.kind == account }) { statistics.accountCount += 1 }
        }
        statistics.isMemoryLocked = SecretMemory.isLocked
        statistics.heldLeaseCount = try opened.directory?.heldLeaseCount(until: deadline)
        if let directory = opened.directory, let file = store.fileBacked {
            let figures = try file.statistics
            statistics.file = GroupStatistics.FileFigures(
                path: file.path,
                byteCount: figures.byteCount,
                allocatedByteCount: figures.allocatedByteCount,
                deadByteCount: figures.deadByteCount,
                transactionCount: figures.frameCount,
                epoch: figures.epoch,
                sequence: figures.sequence,
                keySlotCount: figures.keySlotCount
            )
            let set = try directory.quarantined()
            statistics.quarantinedFileCount = set.count
            statistics.quarantinedByteCount = set.reduce(0) { $0 + $1.byteCount }
        }
        return statistics
    }
}
