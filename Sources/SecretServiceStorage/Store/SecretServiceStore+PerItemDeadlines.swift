internal import RecordStorage

extension SecretServiceStore {
    /// Makes the changes, in the time that ``PerItemDeadlines`` gives them. The caller holds the writer's lock.
    ///
    /// - Throws: ``StorageError/Code/indeterminate`` where some were made, or may have been.
    func perform(_ writing: KeyringWriting, until deadline: Deadline) throws(StorageError) {
        let perItemDeadlines = PerItemDeadlines(until: deadline)
        var start = 0
        while start < writing.writes.count {
            let end = start == 0 ? min(PerItemDeadlines.usualItemCount, writing.writes.count) : start + 1
            let part = KeyringWriting(writes: Array(writing.writes[start..<end]))
            do throws(StorageError) {
                try items.run(until: perItemDeadlines.deadline(ofItem: start), needsKeyItem: true) {
                    calls throws(SecretServiceError) in
                    try part.perform(calls)
                }
            } catch {
                if start == 0 { throw error }
                throw StorageError(.indeterminate, detail: error.detail ?? "some items were written and others not")
            }
            start = end
        }
    }
}
