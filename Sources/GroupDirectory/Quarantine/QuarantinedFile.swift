// SPDX-License-Identifier: Apache-2.0

/// A file of bytes that could not be used.
package struct QuarantinedFile: Hashable, Sendable {
    package let name: String
    /// The size without holes.
    package let byteCount: UInt64
    /// When it was quarantined, in seconds since 1970.
    package let seconds: Int64
}
