// SPDX-License-Identifier: Apache-2.0

/// A record to remove. Removing a record that does not exist is not an error.
package struct Removal: Hashable, Sendable {
    package let tag: RecordTag
    package let partition: PartitionTag
    /// True if the user requested the removal (sign-out, wipe, clear), in which case the sealed secret is overwritten.
    /// False for an ordinary replacement, whose dead bytes stay until compaction.
    package let erasesSecret: Bool

    package init(tag: RecordTag, partition: PartitionTag, erasesSecret: Bool) {
        self.tag = tag
        self.partition = partition
        self.erasesSecret = erasesSecret
    }
}

/// The extent of a removal requested by the user. Records store its raw value.
package enum RemovalScope: UInt8, Sendable, CaseIterable {
    /// Some entries, usually those of one client for one account. Also deletes files left by killed writers.
    case signOut = 1
    /// All entries of one account, of every client. Also empties the quarantine, which may contain some of them.
    case account = 2
    /// The whole group.
    case group = 3
}

extension RemovalScope: Comparable {
    package static func < (left: RemovalScope, right: RemovalScope) -> Bool {
        left.rawValue < right.rawValue
    }
}
