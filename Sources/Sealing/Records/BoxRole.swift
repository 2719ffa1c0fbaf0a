// SPDX-License-Identifier: Apache-2.0

/// Identifies one of the two boxes of a record.
package enum BoxRole: UInt8, Sendable, CaseIterable {
    /// Everything except the secrets; opened for lookups and lists.
    case facts = 1
    /// The secrets; opened only to return a token.
    case secret = 2

    /// The bucket size in bytes; the plaintext is padded to a multiple of it.
    package var bucketByteCount: Int {
        switch self {
        case .facts: 32
        case .secret: 256
        }
    }
}
