/// What a transaction will find, as far as it can be told while another process holds the writer's lock.
package struct CommitOutlook: Sendable {
    /// The sequence that it will bear, unless another one comes first.
    package let sequence: UInt64
    /// The key epoch, unless the keys are replaced first.
    package let epoch: UInt32
    /// Names the state that the store reads from now. Whenever that changes it gets another name.
    package let state: UInt64

    package init(sequence: UInt64, epoch: UInt32, state: UInt64) {
        self.sequence = sequence
        self.epoch = epoch
        self.state = state
    }
}
