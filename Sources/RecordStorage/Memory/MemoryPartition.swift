// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

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

/// The sealed secret of one version of a record, shared by all snapshots that contain this version.
final class MemoryBox: Sendable {
    private let bytes: Mutex<[UInt8]?>

    init(_ bytes: [UInt8]) {
        self.bytes = Mutex(bytes)
    }

    /// Overwrites and drops the bytes, for every snapshot.
    func erase() {
        bytes.withLock { bytes in
            for index in bytes?.indices ?? 0..<0 { bytes?[index] = 0 }
            bytes = nil
        }
    }

    /// The bytes; `nil` once they are erased.
    var content: [UInt8]? {
        bytes.withLock { $0 }
    }
}
