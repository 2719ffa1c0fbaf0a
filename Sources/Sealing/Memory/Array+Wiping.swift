// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// Overwrites the bytes with zeros. An array that shares the storage keeps its bytes.
    package mutating func wipe() {
        unsafe withUnsafeMutableBytes { bytes in
            // SAFETY: the buffer is lent for the call, and written only within its bounds.
            if let base = bytes.baseAddress { unsafe Sodium.wipe(base, byteCount: bytes.count) }
        }
    }
}
