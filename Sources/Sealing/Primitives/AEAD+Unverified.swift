// SPDX-License-Identifier: Apache-2.0

// SAFETY: libsodium reads and writes exactly the byte counts that the sizes of boxes are computed from, in buffers
// that are lent for one call.

extension AEAD {
    /// Decrypts the beginning of a box without verifying it, if its length is unknown or only a part is available. Use
    /// it only for salvage, which trusts the result only once other data confirms it, and only for data that is not
    /// secret.
    ///
    /// - Parameters:
    ///   - bytes: the box from its start. Bytes past its ciphertext decrypt to noise.
    ///   - byteCount: the maximum number of plaintext bytes.
    ///   - key: the key that the box was sealed under.
    /// - Returns: the plaintext; empty if no bytes follow the nonce.
    /// - Throws: ``SealingError/Code/forkedProcess``.
    package static func openUnverified(
        _ bytes: RawSpan,
        byteCount: Int = .max,
        key: borrowing SealingKey
    ) throws(SealingError) -> [UInt8] {
        let key = unsafe try key.checkedBase()
        let count = min(byteCount, bytes.byteCount - Sodium.nonceByteCount)
        guard count > 0 else { return [] }
        return unsafe [UInt8](capacity: count) { room in
            unsafe bytes.withUnsafeBytes { bytes in
                guard let nonce = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self),
                    let output = room.baseAddress
                else { return 0 }
                unsafe Sodium.decryptUnverified(
                    nonce + Sodium.nonceByteCount,
                    count: count,
                    to: output,
                    nonce: nonce,
                    key: key.address
                )
                return count
            }
        }
    }

    /// Like ``openUnverified(_:byteCount:key:)``, but for secret data, which it decrypts into secret memory.
    ///
    /// - Throws: ``SealingError/Code/forkedProcess``, ``SealingError/Code/outOfMemory``.
    static func openUnverifiedSecret(
        _ bytes: RawSpan,
        byteCount: Int,
        key: borrowing SealingKey
    ) throws(SealingError) -> SecretBytes {
        let key = unsafe try key.checkedBase()
        let plaintext = try SecretBytes(byteCount: max(0, min(byteCount, bytes.byteCount - Sodium.nonceByteCount)))
        guard plaintext.byteCount > 0 else { return plaintext }
        unsafe bytes.withUnsafeBytes { bytes in
            guard let nonce = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            unsafe Sodium.decryptUnverified(
                nonce + Sodium.nonceByteCount,
                count: plaintext.byteCount,
                to: plaintext.unsafeBase,
                nonce: nonce,
                key: key.address
            )
        }
        return plaintext
    }
}
