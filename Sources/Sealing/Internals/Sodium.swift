// SPDX-License-Identifier: Apache-2.0

import CSodium

/// The calls to libsodium. Only this file imports CSodium.
///
/// Sizes are checked here, so that no caller can pass libsodium a buffer that is too short.
enum Sodium {
    static let keyByteCount = 32
    static let nonceByteCount = 24
    static let tagByteCount = 16
    static let saltByteCount = 16
    /// The state of an incremental hash. It must be aligned to 64 bytes.
    static let hashStateByteCount = 384

    /// Whether libsodium is initialised. The first access initialises it, which selects the fastest implementations for
    /// this processor. Every allocation of secret memory depends on it.
    static let isReady: Bool = sodium_init() >= 0

    /// Fills `bytes` from the kernel's random generator.
    @inline(always)
    @_lifetime(bytes: copy bytes)
    static func fillRandom(_ bytes: inout MutableRawSpan) {
        unsafe bytes.withUnsafeMutableBytes { buffer in
            if let base = buffer.baseAddress { unsafe randombytes_buf(base, buffer.count) }
        }
    }

    /// Two random numbers.
    static func randomPair() -> (UInt64, UInt64) {
        var pair: (UInt64, UInt64) = (0, 0)
        _ = isReady
        unsafe withUnsafeMutableBytes(of: &pair) { buffer in
            if let base = buffer.baseAddress { unsafe randombytes_buf(base, buffer.count) }
        }
        return pair
    }

    /// Overwrites memory with zeros, which the optimiser cannot remove.
    @unsafe static func wipe(_ base: UnsafeMutableRawPointer, byteCount: Int) {
        unsafe sodium_memzero(base, byteCount)
    }

    /// Compares in time that depends only on the lengths.
    static func isEqual(_ left: RawSpan, _ right: RawSpan) -> Bool {
        guard left.byteCount == right.byteCount else { return false }
        return unsafe left.withUnsafeBytes { left in
            unsafe right.withUnsafeBytes { right in
                guard let leftBase = left.baseAddress, let rightBase = right.baseAddress else { return true }
                return unsafe sodium_memcmp(leftBase, rightBase, left.count) == 0
            }
        }
    }

    /// Writes the SHA-256 hash of `message` to `output`, which holds 32 bytes.
    @unsafe static func sha256(_ message: UnsafeRawBufferPointer, to output: UnsafeMutableRawBufferPointer) {
        precondition(output.count == Int(crypto_hash_sha256_BYTES), "the result has another size")
        let location = unsafe output.assumingMemoryBound(to: UInt8.self).baseAddress
        // SAFETY: no message is ever refused; an empty one has no address.
        if let location = unsafe location {
            _ = unsafe crypto_hash_sha256(
                location,
                message.assumingMemoryBound(to: UInt8.self).baseAddress,
                UInt64(message.count)
            )
        }
    }

    // MARK: XChaCha20-Poly1305

