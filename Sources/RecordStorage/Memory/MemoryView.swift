/// What a handle knows of a group: one of its states.
struct MemoryView: Sendable {
    var sequence: UInt64
    var epoch: UInt32
    var image: MemoryImage
    /// What is different from the state that was known before.
    var changes: StoreChanges
}
