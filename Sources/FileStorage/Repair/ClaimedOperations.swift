// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import RecordStorage

/// The operations claimed by the head of a frame that does not verify, as far as its bytes look like operations.
/// Nothing in it is authenticated.
struct ClaimedOperations {
    private(set) var puts: [FrameOperation.Put] = []
    private(set) var removes: [FrameOperation.Remove] = []
    private(set) var removesAll = false
    /// Whether all bytes look like operations and their number matches the head, so that none is missing.
    private(set) var isComplete = false
    /// The end of the contiguous operations from the first one on.
    private(set) var chainEnd: Int

    static let fixedByteCount = 32

    /// - Parameters:
    ///   - plaintext: the available part of the head.
    ///   - byteCount: the length of the whole head; nil if unknown, in which case it ends with its last operation.
    init(_ plaintext: [UInt8], byteCount: Int?) {
        let bytes = plaintext.rawSpan
        chainEnd = min(Self.fixedByteCount, bytes.byteCount)
        guard bytes.byteCount >= Self.fixedByteCount else { return }
        let count = Int(bytes.uint32(at: 4))
        var parsed = 0
        while parsed < count, let (operation, end) = Self.operation(in: bytes, at: chainEnd) {
            if case .removeAll = operation, parsed == 0 { removesAll = true }
            take(operation)
            parsed += 1
            chainEnd = end
        }
        isComplete = parsed == count && bytes.uint16(at: 0) == 32 && chainEnd == byteCount ?? chainEnd
        if isComplete { return }
        // Distrust this flag, because a single flipped bit could produce it.
        removesAll = false
        if byteCount != bytes.byteCount { return }
        // Skip the damage: continue at the first position from which operations are contiguous to the end.
        for start in stride(from: chainEnd + 8, to: bytes.byteCount, by: 8) {
            guard let operations = Self.operations(in: bytes, from: start) else { continue }
            for operation in operations { take(operation) }
            return
        }
    }

    private mutating func take(_ operation: FrameOperation) {
        switch operation {
        case .put(let put): puts.append(put)
        case .remove(let remove): removes.append(remove)
        case .removeAll: break
        }
    }

    private static func operations(in bytes: RawSpan, from start: Int) -> [FrameOperation]? {
        var operations: [FrameOperation] = []
        var offset = start
        while offset < bytes.byteCount {
            guard let (operation, end) = operation(in: bytes, at: offset) else { return nil }
            operations.append(operation)
            offset = end
        }
        return operations
    }

    /// Decodes the bytes at `offset` if they look like an operation: bytes that the format leaves zero must be zero.
    private static func operation(in bytes: RawSpan, at offset: Int) -> (FrameOperation, end: Int)? {
        guard bytes.byteCount - offset >= 8 else { return nil }
        switch FrameOperation.Code(rawValue: bytes.uint8(at: offset)) {
        case .put?:
            guard bytes.byteCount - offset >= 80, bytes.uint8(at: offset + 3) == 0, bytes.uint32(at: offset + 12) == 0
            else {
                return nil
            }
        case .remove?:
            guard bytes.byteCount - offset >= 40, bytes.uint8(at: offset + 1) <= 1, bytes.uint32(at: offset + 4) == 0
            else {
                return nil
            }
        case .removeAll?:
            return bytes.uint64(at: offset) == UInt64(FrameOperation.Code.removeAll.rawValue)
                ? (.removeAll, offset + 8) : nil
        case nil: return nil
        }
        var end = offset
        guard let operation = try? FrameHead.decodeOperation(bytes, &end) else { return nil }
        return (operation, end)
    }
}
