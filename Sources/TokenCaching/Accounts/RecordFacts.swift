// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage

/// The records of one partition, whose facts can be decoded.
protocol RecordFacts {
    /// In ascending order of tag.
    var records: [StoredRecord] { get }

    /// Decodes the facts of one record.
    ///
    /// - Parameters:
    ///   - index: an index in ``records``.
    ///   - decode: decodes the plaintext. If it throws `damaged` or `unsupportedVersion`, the fault is the record's.
    /// - Returns: the result of `decode`, or the fault of the record.
    /// - Throws: errors that do not concern only this record.
    func read<Content>(
        _ index: Int,
        as decode: ([UInt8]) throws(StorageError) -> Content
    ) throws(StorageError) -> RecordReading<Content>
}

extension PartitionReader: RecordFacts {}
