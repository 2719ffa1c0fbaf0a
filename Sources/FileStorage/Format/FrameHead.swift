// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import RecordStorage

/// The sealed part of a frame: the operations of the transaction.
struct FrameHead: Sendable {
    /// The newest transaction up to which all erased secrets are known to be overwritten.
    var erasedThrough: UInt64
    /// The number of dead bytes in the whole file as of this transaction.
    var deadByteCount: UInt64
    var operations: [FrameOperation]

    private static let fixedByteCount = 32
    /// The size of the shortest put.
    static let smallestPutByteCount = 80

    init(erasedThrough: UInt64, deadByteCount: UInt64, operations: [FrameOperation]) {
        self.erasedThrough = erasedThrough
        self.deadByteCount = deadByteCount
        self.operations = operations
    }

    func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.fixedByteCount + operations.count * 96)
        let count = UInt64(UInt32(operations.count))
        bytes.append(words: [UInt64(Self.fixedByteCount) | count << 32, erasedThrough, deadByteCount, 0])
        for operation in operations { Self.append(operation, to: &bytes) }
        return bytes
    }

    private static func append(_ operation: FrameOperation, to bytes: inout [UInt8]) {
        switch operation {
        case .put(let put):
            let (code, kind) = (UInt64(FrameOperation.Code.put.rawValue), UInt64(put.kind.rawValue))
            let tagCount = UInt64(UInt8(put.searchTags.count))
            bytes.append(words: [
                code | kind << 8 | tagCount << 16 | UInt64(put.factsByteCount) << 32, UInt64(put.secretByteCount),
                put.tag.first, put.tag.second, put.partition.first, put.partition.second, put.factsHash.first,
                put.factsHash.second, put.secretHash.first, put.secretHash.second,
            ])
            for tag in put.searchTags { bytes.append(littleEndian: tag.rawValue) }
        case .remove(let remove):
            let code = UInt64(FrameOperation.Code.remove.rawValue)
            let locationCount = UInt64(UInt16(remove.locations.count))
            bytes.append(words: [
                code | (remove.erasesSecret ? 1 << 8 : 0) | locationCount << 16,
                remove.tag.first, remove.tag.second, remove.partition.first, remove.partition.second,
            ])
            for location in remove.locations { bytes.append(words: [location.offset, UInt64(location.length)]) }
        case .removeAll:
            bytes.append(littleEndian: UInt64(FrameOperation.Code.removeAll.rawValue))
        }
    }

    /// - Throws: ``StorageError/Code/damaged``, and ``StorageError/Code/unsupportedVersion`` for an operation that this
    ///   version does not know.
    init(decoding bytes: RawSpan) throws(StorageError) {
        guard bytes.byteCount >= Self.fixedByteCount, Int(bytes.uint16(at: 0)) >= Self.fixedByteCount else {
            throw Self.damaged
        }
        erasedThrough = bytes.uint64(at: 8)
        deadByteCount = bytes.uint64(at: 16)
        operations = []
        operations.reserveCapacity(min(Int(bytes.uint32(at: 4)), bytes.byteCount / 8))
        var offset = Int(bytes.uint16(at: 0))
        for _ in 0..<bytes.uint32(at: 4) { operations.append(try Self.decodeOperation(bytes, &offset)) }
        guard offset == bytes.byteCount else { throw Self.damaged }
    }

    /// Decodes the operation at `offset` and advances `offset` past it.
    static func decodeOperation(_ bytes: RawSpan, _ offset: inout Int) throws(StorageError) -> FrameOperation {
        guard bytes.byteCount - offset >= 8 else { throw damaged }
        switch FrameOperation.Code(rawValue: bytes.uint8(at: offset)) {
        case .put: return .put(try decodePut(bytes, &offset))
        case .remove: return .remove(try decodeRemove(bytes, &offset))
        case .removeAll:
            offset += 8
            return .removeAll
        case nil:
            throw StorageError(.unsupportedVersion, detail: "operation \(bytes.uint8(at: offset)) from a newer version")
        }
    }

    private static func decodePut(_ bytes: RawSpan, _ offset: inout Int) throws(StorageError) -> FrameOperation.Put {
        guard bytes.byteCount - offset >= smallestPutByteCount else { throw damaged }
        let tagCount = Int(bytes.uint8(at: offset + 2))
        guard bytes.byteCount - offset - 80 >= 8 * tagCount else { throw damaged }
        let start = offset
        offset += 80 + 8 * tagCount
        return FrameOperation.Put(
            tag: RecordTag(first: bytes.uint64(at: start + 16), second: bytes.uint64(at: start + 24)),
            partition: PartitionTag(first: bytes.uint64(at: start + 32), second: bytes.uint64(at: start + 40)),
            kind: RecordKind(rawValue: bytes.uint8(at: start + 1)),
            factsByteCount: bytes.uint32(at: start + 4),
            secretByteCount: bytes.uint32(at: start + 8),
            factsHash: BoxHash(in: bytes, at: start + 48),
            secretHash: BoxHash(in: bytes, at: start + 64),
            searchTags: (0..<tagCount).map { SearchTag(rawValue: bytes.uint64(at: start + 80 + 8 * $0)) }
        )
    }

    private static func decodeRemove(
        _ bytes: RawSpan,
        _ offset: inout Int
    ) throws(StorageError) -> FrameOperation.Remove {
        guard bytes.byteCount - offset >= 40 else { throw damaged }
        let locationCount = Int(bytes.uint16(at: offset + 2))
        guard bytes.byteCount - offset - 40 >= 16 * locationCount else { throw damaged }
        let start = offset
        offset += 40 + 16 * locationCount
        return FrameOperation.Remove(
            tag: RecordTag(first: bytes.uint64(at: start + 8), second: bytes.uint64(at: start + 16)),
            partition: PartitionTag(first: bytes.uint64(at: start + 24), second: bytes.uint64(at: start + 32)),
            erasesSecret: bytes.uint8(at: start + 1) & 1 != 0,
            locations: (0..<locationCount).map { index in
                let location = start + 40 + 16 * index
                return BoxLocation(offset: bytes.uint64(at: location), length: bytes.uint32(at: location + 8))
            }
        )
    }

    private static var damaged: StorageError {
        StorageError(.damaged, detail: "the head of a frame is malformed")
    }
}
