/// What a transaction needs to know while it is being built under the writer's lock.
package struct CommitContext: Sendable {
    /// The sequence that every record of this transaction will bear, to be sealed into its boxes.
    package let sequence: UInt64
    /// The key epoch under which boxes must be sealed.
    package let epoch: UInt32
    /// What changed since the last ``RecordStore/refresh(until:)`` or commit. It is reported here once: the store
    /// now reads as of this moment, and stays so until the transaction ends.
    package let changes: StoreChanges

    package init(sequence: UInt64, epoch: UInt32, changes: StoreChanges) {
        self.sequence = sequence
        self.epoch = epoch
        self.changes = changes
    }
}
