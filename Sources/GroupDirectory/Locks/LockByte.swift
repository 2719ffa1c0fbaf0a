/// What a lock protects: one byte of the file `lock`.
package enum LockByte: Int64, Hashable, Sendable, CaseIterable {
    /// Changing anything in the group.
    case writer = 0
    /// Writing a compacted file beside the one in use.
    case compactor = 1
    /// Changing the keys of the group and the key files that belong to them.
    case keys = 2

    /// Held on the way to ``writer`` by the next in turn, so that one who releases and takes it again and again
    /// does not shut out the others.
    static let turnOffset: Int64 = 64

    /// Where the process id of the holder stands in the file: 16 bytes of text.
    var holderOffset: UInt64 { UInt64(rawValue) * 16 }
}

/// How a lock is held.
package enum LockMode: Hashable, Sendable {
    /// Alone.
    case exclusive
    /// Together with others who only read.
    case shared
}
