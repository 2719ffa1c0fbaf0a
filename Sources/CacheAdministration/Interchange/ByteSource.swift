// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import RecordStorage
internal import Sealing
internal import SecretServiceStorage
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

/// A document in memory.
final class BytesSource: ByteSource {
    private let byteCount: Int
    private let withBytes: ((RawSpan) -> Void) -> Void
    private var position = 0

    /// A document in the caller's memory.
    init(_ bytes: [UInt8]) {
        byteCount = bytes.count
        withBytes = { $0(bytes.rawSpan) }
    }

    /// A document from the keyring, in secret memory.
    init(_ document: PeerDocument) {
        byteCount = document.json.byteCount
        withBytes = { document.json.withBytes($0) }
    }

    var totalByteCount: UInt64? { UInt64(byteCount) }

    var mayWait: Bool { false }

    func read(into room: inout MutableRawSpan, from start: Int) throws(StorageError) -> Int {
        let count = min(byteCount - position, room.byteCount - start)
        guard count > 0 else { return 0 }
        let piece = position..<position + count
        withBytes { room.copy($0.extracting(piece), to: start) }
        position += count
        return count
    }
}
