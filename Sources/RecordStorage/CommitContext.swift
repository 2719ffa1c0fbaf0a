// SPDX-License-Identifier: Apache-2.0

/// The information for building a transaction under the writer's lock.
package struct CommitContext: Sendable {
    /// The sequence of every record of this transaction, to be sealed into its boxes.
    package let sequence: UInt64
    /// The key epoch under which boxes must be sealed.
    package let epoch: UInt32
    /// The changes since the last ``RecordStore/refresh(until:)`` or commit, reported only here. Reads within the
    /// transaction return the state after these changes.
    package let changes: StoreChanges
    /// The deadline of the transaction and of reads within it.
    package let deadline: Deadline

    package init(sequence: UInt64, epoch: UInt32, changes: StoreChanges, deadline: Deadline) {
        self.sequence = sequence
        self.epoch = epoch
        self.changes = changes
        self.deadline = deadline
    }
}
