internal import RecordStorage
internal import UnifiedSchema

/// Takes the entries that an import decided to write, in order.
protocol EntryOutput: AnyObject {
    /// Writes an entry with its secrets. Where nobody had to know its address yet it is found now, or later.
    func put(_ facts: EntryFacts, payload: RawSpan, at address: RecordAddress?) throws(StorageError)

    /// Writes one of the engine's own records.
    func put(_ facts: [UInt8], kind: RecordKind, at address: RecordAddress) throws(StorageError)

    /// Removes an entry that another one takes the place of.
    func remove(at address: RecordAddress) throws(StorageError)

    /// All is put. Returns once it is in the transaction.
    func finish() throws(StorageError)
}
