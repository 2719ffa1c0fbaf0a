// SPDX-License-Identifier: Apache-2.0

// SAFETY: libsodium reads and writes exactly the byte counts that the sizes of boxes are computed from, in buffers
// that are lent for one call.

/// XChaCha20-Poly1305 (the IETF construction) with a random nonce per box.
///
/// A box consists of a nonce (24 bytes), the ciphertext (as long as the plaintext) and a tag (16 bytes). A key may seal
/// 2⁴⁸ boxes. All functions are thread-safe and fail in a forked child.
package enum AEAD {
    /// The number of bytes by which a box is longer than its plaintext.
    package static let overhead = Sodium.nonceByteCount + Sodium.tagByteCount

    /// Seals `plaintext` with associated data.
    ///
    /// - Parameters:
    ///   - plaintext: the bytes to seal.
    ///   - key: the key, which must be used for this purpose only.
    ///   - data: authenticated but not stored in the box; needed again to open it.
    ///   - random: the source of the nonce.
    /// - Returns: the box.
    /// - Throws: ``SealingError/Code/forkedProcess``.
    package static func seal(
        _ plaintext: RawSpan,
        key: borrowing SealingKey,
        authenticating data: RawSpan,
        random: RandomSource = .system
    ) throws(SealingError) -> [UInt8] {
        try seal(
            plaintext,
            byteCount: plaintext.byteCount,
            key: key,
            authenticating: data,
            nonce: Nonce(from: random)
        )
    }

    /// Seals `plaintext` with the next nonce of a batch.
    package static func seal(
        _ plaintext: RawSpan,
        key: borrowing SealingKey,
        authenticating data: RawSpan,
        nonces: inout NonceBatch
    ) throws(SealingError) -> [UInt8] {
        try seal(plaintext, byteCount: plaintext.byteCount, key: key, authenticating: data, nonce: nonces.next())
    }

    /// Seals `plaintext` padded to `byteCount` bytes (a byte 0x80, then zeros) if that is longer.
    ///
    /// The plaintext is padded in ordinary memory, within the box, and encrypted in place. So it must not be secret if
    /// it needs padding.
    static func seal(
        _ plaintext: RawSpan,
        byteCount: Int,
        key: borrowing SealingKey,
        authenticating data: RawSpan,
        nonce: borrowing Nonce
    ) throws(SealingError) -> [UInt8] {
        let key = unsafe try key.checkedBase()
        let boxByteCount = byteCount + overhead
        return unsafe [UInt8](capacity: boxByteCount) { box in
            guard let base = box.baseAddress else { return 0 }
            unsafe nonce.store(to: base)
            let output = unsafe base + Sodium.nonceByteCount
            unsafe data.withUnsafeBytes { data in
                unsafe plaintext.withUnsafeBytes { plaintext in
                    var source = plaintext.baseAddress
                    if plaintext.count < byteCount {
                        let room = unsafe UnsafeMutableRawBufferPointer(start: output, count: byteCount)
                        unsafe room.copyMemory(from: plaintext)
                        unsafe room[plaintext.count] = Padding.mark
                        for index in plaintext.count + 1..<byteCount { unsafe room[index] = 0 }
                        unsafe source = UnsafeRawPointer(output)
                    }
                    unsafe Sodium.encrypt(
                        source,
                        count: byteCount,
                        to: output,
                        authenticating: data,
                        nonce: base,
                        key: key.address
                    )
                }
            }
            return boxByteCount
        }
    }

    /// Opens a box with secret content.
    ///
    /// - Throws: ``SealingError/Code/authenticationFailed`` if anything differs from what was sealed,
    ///   ``SealingError/Code/forkedProcess``, ``SealingError/Code/outOfMemory``.
    package static func open(
        _ box: RawSpan,
        key: borrowing SealingKey,
        authenticating data: RawSpan
    ) throws(SealingError) -> SecretBytes {
        guard box.byteCount >= overhead else { throw SealingError(.authenticationFailed) }
        let key = unsafe try key.checkedBase()
        let plaintext = try SecretBytes(byteCount: box.byteCount - overhead)
        guard unsafe open(box, to: plaintext.unsafeBase, key: key, authenticating: data) else {
            throw SealingError(.authenticationFailed)
        }
        return plaintext
    }

    /// Opens a box whose content is not secret (facts, indexes, heads) with one allocation of ordinary memory.
    ///
    /// - Throws: ``SealingError/Code/authenticationFailed`` if anything differs from what was sealed,
    ///   ``SealingError/Code/forkedProcess``.
    package static func openPublic(
        _ box: RawSpan,
        key: borrowing SealingKey,
        authenticating data: RawSpan
    ) throws(SealingError) -> [UInt8] {
        guard box.byteCount >= overhead else { throw SealingError(.authenticationFailed) }
        let key = unsafe try key.checkedBase()
        let byteCount = box.byteCount - overhead
        var isAuthentic = false
        // Request at least one byte, because an array without capacity has no address.
        let plaintext = unsafe [UInt8](capacity: max(byteCount, 1)) { room in
            isAuthentic = unsafe open(box, to: room.baseAddress, key: key, authenticating: data)
            return isAuthentic ? byteCount : 0
        }
        guard isAuthentic else { throw SealingError(.authenticationFailed) }
        return plaintext
    }

    /// Opens a box of checked length into `output`, which holds its plaintext.
    @inline(always)
    @unsafe static func open(
        _ box: RawSpan,
        to output: UnsafeMutablePointer<UInt8>?,
        key: KeyPointer,
        authenticating data: RawSpan
    ) -> Bool {
        unsafe data.withUnsafeBytes { data in
            unsafe box.withUnsafeBytes { box in
                guard let nonce = unsafe box.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return false }
                return unsafe Sodium.decrypt(
                    nonce + Sodium.nonceByteCount,
                    count: box.count - Sodium.nonceByteCount,
                    to: output,
                    authenticating: data,
                    nonce: nonce,
                    key: key.address
                )
            }
        }
    }
}
