internal import ByteOperations
internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import UnifiedSchema

/// The facts of an entry as they lie in a store, to be opened by whoever needs them.
struct SealedFacts: Sendable {
    let box: [UInt8]
    let codec: RecordCodec
    let sealer: RecordSealer

    /// - Throws: `damaged` where the box does not verify or is not of this record, `forkedProcess`.
    func opened(of record: StoredRecord) throws(StorageError) -> EntryFacts {
        try RecordCodec.entryFacts(codec.openFactsBytes(box.rawSpan, of: record, with: sealer))
    }
}
