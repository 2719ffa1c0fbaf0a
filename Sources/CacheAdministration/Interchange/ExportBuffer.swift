// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import TokenCaching

/// Collects the pieces of a document in secret memory, so that a sink receives large ones.
struct ExportBuffer: ~Copyable {
    private static let capacity = 256 << 10

    private let sink: any ByteSink
    private var memory: SecretBytes
    private var count = 0
    private(set) var byteCount: UInt64 = 0

    init(_ sink: any ByteSink) throws(StorageError) {
        self.sink = sink
        memory = try sealing(try SecretBytes(byteCount: Self.capacity))
    }

    mutating func append(_ bytes: RawSpan) throws(StorageError) {
        byteCount += UInt64(bytes.byteCount)
        if bytes.byteCount > Self.capacity - count { try flush() }
        guard bytes.byteCount <= Self.capacity else {
            try sink.write(bytes)
            return
        }
        let start = count
        var room = memory.mutableBytes
        room.copy(bytes, to: start)
        count = start + bytes.byteCount
    }

    mutating func finish() throws(StorageError) {
        try flush()
        try sink.finish()
    }

    private mutating func flush() throws(StorageError) {
        guard count > 0 else { return }
        try sink.write(memory.bytes.extracting(0..<count))
        count = 0
    }
}
