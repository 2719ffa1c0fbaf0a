// SPDX-License-Identifier: Apache-2.0

/// A record as its store sees it: opaque names, a number that orders its versions, and the locations of its boxes.
package struct StoredRecord: Hashable, Sendable {
    package let tag: RecordTag
    package let kind: RecordKind
    /// The sequence of the transaction that wrote this version. Preserved by compaction, repair and rekeying.
    package let sequence: UInt64
    /// The box that lookups open.
    package let facts: BoxLocation
    /// The box that is opened only to return a token; ``BoxLocation/none`` if the record has no secret.
    package let secret: BoxLocation

    package init(tag: RecordTag, kind: RecordKind, sequence: UInt64, facts: BoxLocation, secret: BoxLocation) {
        self.tag = tag
        self.kind = kind
        self.sequence = sequence
        self.facts = facts
        self.secret = secret
    }
}
