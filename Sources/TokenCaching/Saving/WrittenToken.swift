// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// One version of a record that contains a token.
struct WrittenToken: Hashable, Sendable {
    let partition: PartitionTag
    let tag: RecordTag
    let sequence: UInt64
}

extension StoredRecord {
    /// Whether this record, of the token's partition, is the version that contains the token.
    func holds(_ token: WrittenToken) -> Bool { tag == token.tag && sequence == token.sequence }
}

extension PartitionFacts {
    /// The index of the row of this version; nil if the record was replaced or removed.
    func index(of written: WrittenToken) -> Int? {
        guard partition == written.partition else { return nil }
        return rows.indices.first { rows[$0].tag == written.tag && rows[$0].sequence == written.sequence }
    }
}
