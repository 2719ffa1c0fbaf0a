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

    func put(_ facts: EntryFacts, payload: RawSpan, at address: RecordAddress?) throws(StorageError) {
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
        try batch.remove(removal(at: address))
    }

    private func removal(at address: RecordAddress) -> Removal {
        Removal(tag: address.tag, partition: address.partition, erasesSecret: false)
    }

    func finish() {}

    // MARK: - Chunks

    /// Seals all of a chunk with one draw of nonces: what it holds does not change any more. On any thread, while another
    /// one puts.
    func seal(_ chunk: EntryChunk) throws(StorageError) {
        let sealer = try codec.keyring.sealer(epoch: context.epoch)
        // They are authenticated with what is sealed, so they are found before nonces are drawn.
        let addresses = try addresses(of: chunk)
        var nonces = sealer.drawNonces(chunk.boxCount)
        var operations: [EntryChunk.Operation] = []
        swap(&operations, &chunk.operations)
        operations.reserveCapacity(addresses.count)
        try chunk.forEach { (number, content, payload) throws(StorageError) in
            let address = addresses[number]
            switch content {
            case .entry(let facts, _):
                let kind = RecordCodec.kind(facts.kind)
                let record = try record(facts.encodedBytes, payload, kind, at: address, sealer, &nonces)
                operations.append(.put(record))
            case .own(let facts, let kind, _):
                operations.append(.put(try record(facts.rawSpan, payload, kind, at: address, sealer, &nonces)))
            case .removed:
                operations.append(.remove(removal(at: address)))
            }
        }
        swap(&operations, &chunk.operations)
    }

    private func addresses(of chunk: EntryChunk) throws(StorageError) -> [RecordAddress] {
        let sealer = try codec.keyring.tagSealer()
        return try chunk.items.map { (item) throws(StorageError) in
            switch item.content {
            case .entry(_, let address?), .own(_, _, let address), .removed(let address): address
            case .entry(let facts, nil): try RecordCodec.address(of: facts, with: sealer)
            }
        }
    }

    /// Puts all of a chunk, sealed first where that was not done.
    func put(_ chunk: EntryChunk) throws(StorageError) {
        if chunk.operations.isEmpty { try seal(chunk) }
        for operation in chunk.operations {
            switch operation {
            case .put(let record): try batch.put(record)
            case .remove(let removal): try batch.remove(removal)
            }
        }
    }

    private func record(
        _ facts: RawSpan,
        _ paddedSecret: RawSpan,
        _ kind: RecordKind,
        at address: RecordAddress,
        _ sealer: RecordSealer,
        _ nonces: inout NonceBatch
    ) throws(StorageError) -> NewRecord {
        var record = try RecordCodec.seal(
            facts: facts,
            paddedSecret: paddedSecret,
            kind: kind,
            at: address,
            in: context,
            sealer: sealer,
            nonces: &nonces
        )
        try batch.prepare(&record)
        return record
    }
}
