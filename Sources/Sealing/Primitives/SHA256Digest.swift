// SPDX-License-Identifier: Apache-2.0

// SAFETY: both buffers are lent for one call; the digest has the 32 bytes that libsodium writes.

internal import ByteOperations

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
