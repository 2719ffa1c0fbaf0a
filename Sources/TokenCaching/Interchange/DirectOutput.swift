internal import RecordStorage
internal import UnifiedSchema

/// Seals each entry as it comes and puts it into the transaction.
final class DirectOutput: EntryOutput {
    private let codec: RecordCodec
    private let context: CommitContext
    private let batch: any BatchWriter

    init(_ batch: any BatchWriter, codec: RecordCodec, context: CommitContext) {
        self.batch = batch
        self.codec = codec
        self.context = context
    }

    func put(_ facts: EntryFacts, payload: RawSpan, at address: RecordAddress) throws(StorageError) {
        try batch.put(codec.seal(facts, secret: payload, at: address, in: context))
    }

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

    func remove(at address: RecordAddress) throws(StorageError) {
        try batch.remove(Removal(tag: address.tag, partition: address.partition, erasesSecret: false))
    }

    func finish() {}
}
