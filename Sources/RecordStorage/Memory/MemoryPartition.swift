// SPDX-License-Identifier: Apache-2.0

/// One state of a partition in memory. Immutable; a commit creates a new one.
final class MemoryPartition: BoxReader {
    let epoch: UInt32
    /// In ascending order of tag.
    let records: [MemoryRecord]

    init(epoch: UInt32, records: [MemoryRecord]) {
        self.epoch = epoch
        self.records = records
    }

    var contents: PartitionContents {
        PartitionContents(records: records.map(\.stored), facts: records.map { $0.facts }, reader: self)
    }

    func withBox<Result>(
        at location: BoxLocation,
        _ body: (RawSpan) throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let bytes = try bytes(at: location)
        // SAFETY: bytes have no padding.
        return try unsafe body(bytes.span.bytes)
    }

    private func bytes(at location: BoxLocation) throws(StorageError) -> [UInt8] {
        if location == .none { return [] }
        for record in records {
            if record.stored.facts == location { return record.facts }
            guard record.stored.secret == location else { continue }
            guard let content = record.secret?.content else {
                throw StorageError(.tokenGone, detail: "the secret was removed after it was looked up")
            }
            return content
        }
        throw StorageError(.damaged, detail: "there is no box at this location")
    }
}
