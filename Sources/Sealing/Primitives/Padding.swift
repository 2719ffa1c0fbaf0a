/// Padding that hides lengths: a byte 80 (hexadecimal), then zeros up to the next multiple of a bucket. Always at least
/// one byte is added. The same as `sodium_pad` does.
enum Padding {
    static let mark: UInt8 = 0x80

    /// The length of `byteCount` bytes once padded.
    @inline(always)
    static func paddedByteCount(_ byteCount: Int, bucket: Int) -> Int {
        (byteCount / bucket + 1) * bucket
    }

    /// The length without padding, or `nil` where the bytes are not padded to `bucket`. The time depends on the bucket
    /// and on whether the padding is there, not on how much of it there is.
    @inline(always)
    static func unpaddedByteCount(_ bytes: RawSpan, bucket: Int) -> Int? {
        guard bytes.byteCount > 0, bytes.byteCount % bucket == 0 else { return nil }
        return unsafe bytes.withUnsafeBytes { unsafe Sodium.unpaddedByteCount($0, block: bucket) }
    }
}
