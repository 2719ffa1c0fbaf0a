// SPDX-License-Identifier: Apache-2.0

// SAFETY: the state has the size and alignment that libsodium asks for, and every buffer is lent for one call with
// its length.

/// BLAKE2b with a 32-byte key, to derive opaque names and to authenticate unencrypted data.
///
/// A value of this type hashes incrementally to 256 bits, with its state in secret memory. The static functions hash
/// one contiguous message. To hash several fields, include their lengths or use a fixed layout.
package struct KeyedHash: ~Copyable, Sendable {
    private let state: SecretBytes

    /// Starts a hash of 256 bits.
    ///
    /// - Throws: ``SealingError/Code/forkedProcess``, ``SealingError/Code/outOfMemory``.
    package init(key: borrowing SealingKey) throws(SealingError) {
        let key = unsafe try key.checkedBase()
        state = try SecretBytes(byteCount: Sodium.hashStateByteCount)
        unsafe Sodium.startHash(state.unsafeBase, key: key.address, digestByteCount: Digest.byteCount)
    }

    /// Adds bytes to the message.
    package mutating func update(_ bytes: RawSpan) {
        unsafe bytes.withUnsafeBytes { unsafe Sodium.updateHash(state.unsafeBase, with: $0) }
    }

    /// Adds a label to the message.
    package mutating func update(_ label: StaticString) {
        unsafe Sodium.updateHash(
            state.unsafeBase,
            with: UnsafeRawBufferPointer(start: label.utf8Start, count: label.utf8CodeUnitCount)
        )
    }

    /// Finishes the hash.
    ///
    /// - Throws: ``SealingError/Code/forkedProcess``.
    package consuming func finalize() throws(SealingError) -> Digest {
        try state.checkProcess()
        return unsafe Digest { unsafe Sodium.finishHash(state.unsafeBase, to: $0) }
    }

    /// A 256-bit hash of one message.
    ///
    /// - Throws: ``SealingError/Code/forkedProcess``.
    package static func hash256(_ message: RawSpan, key: borrowing SealingKey) throws(SealingError) -> Digest {
        let key = unsafe try key.checkedBase()
        return unsafe Digest { digest in
            unsafe message.withUnsafeBytes { unsafe Sodium.hash(to: digest, message: $0, key: key.address) }
        }
    }

    /// A 128-bit hash of one message, as two little-endian numbers. It is not the first half of ``hash256(_:key:)``.
    ///
    /// - Throws: ``SealingError/Code/forkedProcess``.
    package static func hash128(
        _ message: RawSpan,
        key: borrowing SealingKey
    ) throws(SealingError) -> (UInt64, UInt64) {
        let key = unsafe try key.checkedBase()
        var words: (UInt64, UInt64) = (0, 0)
        unsafe withUnsafeMutableBytes(of: &words) { digest in
            unsafe message.withUnsafeBytes { unsafe Sodium.hash(to: digest, message: $0, key: key.address) }
        }
        return (UInt64(littleEndian: words.0), UInt64(littleEndian: words.1))
    }
}
