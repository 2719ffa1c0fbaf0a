// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// A record as a journal stores it, without its boxes.
struct JournalRecord: Sendable {
    var stored: StoredRecord
    var factsHash: BoxHash
    var secretHash: BoxHash
    var searchTags: [SearchTag]

    /// The number of bytes in the file that become dead when this record is replaced or removed.
    var byteCount: UInt64 {
        UInt64(stored.facts.length) + UInt64(stored.secret.length) + UInt64(BlockHead.rowByteCount)
    }
}
