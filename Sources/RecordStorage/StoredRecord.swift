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

/// The location of a sealed box in a store. Only the ``BoxReader`` returned with it can read it.
package struct BoxLocation: Hashable, Sendable {
    /// The position, as defined by the store: in the file, the byte offset.
    package let offset: UInt64
    /// The length of the sealed box in bytes; 0 for a missing box.
    package let length: UInt32

    package init(offset: UInt64, length: UInt32) {
        self.offset = offset
        self.length = length
    }

    /// The location of a missing box.
    package static let none = BoxLocation(offset: 0, length: 0)
}
