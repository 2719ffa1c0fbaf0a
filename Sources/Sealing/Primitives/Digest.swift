// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations

// SAFETY: all loads and stores stay within the 32 bytes of `storage`.

/// A keyed hash of 256 bits, compared in constant time.
package struct Digest: Sendable {
    /// The number of bytes.
    package static let byteCount = 32

    private var storage: InlineArray<4, UInt64> = .init(repeating: 0)

    /// Creates a digest from 32 bytes; `nil` for any other length.
    package init?(_ bytes: RawSpan) {
        guard bytes.byteCount == Self.byteCount else { return nil }
        for index in 0..<4 {
            storage[index] = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index * 8, as: UInt64.self)
        }
    }

    @unsafe init(filledBy body: (UnsafeMutableRawBufferPointer) -> Void) {
        unsafe withUnsafeMutableBytes(of: &storage) { unsafe body($0) }
    }

    /// The 32 bytes.
    package var bytes: [UInt8] {
        var copy = storage
        return unsafe withUnsafeBytes(of: &copy) { unsafe Array($0) }
    }
}

extension Digest: Equatable {
    package static func == (left: Digest, right: Digest) -> Bool {
        var difference: UInt64 = 0
        for index in 0..<4 { difference |= left.storage[index] ^ right.storage[index] }
        return difference == 0
    }
}

// SAFETY: both buffers are lent for one call; the digest has the 32 bytes that libsodium writes.

/// SHA-256 of possibly secret input, which it does not copy. Other SDKs write such hashes into entries.
package enum SHA256Digest {
    /// The 32 bytes of the hash.
    package static func of(_ message: RawSpan) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        unsafe digest.withUnsafeMutableBytes { output in
            unsafe message.withUnsafeBytes { unsafe Sodium.sha256($0, to: output) }
        }
        return digest
    }

    /// The hash of a text that is not secret, as 64 hexadecimal digits.
    package static func hexadecimal(of text: String) -> String {
        Hexadecimal.text(of(Array(text.utf8).rawSpan))
    }
}
