internal import GroupDirectory

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
