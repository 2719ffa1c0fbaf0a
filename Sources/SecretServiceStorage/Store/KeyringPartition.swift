// SPDX-License-Identifier: Apache-2.0

// SAFETY: the arrays outlive the spans of them.

internal import RecordStorage
internal import Synchronization

/// One partition as it was read. Its records never change, but secrets erased since are no longer returned.
final class KeyringPartition: BoxReader {
    let item: PartitionItem
    /// The size of the item before base64.
    let byteCount: Int
    /// Whether its item was found by its attributes. Only then may a write rely on it: an item read together with
    /// others is identified only by its content, and its attributes may name another partition.
    let isPlaced: Bool
    private let stored: [StoredRecord]
    private let watch: ErasureWatch
    /// The point at which this was last known to be the keyring's content.
    private let confirmed: Mutex<ErasureWatch.Moment>

    init(
        _ item: PartitionItem,
        byteCount: Int,
        asOf moment: ErasureWatch.Moment,
        _ watch: ErasureWatch,
        isPlaced: Bool = true
    ) {
        self.item = item
        self.byteCount = byteCount
        self.isPlaced = isPlaced
        self.watch = watch
        let sequence = max(moment.sequence, item.sequence)
        confirmed = Mutex(ErasureWatch.Moment(sequence: sequence, word: moment.word))
        stored = item.records.enumerated().map { index, record in
            func location(_ offset: Int, _ box: [UInt8]) -> BoxLocation {
                box.isEmpty ? .none : BoxLocation(offset: UInt64(offset), length: UInt32(box.count))
            }
            return StoredRecord(
                tag: record.tag,
                kind: record.kind,
                sequence: record.sequence,
                facts: location(2 * index + 1, record.facts),
                secret: location(2 * index + 2, record.secret)
            )
        }
    }

    var epoch: UInt32 { item.epoch }

    var contents: PartitionContents {
        PartitionContents(records: stored, facts: item.records.map { $0.facts }, reader: self)
    }

    /// Records that this was still the keyring's content at `moment`.
    func confirm(asOf moment: ErasureWatch.Moment) {
        confirmed.withLock { if $0.sequence <= moment.sequence { $0 = moment } }
    }

    func withBox<Result>(
        at location: BoxLocation,
        _ body: (RawSpan) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        if location == .none {
            let nothing: [UInt8] = []
            return try unsafe body(nothing.span.bytes)
        }
        guard location.offset > 0, location.offset <= UInt64(2 * stored.count) else { throw Self.nowhere }
        let index = Int(location.offset - 1) / 2
        let record = item.records[index]
        if stored[index].facts == location {
            let box = record.facts
            return try unsafe body(box.span.bytes)
        }
        guard stored[index].secret == location else { throw Self.nowhere }
        if watch.mayHaveErased(stored[index], in: item.partition, since: confirmed.withLock { $0 }) {
            throw StorageError(.tokenGone, detail: "the secret was removed after it was looked up")
        }
        let box = record.secret
        return try unsafe body(box.span.bytes)
    }

    private static var nowhere: StorageError { StorageError(.damaged, detail: "there is no box at this location") }
}
