/// What a transaction needs to know while it is being built under the writer's lock.
package struct CommitContext: Sendable {
    /// The sequence that every record of this transaction will bear, to be sealed into its boxes.
    package let sequence: UInt64
    /// The key epoch under which boxes must be sealed.
    package let epoch: UInt32
    /// What changed since the last ``RecordStore/refresh(until:)`` or commit. It is reported here once: the store
    /// now reads as of this moment, and stays so until the transaction ends.
    package let changes: StoreChanges
    /// By when the transaction is to be made, and what it reads is to be read.
    package let deadline: Deadline

    package init(sequence: UInt64, epoch: UInt32, changes: StoreChanges, deadline: Deadline) {
        self.sequence = sequence
        self.epoch = epoch
        self.changes = changes
        self.deadline = deadline
    }
}
