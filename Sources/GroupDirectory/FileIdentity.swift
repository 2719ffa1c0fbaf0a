// SPDX-License-Identifier: Apache-2.0

/// Detects whether a name still means the same file in the same state, without reading a clock or the file. Without its
/// change time, it compares only the file and its length. An identity with a time never equals one without.
package struct FileIdentity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64
    /// The size in bytes.
    package let size: UInt64
    /// When the system last changed anything about the file; `nil` if it was not asked for. Compare it only for
    /// inequality.
    package let changeTime: ChangeTime?

    package struct ChangeTime: Hashable, Sendable {
        let seconds: Int64
        let nanoseconds: Int64
    }

    /// Without the time.
    package var withoutTime: FileIdentity {
        FileIdentity(device: device, inode: inode, size: size, changeTime: nil)
    }

    /// Whether both are the same file, in any state.
    package func isSameFile(as other: FileIdentity) -> Bool {
        device == other.device && inode == other.inode
    }
}

/// How a file of the group is opened.
package enum FileMode: Hashable, Sendable {
    case reading
    case readingAndWriting
    /// The file must not exist. It is created with mode 0600, regardless of the umask.
    case creating
    /// If the file does not exist, it is created empty, with mode 0600.
    case openingOrCreating
}
