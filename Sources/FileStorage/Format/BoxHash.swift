// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import Sealing

/// A keyed hash of a sealed box, with which a store detects damage without opening the box.
struct BoxHash: Hashable, Sendable {
    let first: UInt64
    let second: UInt64

    /// The value if there is no box.
    static let none = BoxHash(first: 0, second: 0)

    init(first: UInt64, second: UInt64) {
        self.first = first
        self.second = second
    }
}

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
