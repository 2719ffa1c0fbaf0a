// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// One operation of a transaction, as stored in the head of its frame.
enum FrameOperation: Sendable {
    case put(Put)
    case remove(Remove)
    case removeAll

    /// Adds or replaces a record. Its boxes follow in the frame, in the order of the operations.
    struct Put: Sendable {
        var tag: RecordTag
        var partition: PartitionTag
        var kind: RecordKind
        var factsByteCount: UInt32
        var secretByteCount: UInt32
        var factsHash: BoxHash
        var secretHash: BoxHash
        var searchTags: [SearchTag]
    }

    /// Removes a record.
    struct Remove: Sendable {
        var tag: RecordTag
        var partition: PartitionTag
        var erasesSecret: Bool
        /// The secret boxes to overwrite with zeros.
        var locations: [BoxLocation]
    }

    enum Code: UInt8 {
        case put = 1
        case remove = 2
        case removeAll = 3
    }
}
