// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import RecordStorage
internal import Sealing

extension BoxHash {
    /// Reads the hash at `offset`.
    init(in bytes: RawSpan, at offset: Int) {
        self.init(first: bytes.uint64(at: offset), second: bytes.uint64(at: offset + 8))
    }

    /// Whether both are equal, compared in constant time.
    func isEqual(to other: BoxHash) -> Bool {
        let one: InlineArray<2, UInt64> = [first, second]
        let two: InlineArray<2, UInt64> = [other.first, other.second]
        return SecretMemory.isEqual(one.rawSpan, two.rawSpan)
    }
}
