// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupRecords
internal import RecordStorage
internal import TokenCaching
internal import UnifiedSchema

/// Seals the entries that an import writes, and adds them to the transaction.
struct EntryOutput {
    let batch: any BatchWriter
    let codec: RecordCodec
    let context: CommitContext

    /// Writes an entry with its secrets.
    ///
    /// - Parameters:
    ///   - facts: the entry.
    ///   - position: its place in the document.
    ///   - payload: its secrets.
    ///   - address: its address; computed if it is nil.
    /// - Throws: errors of sealing and of the store.
    func put(
        _ facts: EntryFacts,
        position: UInt32,
        payload: RawSpan,
        at address: RecordAddress?
    ) throws(StorageError) {
        try batch.put(codec.seal(facts.placed(at: position), secret: payload, at: address, in: context))
    }

    /// Writes an internal record.
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

    /// Removes an entry that another one replaces.
    func remove(at address: RecordAddress) throws(StorageError) {
        try batch.remove(Removal(tag: address.tag, partition: address.partition, erasesSecret: false))
    }
}
