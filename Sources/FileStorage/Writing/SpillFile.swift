// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage

/// Distributes rows over buckets in a temporary file, by the first bits of their partition tag. Tags are evenly
/// distributed, so each bucket gets an equal share, which fits in memory.
final class SpillFile {
    static let bucketCount = 128
    /// The size at which a bucket is flushed.
    private static let bufferByteCount = 32 << 10

    private struct Extent {
        var offset: UInt64
        var byteCount: Int
    }

    private struct Bucket {
        var buffer: [UInt8] = []
        var extents: [Extent] = []
    }

    private let directory: GroupDirectory
    private var temporary: TemporaryFile?
    private var buckets = [Bucket](repeating: Bucket(), count: bucketCount)
    private var position: UInt64 = 0

    init(in directory: GroupDirectory) {
        self.directory = directory
    }

    /// The bucket of a partition. Buckets are ordered by tag.
    static func bucket(of partition: PartitionTag) -> Int { Int(partition.first >> 57) }

    /// Adds a row by letting `body` append its bytes.
    func append(to bucket: Int, _ body: (inout [UInt8]) -> Void) throws(StorageError) {
        body(&buckets[bucket].buffer)
        if buckets[bucket].buffer.count >= Self.bufferByteCount { try flush(bucket) }
    }

    /// All rows of a bucket, in the order in which they were added.
    func load(_ bucket: Int) throws(StorageError) -> [UInt8] {
        guard let temporary else { return buckets[bucket].buffer }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(buckets[bucket].extents.reduce(buckets[bucket].buffer.count) { $0 + $1.byteCount })
        for extent in buckets[bucket].extents {
            bytes += try temporary.file.read(at: extent.offset, count: extent.byteCount)
        }
        bytes += buckets[bucket].buffer
        return bytes
    }

    /// Releases the file and the memory. Load no buckets afterwards.
    func close() {
        temporary = nil
        buckets = []
    }

    private func flush(_ bucket: Int) throws(StorageError) {
        let file: TemporaryFile
        if let temporary {
            file = temporary
        } else {
            file = try directory.makeTemporary()
            temporary = file
        }
        var bytes: [UInt8] = []
        swap(&bytes, &buckets[bucket].buffer)
        try file.file.write(bytes.rawSpan, at: position)
        buckets[bucket].extents.append(Extent(offset: position, byteCount: bytes.count))
        position += UInt64(bytes.count)
        bytes.removeAll(keepingCapacity: true)
        swap(&bytes, &buckets[bucket].buffer)
    }
}
