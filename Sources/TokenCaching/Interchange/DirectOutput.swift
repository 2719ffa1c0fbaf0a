internal import RecordStorage
internal import Sealing
internal import UnifiedSchema

/// Seals entries, one as it comes or a whole chunk, and puts them into the transaction.
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

    /// Seals all of a chunk with one draw of nonces: what it holds does not change any more.
    func put(_ chunk: EntryChunk) throws(StorageError) {
        let sealer = try codec.keyring.sealer(epoch: context.epoch)
        var nonces = sealer.drawNonces(chunk.boxCount)
        try chunk.forEach { (item, payload) throws(StorageError) in
            switch item.facts {
            case .entry(let facts):
                let kind = RecordCodec.kind(facts.kind)
                try put(facts.encodedBytes, payload, kind, at: item.address, sealer, &nonces)
            case .own(let facts, let kind):
                try put(facts.rawSpan, payload, kind, at: item.address, sealer, &nonces)
            case .removed:
                try remove(at: item.address)
            }
        }
    }

    private func put(
        _ facts: RawSpan,
        _ paddedSecret: RawSpan,
        _ kind: RecordKind,
        at address: RecordAddress,
        _ sealer: RecordSealer,
        _ nonces: inout NonceBatch
    ) throws(StorageError) {
        let record = try RecordCodec.seal(
            facts: facts,
            paddedSecret: paddedSecret,
            kind: kind,
            at: address,
            in: context,
            sealer: sealer,
            nonces: &nonces
        )
        try batch.put(record)
    }

    func finish() {}
}
