internal import ByteOperations
internal import TokenCaching

/// Where the bytes of a document come from.
protocol ByteSource: AnyObject {
    /// How many bytes there are in all, where that is known before they are read.
    var totalByteCount: UInt64? { get }

    /// Whether reading may wait for somebody, as for the other end of a pipe.
    var mayWait: Bool { get }

    /// Reads some bytes to `start` and what follows in `room`; 0 only at the end.
    func read(into room: inout MutableRawSpan, from start: Int) throws(TokenCacheError) -> Int
}

/// A document that the caller has in memory.
final class BytesSource: ByteSource {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var totalByteCount: UInt64? { UInt64(bytes.count) }

    var mayWait: Bool { false }

    func read(into room: inout MutableRawSpan, from start: Int) throws(TokenCacheError) -> Int {
        let bytes = bytes
        let count = min(bytes.count - position, room.byteCount - start)
        guard count > 0 else { return 0 }
        room.copy(bytes.rawSpan.extracting(position..<position + count), to: start)
        position += count
        return count
    }
}
