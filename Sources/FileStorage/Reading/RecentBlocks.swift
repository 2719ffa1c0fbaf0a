internal import RecordStorage
internal import Synchronization

/// The blocks of a snapshot that transactions read last: each save reads that of the group, and many that of the same
/// account again.
///
/// The head of a block was verified when it was opened, boxes are whenever they are opened. No store overwrites a block in
/// its file; whoever does so from outside is noticed by the last transaction.
final class RecentBlocks: Sendable {
    /// Blocks at most.
    private static let capacity = 4
    /// Longer ones are read each time.
    private static let largestByteCount = 16 << 10

    /// The one used last comes last.
    private let blocks = Mutex<[PartitionBlock]>([])

    /// The block at an offset of the file, if it is kept.
    func block(at offset: UInt64) -> PartitionBlock? {
        blocks.withLock { blocks in
            guard let index = blocks.lastIndex(where: { $0.offset == offset }) else { return nil }
            if index < blocks.count - 1 { blocks.append(blocks.remove(at: index)) }
            return blocks.last
        }
    }

    /// Keeps a block that was opened.
    func keep(_ block: PartitionBlock) {
        guard block.byteCount <= Self.largestByteCount else { return }
        blocks.withLock { blocks in
            guard !blocks.contains(where: { $0.offset == block.offset }) else { return }
            if blocks.count == Self.capacity { blocks.removeFirst() }
            blocks.append(block)
        }
    }

    func forget() {
        blocks.withLock { $0 = [] }
    }
}
