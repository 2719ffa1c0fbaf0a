// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// Finds the end of boxes whose length is lost, for salvage only. It decrypts only as much as needed to find the one
/// possible length, and does not authenticate the decrypted bytes.
extension RecordSealer {
    /// The length that the start of a plaintext indicates.
    package enum ClaimedByteCount: Hashable, Sendable {
        /// No sealed plaintext begins like this.
        case impossible
        /// The length cannot be told without more bytes.
        case unknown
        case known(Int)
    }

    /// The first bucket of the facts that may begin at the start of `bytes`; `nil` if the bytes are too few for a box.
    package func unverifiedStart(ofFacts bytes: RawSpan) throws(SealingError) -> [UInt8]? {
        let bucket = BoxRole.facts.bucketByteCount
        guard bytes.byteCount >= bucket + AEAD.overhead else { return nil }
        return try AEAD.openUnverified(bytes, byteCount: bucket, key: boxKey)
    }

    /// The facts of the box that may begin at the start of `bytes`. Verify them with
    /// ``openFacts(_:tag:kind:sequence:)``.
    ///
    /// - Parameters:
    ///   - bytes: all available bytes from the start of the box.
    ///   - cost: incremented by the number of bytes decrypted.
    ///   - claimedByteCount: receives the start of the plaintext, longer with each call.
    /// - Returns: the facts without their padding and the length of the box; `nil` if no box begins there.
    /// - Throws: ``SealingError/Code/forkedProcess``.
    package func unverifiedFacts(
        startingAt bytes: RawSpan,
        cost: inout Int,
        claimedByteCount: ([UInt8]) -> ClaimedByteCount
    ) throws(SealingError) -> (facts: [UInt8], boxByteCount: Int)? {
        let bucket = BoxRole.facts.bucketByteCount
        let rest = (bytes.byteCount - AEAD.overhead) / bucket * bucket
        let most = min(Padding.paddedByteCount(Self.maximumPlaintextByteCount, bucket: bucket), rest)
        var count = min(16 * bucket, most)
        while count > 0 {
            cost += count
            var plaintext = try AEAD.openUnverified(bytes, byteCount: count, key: boxKey)
            switch claimedByteCount(plaintext) {
            case .impossible: return nil
            case .unknown:
                if count == most { return nil }
                count = min(16 * count, most)
            case .known(let claimed):
                guard claimed < most else { return nil }
                let padded = Padding.paddedByteCount(claimed, bucket: bucket)
                if padded > count {
                    cost += padded
                    plaintext = try AEAD.openUnverified(bytes, byteCount: padded, key: boxKey)
                }
                let found = Padding.unpaddedByteCount(
                    plaintext.rawSpan.extracting(0..<padded),
                    bucket: bucket
                )
                guard found == claimed else { return nil }
                plaintext.removeLast(plaintext.count - claimed)
                return (plaintext, padded + AEAD.overhead)
            }
        }
        return nil
    }

    /// The length of the secret box that may begin at the start of `bytes`. Verify it with
    /// ``isSecret(_:tag:kind:sequence:)``.
    ///
    /// - Parameters:
    ///   - bytes: all available bytes from the start of the box.
    ///   - claimedByteCount: receives the first 256 bytes of the plaintext and returns its length; `nil` if no sealed
    ///     plaintext begins like this.
    /// - Returns: the length; `nil` if no box begins there.
    /// - Throws: ``SealingError/Code/forkedProcess``, ``SealingError/Code/outOfMemory``.
    package func unverifiedSecretBoxByteCount(
        startingAt bytes: RawSpan,
        claimedByteCount: (RawSpan) -> Int?
    ) throws(SealingError) -> Int? {
        let bucket = BoxRole.secret.bucketByteCount
        guard bytes.byteCount >= bucket + AEAD.overhead else { return nil }
        let start = try AEAD.openUnverifiedSecret(bytes, byteCount: bucket, key: boxKey)
        guard let count = claimedByteCount(start.bytes), count <= Self.maximumPlaintextByteCount else {
            return nil
        }
        let boxByteCount = Padding.paddedByteCount(count, bucket: bucket) + AEAD.overhead
        return boxByteCount <= bytes.byteCount ? boxByteCount : nil
    }

    /// Whether a box opens as the secret of this record.
    package func isSecret(
        _ box: RawSpan,
        tag: (UInt64, UInt64),
        kind: UInt8,
        sequence: UInt64
    ) throws(SealingError) -> Bool {
        do throws(SealingError) {
            _ = try openSecret(box, tag: tag, kind: kind, sequence: sequence)
            return true
        } catch {
            guard error.code == .authenticationFailed || error.code == .malformed else { throw error }
            return false
        }
    }
}
