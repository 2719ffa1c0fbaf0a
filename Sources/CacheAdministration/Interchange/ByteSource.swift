// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import RecordStorage
internal import TokenCaching

/// The source of a document's bytes.
protocol ByteSource: AnyObject {
    /// The total number of bytes, if it is known in advance.
    var totalByteCount: UInt64? { get }

    /// Whether reading may wait for another process, such as the other end of a pipe.
    var mayWait: Bool { get }

    /// Reads some bytes into `room` from `start` on; returns 0 only at the end.
    func read(into room: inout MutableRawSpan, from start: Int) throws(StorageError) -> Int
}

/// A document in the caller's memory.
final class BytesSource: ByteSource {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var totalByteCount: UInt64? { UInt64(bytes.count) }

    var mayWait: Bool { false }

    func read(into room: inout MutableRawSpan, from start: Int) throws(StorageError) -> Int {
        let bytes = bytes
        let count = min(bytes.count - position, room.byteCount - start)
        guard count > 0 else { return 0 }
        room.copy(bytes.rawSpan.extracting(position..<position + count), to: start)
        position += count
        return count
    }
}
