// SPDX-License-Identifier: Apache-2.0

/// Identifies one of the two boxes of a record.
package enum BoxRole: UInt8, Sendable, CaseIterable {
    /// Everything except the secrets: opened for lookups and lists.
    case facts = 1
    /// The secrets: opened only when a token is handed out.
    case secret = 2

    /// The plaintext is padded to a multiple of this many bytes.
    package var bucketByteCount: Int {
        switch self {
        case .facts: 32
        case .secret: 256
        }
    }
}