    /// Encrypts `count` bytes at `message` to `output`, which holds `count` + 16 bytes. The two may be the same
    /// address.
    @inline(always)
    @unsafe static func encrypt(
        _ message: UnsafeRawPointer?,
        count: Int,
        to output: UnsafeMutablePointer<UInt8>,
        authenticating data: UnsafeRawBufferPointer,
        nonce: UnsafePointer<UInt8>,
        key: UnsafePointer<UInt8>
    ) {
        var written: UInt64 = 0
        // SAFETY: it fails only for messages beyond 256 GiB, and every caller has the message in memory twice.
        _ = unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
            output,
            &written,
            message?.assumingMemoryBound(to: UInt8.self),
            UInt64(count),
            data.baseAddress?.assumingMemoryBound(to: UInt8.self),
            UInt64(data.count),
            nil,
            nonce,
            key
        )
    }

    /// Decrypts `count` bytes, including the tag, to `output`, which holds `count` - 16 bytes. Returns false and zeroes
    /// `output` if the tag does not verify.
    @inline(always)
    @unsafe static func decrypt(
        _ box: UnsafePointer<UInt8>,
        count: Int,
        to output: UnsafeMutablePointer<UInt8>?,
        authenticating data: UnsafeRawBufferPointer,
        nonce: UnsafePointer<UInt8>,
        key: UnsafePointer<UInt8>
    ) -> Bool {
        var written: UInt64 = 0
        return unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
            output,
            &written,
            nil,
            box,
            UInt64(count),
            data.baseAddress?.assumingMemoryBound(to: UInt8.self),
            UInt64(data.count),
            nonce,
            key
        ) == 0
    }

    // MARK: BLAKE2b

    /// Hashes a contiguous message.
    ///
    /// - Parameters:
    ///   - digest: 16 to 64 bytes.
    ///   - message: the bytes to hash.
    ///   - key: 32 bytes, or `nil` for a hash without a key.
    @inline(always)
    @unsafe static func hash(
        to digest: UnsafeMutableRawBufferPointer,
        message: UnsafeRawBufferPointer,
        key: UnsafePointer<UInt8>?
    ) {
        guard let base = digest.baseAddress else { return }
        // SAFETY: it fails only for sizes that no caller uses.
        _ = unsafe crypto_generichash(
            base.assumingMemoryBound(to: UInt8.self),
            digest.count,
            message.baseAddress?.assumingMemoryBound(to: UInt8.self),
            UInt64(message.count),
            key,
            key == nil ? 0 : keyByteCount
        )
    }

    /// - Parameters:
    ///   - state: 384 bytes on a multiple of 64.
    ///   - key: 32 bytes, or `nil` for a hash without a key.
    ///   - digestByteCount: 16 to 64.
    @unsafe static func startHash(
        _ state: UnsafeMutableRawPointer,
        key: UnsafePointer<UInt8>?,
        digestByteCount: Int
    ) {
        // SAFETY: it fails only for sizes that no caller uses.
        _ = unsafe crypto_generichash_init(OpaquePointer(state), key, key == nil ? 0 : keyByteCount, digestByteCount)
    }

    @unsafe static func updateHash(_ state: UnsafeMutableRawPointer, with bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress else { return }
        _ = unsafe crypto_generichash_update(
            OpaquePointer(state),
            base.assumingMemoryBound(to: UInt8.self),
            UInt64(bytes.count)
        )
    }

    /// Finishes a hash. `digest` has the length given when the hash was started.
    @unsafe static func finishHash(_ state: UnsafeMutableRawPointer, to digest: UnsafeMutableRawBufferPointer) {
        guard let base = digest.baseAddress else { return }
        _ = unsafe crypto_generichash_final(
            OpaquePointer(state),
            base.assumingMemoryBound(to: UInt8.self),
            digest.count
        )
    }

    // MARK: Derivation

    /// Derives a 32-byte subkey from a 32-byte key and an 8-byte context.
    @unsafe static func deriveSubkey(
        to subkey: UnsafeMutablePointer<UInt8>,
        number: UInt64,
        context: UnsafePointer<CChar>,
        key: UnsafePointer<UInt8>
    ) {
        // SAFETY: it fails only for subkey sizes outside 16...64.
        _ = unsafe crypto_kdf_derive_from_key(subkey, keyByteCount, number, context, key)
    }

    /// Computes Argon2id version 1.3 with one lane and a 16-byte salt. Returns false if memory is short or a parameter
    /// is out of bounds.
    @unsafe static func argon2id(
        to output: UnsafeMutableRawBufferPointer,
        passphrase: UnsafeRawBufferPointer,
        salt: UnsafePointer<UInt8>,
        passes: UInt64,
        memoryByteCount: Int
    ) -> Bool {
        guard let base = output.baseAddress, let passphraseBase = passphrase.baseAddress else { return false }
        return unsafe crypto_pwhash(
            base.assumingMemoryBound(to: UInt8.self),
            UInt64(output.count),
            passphraseBase.assumingMemoryBound(to: CChar.self),
            UInt64(passphrase.count),
            salt,
            passes,
            memoryByteCount,
            crypto_pwhash_ALG_ARGON2ID13
        ) == 0
    }
}
