// SPDX-License-Identifier: Apache-2.0

/// Padding that hides lengths, as `sodium_pad` does: a byte 0x80 and zeros up to the next multiple of a bucket. It
/// always adds at least one byte.
package enum Padding {
    package static let mark: UInt8 = 0x80

    /// The length of `byteCount` bytes after padding.
    @inline(always)
    package static func paddedByteCount(_ byteCount: Int, bucket: Int) -> Int {
        (byteCount / bucket + 1) * bucket
    }

    /// The length without padding, or `nil` if the bytes are not padded to `bucket`, a multiple of eight.
    ///
    /// Reads the whole last bucket in words, without branching on their values, so the time does not reveal the length
    /// of the padding.
    @inline(always)
    package static func unpaddedByteCount(_ bytes: RawSpan, bucket: Int) -> Int? {
        assert(bucket % 8 == 0)
        guard bytes.byteCount > 0, bytes.byteCount % bucket == 0 else { return nil }
        var lastWord: UInt64 = 0
        var lastOffset = 0
        var offset = bytes.byteCount &- bucket
        while offset &+ 8 <= bytes.byteCount {
            // SAFETY: the loop compared the offset with the count just now.
            let loaded = unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self)
            let word = UInt64(littleEndian: loaded)
            let isNonzero = 0 &- ((word | (0 &- word)) &>> 63)
            lastWord ^= (lastWord ^ word) & isNonzero
            lastOffset ^= (lastOffset ^ offset) & Int(bitPattern: UInt(isNonzero))
            offset &+= 8
        }
        // The index of the highest nonzero byte.
        let index = 7 - lastWord.leadingZeroBitCount / 8
        guard lastWord != 0, (lastWord &>> UInt64(8 * index)) & 0xFF == UInt64(mark) else { return nil }
        return lastOffset + index
    }
}
