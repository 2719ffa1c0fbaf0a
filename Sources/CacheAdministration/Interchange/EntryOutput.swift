internal import ByteOperations
internal import GroupRecords
internal import RecordStorage
internal import TokenCaching
internal import UnifiedSchema

/// Seals the entries that an import decided to write, and puts them into the transaction.
struct EntryOutput {
    private let codec: RecordCodec
    private let context: CommitContext
    private let batch: any BatchWriter

    init(_ batch: any BatchWriter, codec: RecordCodec, context: CommitContext) {
        self.batch = batch
        self.codec = codec
        self.context = context
    }

    /// Writes an entry with its secrets. Its address is found here where nobody had to know it yet.
    func put(_ facts: EntryFacts, payload: RawSpan, at address: RecordAddress?) throws(StorageError) {
        try batch.put(codec.seal(facts, secret: payload, at: address, in: context))
    }

    /// Writes one of the engine's own records.
    func put(_ facts: [UInt8], kind: RecordKind, at address: RecordAddress) throws(StorageError) {
        let record = try codec.seal(
            facts: facts.rawSpan,
            secret: RawSpan(),
            kind: kind,
            at: address,
            in: context
        )
        try batch.put(record)
    }

    /// Removes an entry that another one takes the place of.
    func remove(at address: RecordAddress) throws(StorageError) {
        try batch.remove(Removal(tag: address.tag, partition: address.partition, erasesSecret: false))
    }
}
