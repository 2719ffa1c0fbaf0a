internal import RecordStorage

/// The time that a service has for a transaction of many items.
///
/// A sign-in changes a few, and is done by the deadline. An import of hundreds of accounts changes as many items, for each
/// of which some services write their whole file: there each item beyond the first eight gets as much time again, so that a
/// service that hangs is noticed as soon as ever and one that works may go on.
extension SecretServiceStore {
    private static let usualItemCount = 8

    /// Makes the changes. The caller holds the writer's lock.
    ///
    /// - Throws: ``StorageError/Code/indeterminate`` where some were made, or may have been.
    func perform(_ writing: KeyringWriting, until deadline: Deadline) throws(StorageError) {
        let patience = max(deadline.remaining, .seconds(1))
        var deadline = deadline
        var start = 0
        while start < writing.writes.count {
            let end = start == 0 ? min(Self.usualItemCount, writing.writes.count) : start + 1
            let part = KeyringWriting(writes: Array(writing.writes[start..<end]))
            do throws(StorageError) {
                try items.run(until: deadline, needsKeyItem: true) { calls throws(SecretServiceError) in
                    try part.perform(calls)
                }
            } catch {
                if start == 0 { throw error }
                throw StorageError(.indeterminate, detail: error.detail ?? "some items were written and others not")
            }
            deadline = .after(patience)
            start = end
        }
    }

    /// The contents of a partition now, for the `index`th of those that a transaction changes.
    func load(
        _ tag: PartitionTag,
        number index: Int,
        until deadline: Deadline
    ) throws(StorageError) -> KeyringPartition? {
        try load(tag, until: index < Self.usualItemCount ? deadline : .standard, toChangeIt: true)
    }
}
