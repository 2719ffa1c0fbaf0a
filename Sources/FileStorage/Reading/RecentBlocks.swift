// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import Synchronization

/// The blocks that were opened last, without their facts: a save and a lookup after another process's change read the
/// partitions of one account and of the group again and again, and a block never changes.
final class RecentBlocks: Sendable {
    /// The greatest number of blocks, and of records in each, so that little memory is taken.
    private static let (limit, recordLimit) = (4, 32)

    /// The last one opened is the last.
    private let blocks = Mutex<[PartitionBlock]>([])

    /// The block at a file offset; `nil` if it was not opened lately.
    func block(at offset: UInt64) -> PartitionBlock? {
        blocks.withLock { $0.first { $0.offset == offset } }
    }

    func keep(_ block: PartitionBlock) {
        guard block.records.count <= Self.recordLimit else { return }
        blocks.withLock { blocks in
            if blocks.count == Self.limit { blocks.removeFirst() }
            blocks.append(block.withoutFacts)
        }
    }
}
