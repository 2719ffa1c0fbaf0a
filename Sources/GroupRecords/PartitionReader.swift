// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
package import RecordStorage
package import Sealing
package import UnifiedSchema

/// Opens the records of one partition. This is the only place that decides how to treat a record that cannot be read.
///
/// A record whose facts are missing, damaged or written by a newer version yields a ``RecordFault``, so that the other
/// records remain readable. Problems that concern more than the record are thrown: a missing key, a forked process, a
/// store that does not answer.
package struct PartitionReader: Sendable {
    package let contents: PartitionContents
    package let codec: RecordCodec
    /// Opens the boxes of ``contents``.
    package let sealer: RecordSealer

    /// - Throws: `keyMissing` if the epoch of the boxes was never unlocked.
    package init(_ contents: PartitionContents, codec: RecordCodec) throws(StorageError) {
        self.contents = contents
        self.codec = codec
        sealer = try codec.unlockedKeys.sealer(epoch: contents.reader.epoch)
    }

    /// In ascending order of tag.
    @inlinable package var records: [StoredRecord] { contents.records }

    /// Opens the facts of one record.
    ///
    /// - Parameters:
    ///   - index: an index in ``records``.
    ///   - decode: decodes the plaintext of the facts. If it throws `damaged` or `unsupportedVersion`, the fault is the
    ///     record's.
    /// - Returns: the result of `decode`, or the fault of the record.
    /// - Throws: errors that do not concern only this record, from opening it or from `decode`.
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

    /// The sign-in state in a record.
    package func signInState(_ index: Int) throws(StorageError) -> RecordReading<SignInRecord> {
        try read(index) { (bytes) throws(StorageError) in try SignInRecord(decoding: bytes) }
    }

    /// The note of a sign-in in a record.
    package func interaction(_ index: Int) throws(StorageError) -> RecordReading<InteractionNote> {
        try read(index) { (bytes) throws(StorageError) in try InteractionNote(decoding: bytes) }
    }
}

extension RecordCodec {
    /// Opens a facts box that was already fetched. ``PartitionReader`` does this for all records of a partition.
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

    /// Fetches and opens the facts of an entry's record whose partition was not read.
    package func facts(
        of record: StoredRecord,
        from reader: any BoxReader
    ) throws(StorageError) -> RecordReading<EntryFacts> {
        let sealer = try unlockedKeys.sealer(epoch: reader.epoch)
        do throws(StorageError) {
            return try reader.withBox(at: record.facts) { (box) throws(StorageError) in
                try read(box, of: record, with: sealer, as: RecordCodec.entryFacts)
            }
        } catch {
            guard error.code == .damaged || error.code == .tokenGone else { throw error }
            return .unreadable(.missing)
        }
    }

    /// Decodes the facts of an entry.
    package static func entryFacts(_ bytes: [UInt8]) throws(StorageError) -> EntryFacts {
        try decoding(try EntryFacts(decoding: bytes))
    }
}
