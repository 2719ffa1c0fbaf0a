internal import RecordStorage

extension SecretServiceStore {
    /// Reads what was not read yet, many at a time. What is in doubt is left for ``load(_:until:toChangeIt:)`` to tell.
    func readAhead(until deadline: Deadline) throws(StorageError) {
        let word = revision.load()
        let (list, read) = try withCore { ($0.list, $0.read) }
        // Without a list nobody would tell when they change.
        guard let list else { return }
        let missing = list.rows.filter { tag, row in
            row != .unreadable && !list.isPending(tag) && (read[tag]?.item.sequence ?? 0) < row.sequence
        }
        // All of the items are asked for, as nothing tells beforehand which one is of which partition.
        guard missing.count > 1, missing.count * 4 > list.rows.count else { return }
        let found = try following(until: deadline) { () throws(StorageError) in
            try items.allPartitions(chain, until: deadline)
        }
        let moment = ErasureWatch.Moment(sequence: list.sequence, word: word)
        try withCore { core throws(StorageError) in
            for (tag, row) in missing where core.list?.rows[tag] == row && core.list?.isPending(tag) == false {
                guard let (item, byteCount) = found[tag], item.sequence >= row.sequence, !item.records.isEmpty else {
                    continue
                }
                core.read[tag] = KeyringPartition(item, byteCount: byteCount, asOf: moment, watch, isPlaced: false)
            }
        }
    }
}
