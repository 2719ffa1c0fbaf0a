// SPDX-License-Identifier: Apache-2.0

// SAFETY: the state has the size and alignment that libsodium asks for, and every buffer is lent for one call with
// its length.

internal import ByteOperations

/// BLAKE2b of secret input, with state and result in secret memory.
package struct SecretHash: ~Copyable {
    private let state: SecretBytes
    private let byteCount: Int

    /// Starts a hash.
    ///
    /// - Parameters:
    ///   - key: 32 bytes, or `nil` for a hash without a key.
    ///   - byteCount: the length of the result, 16 to 64.
    /// - Throws: ``SealingError/Code/forkedProcess``, ``SealingError/Code/outOfMemory``.
    package init(key: KeyPointer?, byteCount: Int) throws(SealingError) {
        state = try SecretBytes(byteCount: Sodium.hashStateByteCount)
        self.byteCount = byteCount
        unsafe Sodium.startHash(state.unsafeBase, key: key?.address, digestByteCount: byteCount)
    }

    /// Adds bytes to the message.
    package mutating func update(_ bytes: RawSpan) {
        unsafe bytes.withUnsafeBytes { unsafe Sodium.updateHash(state.unsafeBase, with: $0) }
    }

    /// Adds bytes to the message.
    package mutating func update(_ bytes: [UInt8]) {
        update(bytes.rawSpan)
    }

    /// Adds a label to the message.
    package mutating func update(_ label: StaticString) {
        unsafe Sodium.updateHash(
            state.unsafeBase,
            with: UnsafeRawBufferPointer(start: label.utf8Start, count: label.utf8CodeUnitCount)
        )
    }

    /// Finishes the hash.
    package consuming func finalize() throws(SealingError) -> SecretBytes {
        let result = try SecretBytes(byteCount: byteCount)
        unsafe Sodium.finishHash(
            state.unsafeBase,
            to: UnsafeMutableRawBufferPointer(start: result.unsafeBase, count: byteCount)
        )
        return result
    }
}
