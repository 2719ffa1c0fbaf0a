internal import ByteOperations
package import RecordStorage
package import Sealing
package import UnifiedSchema

/// Opens the records of one partition: the one place that decides what becomes of a record that cannot be read.
///
/// A record that is missing its facts, is damaged or was written by a newer version is answered with a ``RecordFault``, so
/// that it keeps nobody from the others. What concerns more than the record is thrown: a key that is missing, a forked
/// process, a store that does not answer.
package struct PartitionReader: Sendable {
    package let contents: PartitionContents
    package let codec: RecordCodec
    /// Opens the boxes of ``contents``.
    package let sealer: RecordSealer

    /// - Throws: `keyMissing` where the epoch of the boxes was never unlocked.
    package init(_ contents: PartitionContents, codec: RecordCodec) throws(StorageError) {
        self.contents = contents
        self.codec = codec
        sealer = try codec.keyring.sealer(epoch: contents.reader.epoch)
    }

    /// In ascending order of tag.
    @inlinable package var records: [StoredRecord] { contents.records }

    /// Opens the facts of one record.
    ///
    /// - Parameters:
    ///   - index: which of ``records``.
    ///   - decode: reads the bytes of the facts. `damaged` and `unsupportedVersion`, where it throws them, are faults of the record.
    /// - Returns: what `decode` made of it, or the fault of the record.
    /// - Throws: what opening meets that is not about this record, and what `decode` throws of that kind.
    @inlinable package func read<Content>(
        _ index: Int,
        as decode: ([UInt8]) throws(StorageError) -> Content
    ) throws(StorageError) -> RecordReading<Content> {
        guard let box = contents.facts[index] else { return .unreadable(.missing) }
        return try codec.read(box.rawSpan, of: contents.records[index], with: sealer, as: decode)
    }

    /// The facts of the record of an entry.
    package func facts(_ index: Int) throws(StorageError) -> RecordReading<EntryFacts> {
        try read(index, as: RecordCodec.entryFacts)
    }

    /// The sign-in state that a record holds.
    package func signInState(_ index: Int) throws(StorageError) -> RecordReading<SignInRecord> {
        try read(index) { (bytes) throws(StorageError) in try SignInRecord(decoding: bytes) }
    }
}

extension RecordCodec {
    /// Opens a facts box that lies at hand. See ``PartitionReader``, which does this for all records of a partition.
    @inlinable package func read<Content>(
        _ box: RawSpan,
        of record: StoredRecord,
        with sealer: RecordSealer,
        as decode: ([UInt8]) throws(StorageError) -> Content
    ) throws(StorageError) -> RecordReading<Content> {
        do throws(StorageError) {
            return .content(try decode(try openFactsBytes(box, of: record, with: sealer)))
        } catch {
            guard let fault = RecordFault(error) else { throw error }
            return .unreadable(fault)
        }
    }

    /// Fetches and opens the facts of the record of an entry whose partition is not at hand.
    package func facts(
        of record: StoredRecord,
        from reader: any BoxReader
    ) throws(StorageError) -> RecordReading<EntryFacts> {
        let sealer = try keyring.sealer(epoch: reader.epoch)
        do throws(StorageError) {
            return try reader.withBox(at: record.facts) { (box) throws(StorageError) in
                try read(box, of: record, with: sealer, as: RecordCodec.entryFacts)
            }
        } catch {
            guard error.code == .damaged || error.code == .tokenGone else { throw error }
            return .unreadable(.missing)
        }
    }

    /// Reads the facts of an entry.
    package static func entryFacts(_ bytes: [UInt8]) throws(StorageError) -> EntryFacts {
        do throws(SchemaError) {
            return try EntryFacts(decoding: bytes)
        } catch {
            throw StorageError(stored: error)
        }
    }
}
