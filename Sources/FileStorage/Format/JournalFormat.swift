// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory

/// The constants of the journal format; `Documentation/Formats/Journal.md` explains them.
enum JournalFormat {
    /// The name of the file in the group's folder.
    static let fileName = "journal"
    static let major: UInt16 = 2
    /// The version without trailers, which is read, and converted by the first write.
    static let olderMajor: UInt16 = 1
    static let minor: UInt16 = 0
    static let suite: UInt8 = 1
    /// The alignment and size of the header and its copy, and the alignment of the frames.
    static let pageByteCount = 4096
    /// The offset of the first secret box: what damages the header does not damage a box, and the other way round.
    static let boxesOffset: UInt64 = 16 << 10
    /// The smallest offset of the copy of the header: damage to the start of the file must not reach it.
    static let smallestCopyOffset: UInt64 = 64 << 10
    /// A transaction whose boxes are larger than this is written as a new snapshot.
    static let largestFrameByteCount = 4 << 20
    /// The maximum length of a frame. A transaction that would need a longer one is written as a new snapshot.
    static let longestFrameByteCount = 64 << 20
    /// The maximum length of the tail after the last frame: a torn frame and preallocated space.
    static let longestTailByteCount = UInt64(longestFrameByteCount) + (2 << 20)
    /// The maximum number of operations in a frame; a larger transaction is written as a new snapshot.
    static let largestOperationCount = 16_384
    /// A transaction that changes more partitions than this is usually written as a new snapshot, so that damage to a
    /// list of records costs the records of one partition.
    static let largestFramePartitionCount = 8
    /// The space preallocated after the last frame so that removals succeed on a full disk.
    static let preallocatedByteCount: UInt64 = 64 << 10
    /// The limit below which sequences, offsets and byte counts must stay, so that their sums do not overflow.
    static let largestNumber: UInt64 = 1 << 62
    /// The maximum length of a box.
    static let largestBoxByteCount = 16 << 20
}

extension FixedWidthInteger {
    /// The next multiple of `step`, which is a power of two.
    @inline(always)
    func roundedUp(to step: Self) -> Self { (self + step - 1) & ~(step - 1) }
}

/// Identifies one journal file. The id is random and changes whenever the journal is rewritten.
package struct JournalID: Hashable, Sendable {
    package let first: UInt64
    package let second: UInt64

    package init(first: UInt64, second: UInt64) {
        self.first = first
        self.second = second
    }

    /// A random id.
    static func random() -> JournalID {
        JournalID(first: Syscalls.random(), second: Syscalls.random())
    }
}
