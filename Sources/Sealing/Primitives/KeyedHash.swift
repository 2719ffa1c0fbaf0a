// SAFETY: the state has the size and alignment that libsodium asks for, and every buffer is lent for one call with
// its length.

/// BLAKE2b with a key of 32 bytes: names things without showing them, and authenticates what is not encrypted.
///
/// A value of this type hashes piece by piece and gives 256 bits; it lies in secret memory and is wiped with it. The
/// functions hash one piece. Whoever hashes several fields puts their lengths or a fixed layout into the message.
package struct KeyedHash: ~Copyable, Sendable {
    private let state: SecretBytes

    /// Begins a hash of 256 bits.
    ///
    /// - Throws: ``SealingError/Code/forkedProcess``, ``SealingError/Code/outOfMemory``.
    package init(key: borrowing SealingKey) throws(SealingError) {
        let key = unsafe try key.checkedBase()
        state = try SecretBytes(byteCount: Sodium.hashStateByteCount)
        unsafe Sodium.startHash(state.unsafeBase, key: key.address, digestByteCount: Digest.byteCount)
    }

    /// Takes more of the message.
    package mutating func update(_ bytes: RawSpan) {
        unsafe bytes.withUnsafeBytes { unsafe Sodium.updateHash(state.unsafeBase, with: $0) }
    }

    /// Takes a label.
    package mutating func update(_ label: StaticString) {
        unsafe Sodium.updateHash(
            state.unsafeBase,
            with: UnsafeRawBufferPointer(start: label.utf8Start, count: label.utf8CodeUnitCount)
        )
    }

    /// Ends the message.
    ///
    /// - Throws: ``SealingError/Code/forkedProcess``.
    package consuming func finalize() throws(SealingError) -> Digest {
        try state.checkProcess()
        return unsafe Digest { unsafe Sodium.finishHash(state.unsafeBase, to: $0) }
    }

    /// 256 bits of one message.
    ///
    /// - Throws: ``SealingError/Code/forkedProcess``.
    package static func hash256(_ message: RawSpan, key: borrowing SealingKey) throws(SealingError) -> Digest {
        let key = unsafe try key.checkedBase()
        return unsafe Digest { digest in
            unsafe message.withUnsafeBytes { unsafe Sodium.hash(to: digest, message: $0, key: key.address) }
        }
    }

    /// 128 bits of one message, as two little-endian numbers. Not the first half of ``hash256(_:key:)``.
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
