internal import RecordStorage

/// All that a journal knows of one record.
struct JournalRecord: Sendable {
    var stored: StoredRecord
    var factsHash: BoxHash
    var secretHash: BoxHash
    var searchTags: [SearchTag]

    /// What becomes dead in the file when this record is replaced or removed.
    var byteCount: UInt64 {
        UInt64(stored.facts.length) + UInt64(stored.secret.length) + UInt64(BlockHead.rowByteCount)
    }
}
