/// What a transaction needs to know while it is being built: under the writer's lock, unless it is prepared before.
package struct CommitContext: Sendable {
    /// The sequence that every record of this transaction will bear, to be sealed into its boxes.
    package let sequence: UInt64
    /// The key epoch under which boxes must be sealed.
    package let epoch: UInt32
    /// What changed since the last ``RecordStore/refresh(until:)`` or commit. It is reported here once: the store
    /// now reads as of this moment, and stays so until the transaction ends.
    package let changes: StoreChanges
    /// The state that the store read from before, as ``CommitOutlook/state`` names it: since then no more changed than
    /// ``changes`` says. `nil` where the store does not count its states.
    package let baseState: UInt64?

    package init(sequence: UInt64, epoch: UInt32, changes: StoreChanges, baseState: UInt64? = nil) {
        self.sequence = sequence
        self.epoch = epoch
        self.changes = changes
        self.baseState = baseState
    }
}
