// SPDX-License-Identifier: Apache-2.0

// SAFETY: a pointer to the key is used only while `self` is borrowed, so its memory lives.

internal import ByteOperations

/// A 32-byte key for one purpose, in secret memory.
///
/// Every use checks that this is not a forked child. Thread-safe.
package struct SealingKey: ~Copyable, Sendable {
    /// The length of a key in bytes.
    package static let byteCount = 32

    private let secret: SecretBytes

    /// Creates a key from 32 bytes.
    ///
    /// - Throws: ``SealingError/Code/malformed`` for another number of bytes.
    package init(_ secret: consuming SecretBytes) throws(SealingError) {
        guard secret.byteCount == Self.byteCount else { throw SealingError(.malformed) }
        self.secret = secret
    }

    /// A random key.
    package static func random() throws(SealingError) -> SealingKey {
        try SealingKey(SecretBytes.random(byteCount: byteCount))
    }

    /// The bytes of the key.
    ///
    /// - Throws: ``SealingError/Code/forkedProcess`` in a forked child.
    func checkedBase() throws(SealingError) -> KeyPointer {
        try secret.checkProcess()
        return unsafe KeyPointer(address: secret.unsafeBase)
    }

    /// Derives the key for `purpose` from this one.
    borrowing func derive(_ purpose: SubkeyPurpose) throws(SealingError) -> SealingKey {
        let key = unsafe try checkedBase()
        let subkey = try SecretBytes(byteCount: Self.byteCount)
        unsafe purpose.withContext { context in
            unsafe Sodium.deriveSubkey(
                to: subkey.unsafeBase,
                number: purpose.rawValue,
                context: context,
                key: key.address
            )
        }
        return try SealingKey(subkey)
    }

    /// A copy of the key.
    borrowing func copy() throws(SealingError) -> SealingKey {
        try SealingKey(secret.copy())
    }

    /// Whether both are the same key, compared in constant time.
    package borrowing func isEqual(to other: borrowing SealingKey) -> Bool {
        secret.isEqual(to: other.secret)
    }

    /// Seals this key into a box.
    borrowing func sealed(
        under key: borrowing SealingKey,
        authenticating data: [UInt8],
        random: RandomSource
    ) throws(SealingError) -> [UInt8] {
        try secret.checkProcess()
        return try AEAD.seal(secret.bytes, key: key, authenticating: data.rawSpan, random: random)
    }
}
