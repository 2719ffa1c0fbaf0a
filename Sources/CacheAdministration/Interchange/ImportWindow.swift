// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import TokenCaching
internal import UnifiedSchema

/// The piece of a document being read, in secret memory.
struct ImportWindow: ~Copyable, DocumentWindow {
    /// The source of further bytes.
    var source: any ByteSource
    private var memory: SecretBytes
    /// The number of bytes to read at once while streaming entries: few enough to be still in the processor's cache
    /// when they are parsed.
    private static let stepByteCount = 256 << 10
    private var count = 0
    /// The number of bytes of the document read so far.
    private(set) var readByteCount: UInt64 = 0
    /// Whether the source has ended.
    private(set) var isAtEnd = false

    init(_ source: any ByteSource, capacity: Int) throws(StorageError) {
        self.source = source
        memory = try sealing(try SecretBytes(byteCount: capacity))
    }

    var bytes: RawSpan {
        @_lifetime(borrow self)
        borrowing get { memory.bytes.extracting(0..<count) }
    }

    /// Reads until the window is full or the source ends.
    mutating func fill() throws(StorageError) {
        try fill(upTo: memory.byteCount)
    }

    private mutating func fill(upTo end: Int) throws(StorageError) {
        let source = source
        while !isAtEnd, count < end {
            let start = count
            var room = memory.mutablePrefix(end)
            let read = try source.read(into: &room, from: start)
            isAtEnd = read == 0
            count = start + read
            readByteCount += UInt64(read)
        }
    }

    mutating func refill(discarding discarded: Int, capacity: Int) throws(StorageError) -> Bool {
        if capacity > memory.byteCount {
            try grow(to: capacity, discarding: discarded)
        } else {
            let kept = discarded..<count
            var bytes = memory.mutableBytes
            bytes.moveToFront(kept)
        }
        count -= discarded
        try fill(upTo: max(capacity, min(Self.stepByteCount, memory.byteCount)))
        return isAtEnd
    }

    private mutating func grow(to capacity: Int, discarding discarded: Int) throws(StorageError) {
        var larger = try sealing(try SecretBytes(byteCount: capacity))
        var room = larger.mutableBytes
        room.copy(memory.bytes.extracting(discarded..<count), to: 0)
        memory = larger
    }
}
