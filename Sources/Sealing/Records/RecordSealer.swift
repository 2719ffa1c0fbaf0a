// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

/// Seals and opens the boxes of one group's records in one epoch, and names records.
///
/// A box opens only for the group, epoch, record, kind, role and sequence that it was sealed for. All threads share one
/// sealer for each ``GroupKeys``. Its calls neither wait nor do I/O, and throw ``SealingError/Code/forkedProcess`` in a
/// forked child.
package final class RecordSealer: Sendable {
    /// The maximum size of a box's plaintext: 1 MiB.
    package static let maximumPlaintextByteCount = 1 << 20
    /// The maximum size of a box; larger ones are refused before any work is done.
    package static let maximumBoxByteCount = maximumPlaintextByteCount + 256 + AEAD.overhead

    /// The keys of this sealer.
    package let keys: GroupKeys
    let boxKey: SealingKey
    private let associatedData: RecordAssociatedData
    private let random: RandomSource

    /// - Parameters:
    ///   - keys: the group's keys in the epoch of the boxes to seal or open.
    ///   - random: the source of nonces.
    /// - Throws: ``SealingError/Code/forkedProcess``, ``SealingError/Code/outOfMemory``.
    package init(keys: GroupKeys, random: RandomSource = .system) throws(SealingError) {
        self.keys = keys
        self.random = random
        boxKey = try keys.subkey(.record)
        associatedData = RecordAssociatedData(group: keys.uuid, epoch: keys.epoch)
    }

    /// Seals one box of a record.
    ///
    /// A secret plaintext is copied only to secret memory.
    ///
    /// - Parameters:
    ///   - plaintext: the bytes to seal; they are padded, so that the box reveals their length only in steps.
    ///   - role: facts or secret.
    ///   - tag: the tag of the record.
    ///   - kind: the kind of the record.
    ///   - sequence: the transaction that writes the record.
    /// - Returns: the box.
    /// - Throws: ``SealingError/Code/tooLarge`` for more than 1 MiB.
    package func seal(
        _ plaintext: RawSpan,
        role: BoxRole,
        tag: (UInt64, UInt64),
        kind: UInt8,
        sequence: UInt64
    ) throws(SealingError) -> [UInt8] {
        let nonce = Nonce(from: random)
        return try seal(plaintext, role: role, tag: tag, kind: kind, sequence: sequence, nonce: nonce)
    }

    /// Draws nonces for `count` boxes. Call it once all their plaintexts are final.
    package func drawNonces(_ count: Int) -> NonceBatch {
        NonceBatch(count: count, from: random)
    }

    /// Seals one box of a record with the next nonce of a batch.
    package func seal(
        _ plaintext: RawSpan,
        role: BoxRole,
        tag: (UInt64, UInt64),
        kind: UInt8,
        sequence: UInt64,
        nonces: inout NonceBatch
    ) throws(SealingError) -> [UInt8] {
        try seal(plaintext, role: role, tag: tag, kind: kind, sequence: sequence, nonce: nonces.next())
    }

    private func seal(
        _ plaintext: RawSpan,
        role: BoxRole,
        tag: (UInt64, UInt64),
        kind: UInt8,
        sequence: UInt64,
        nonce: borrowing Nonce
    ) throws(SealingError) -> [UInt8] {
        guard plaintext.byteCount <= Self.maximumPlaintextByteCount else { throw SealingError(.tooLarge) }
        let padded = Padding.paddedByteCount(plaintext.byteCount, bucket: role.bucketByteCount)
        return try associatedData.with(role: role, tag: tag, kind: kind, sequence: sequence) {
            (data) throws(SealingError) in
            switch role {
            case .facts:
                return try AEAD.seal(plaintext, byteCount: padded, key: boxKey, authenticating: data, nonce: nonce)
            case .secret:
                let secret = try SecretBytes(padding: plaintext, to: padded)
                let bytes = secret.bytes
                return try AEAD.seal(
                    bytes,
                    byteCount: bytes.byteCount,
                    key: boxKey,
                    authenticating: data,
                    nonce: nonce
                )
            }
        }
    }

    /// Opens a facts box with one allocation.
    ///
    /// - Throws: ``SealingError/Code/authenticationFailed``, ``SealingError/Code/tooLarge``.
    package func openFacts(
        _ box: RawSpan,
        tag: (UInt64, UInt64),
        kind: UInt8,
        sequence: UInt64
    ) throws(SealingError) -> [UInt8] {
        guard box.byteCount <= Self.maximumBoxByteCount else { throw SealingError(.tooLarge) }
        var facts = try associatedData.with(role: .facts, tag: tag, kind: kind, sequence: sequence) {
            (data) throws(SealingError) in
            try AEAD.openPublic(box, key: boxKey, authenticating: data)
        }
        guard let count = Padding.unpaddedByteCount(facts.rawSpan, bucket: BoxRole.facts.bucketByteCount) else {
            throw SealingError(.malformed)
        }
        facts.removeLast(facts.count - count)
        return facts
    }

    /// Opens a secret box into secret memory.
    ///
    /// - Throws: ``SealingError/Code/authenticationFailed``, ``SealingError/Code/tooLarge``,
    ///   ``SealingError/Code/outOfMemory``.
    package func openSecret(
        _ box: RawSpan,
        tag: (UInt64, UInt64),
        kind: UInt8,
        sequence: UInt64
    ) throws(SealingError) -> SecretBytes {
        guard box.byteCount <= Self.maximumBoxByteCount else { throw SealingError(.tooLarge) }
        var secret = try associatedData.with(role: .secret, tag: tag, kind: kind, sequence: sequence) {
            (data) throws(SealingError) in
            try AEAD.open(box, key: boxKey, authenticating: data)
        }
        guard let count = Padding.unpaddedByteCount(secret.bytes, bucket: BoxRole.secret.bucketByteCount) else {
            throw SealingError(.malformed)
        }
        secret.truncate(to: count)
        return secret
    }
}

extension RecordSealer: CustomStringConvertible, CustomReflectable {
    /// The group and the epoch, without the keys.
    package var description: String { "RecordSealer(\(keys.uuid), epoch \(keys.epoch))" }
    /// No children, so that `dump` shows no address of a key.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
