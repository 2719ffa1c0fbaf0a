// SPDX-License-Identifier: Apache-2.0

/// The purpose of a lock: one byte of the file `lock`.
package enum LockByte: Int64, Hashable, Sendable, CaseIterable {
    /// Changing the group.
    case writer = 0
    /// Writing a compacted file beside the current one.
    case compactor = 1
    /// Changing the keys of the group and their key files.
    case keys = 2

    /// The offset from a lock to its turn byte, which the next process in line holds, so that one which repeatedly
    /// releases and retakes the lock does not starve the others.
    static let turnOffset: Int64 = 64

    /// The offset of the holder's process id in the file: 16 bytes of text.
    var holderOffset: UInt64 { UInt64(rawValue) * 16 }
}

/// Whether a lock is exclusive.
package enum LockMode: Hashable, Sendable {
    /// A single holder.
    case exclusive
    /// Any number of holders, which only read.
    case shared
}
