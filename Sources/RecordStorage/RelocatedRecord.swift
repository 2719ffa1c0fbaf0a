/// A record on its way from one store to another: its boxes as they are, and the number that they were sealed with.
package struct RelocatedRecord: Sendable {
    package let record: NewRecord
    /// The sequence of the transaction that wrote it. It stays the same: the boxes are bound to it.
    package let sequence: UInt64

    package init(_ record: NewRecord, sequence: UInt64) {
        self.record = record
        self.sequence = sequence
    }
}
