internal import GroupDirectory

/// The constants of the journal; `Documentation/Formats/Journal.md` says what they mean.
enum JournalFormat {
    /// Name of the file in the folder of the group.
    static let fileName = "journal"
    static let major: UInt16 = 1
    static let minor: UInt16 = 0
    static let suite: UInt8 = 1
    /// Everything starts at a multiple of this.
    static let alignment = 8
    /// Unit of the header, of its copy, and of where the frames start.
    static let pageByteCount = 4096
    /// A transaction with more bytes than this is written as a new snapshot.
    static let largestFrameByteCount = 4 << 20
    /// No frame is longer: a transaction that would need one is written as a new snapshot.
    static let longestFrameByteCount = 64 << 20
    /// More can never stand behind the last frame: one that is torn, and room.
    static let longestTailByteCount = UInt64(longestFrameByteCount) + (2 << 20)
    /// Operations of one frame; more than that are written as a new snapshot.
    static let largestOperationCount = 16_384
    /// Kept free behind the end for removals on a full disk.
    static let preallocatedByteCount: UInt64 = 64 << 10
    /// Sequences, places and counts of bytes are below this, so that sums of them are numbers.
    static let largestNumber: UInt64 = 1 << 62
    /// Boxes longer than this are refused.
    static let largestBoxByteCount = 16 << 20
}

extension FixedWidthInteger {
    /// The next multiple of `step`, which is a power of two.
    @inline(always)
    func roundedUp(to step: Self) -> Self { (self + step - 1) & ~(step - 1) }
}

/// Names one journal file: random, new whenever a journal is written anew.
package struct JournalID: Hashable, Sendable {
    package let first: UInt64
    package let second: UInt64

    package init(first: UInt64, second: UInt64) {
        self.first = first
        self.second = second
    }

    /// A random one.
    static func random() -> JournalID {
        JournalID(first: Syscalls.random(), second: Syscalls.random())
    }
}
