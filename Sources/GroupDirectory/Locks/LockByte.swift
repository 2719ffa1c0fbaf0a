// SPDX-License-Identifier: Apache-2.0

/// The purpose of a lock: one byte of the file `lock`.
package enum LockByte: Int64, Hashable, Sendable, CaseIterable {
    /// Changing anything in the group.
    case writer = 0
    /// Writing a compacted file beside the one in use.
    case compactor = 1
    /// Changing the keys of the group and the key files that belong to them.
    case keys = 2

    /// The byte held by the next in line for ``writer``, so that a process which releases and retakes the lock
    /// repeatedly does not starve the others.
    static let turnOffset: Int64 = 64

    /// The offset of the holder's process id in the file: 16 bytes of text.
    var holderOffset: UInt64 { UInt64(rawValue) * 16 }
}

/// Whether a lock is exclusive.
package enum LockMode: Hashable, Sendable {
    /// One holder.
    case exclusive
    /// Shared with other holders that only read.
    case shared
}
