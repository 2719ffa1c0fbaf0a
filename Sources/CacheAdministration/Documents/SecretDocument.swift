// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import RecordStorage
internal import Sealing

/// The text of a document while it is written, in secret memory that grows.
struct SecretDocument: ~Copyable {
    private var memory: SecretBytes
    private var count = 0

    init() throws(StorageError) {
        memory = try sealing(try SecretBytes(byteCount: 16 << 10))
    }

    mutating func append(_ bytes: RawSpan) throws(StorageError) {
        let end = count + bytes.byteCount
        if end > memory.byteCount {
            var larger = try sealing(try SecretBytes(byteCount: max(end, 2 * memory.byteCount)))
            var room = larger.mutableBytes
            room.copy(memory.bytes.extracting(0..<count), to: 0)
            memory = larger
        }
        let start = count
        var room = memory.mutableBytes
        room.copy(bytes, to: start)
        count = end
    }

    /// The finished text.
    consuming func finish() -> SecretBytes {
        memory.truncate(to: count)
        return memory
    }
}
