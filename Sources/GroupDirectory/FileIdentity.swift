/// Tells whether a name still means the same file in the same state, without reading a clock or the file: without its time,
/// the same file of the same length. One with a time never equals one without.
package struct FileIdentity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64
    /// Bytes.
    package let size: UInt64
    /// When the system last changed anything about the file; `nil` where that was not asked for. Compare for being unequal
    /// only.
    package let changeTime: ChangeTime?

    package struct ChangeTime: Hashable, Sendable {
        let seconds: Int64
        let nanoseconds: Int64
    }

    /// Without the time.
    package var withoutTime: FileIdentity {
        FileIdentity(device: device, inode: inode, size: size, changeTime: nil)
    }

    /// Whether both mean the same file, in whatever state.
    package func isSameFile(as other: FileIdentity) -> Bool {
        device == other.device && inode == other.inode
    }
}

/// What a file of the group is opened for.
package enum FileMode: Hashable, Sendable {
    case reading
    case readingAndWriting
    /// Must not exist. Created with mode 0600, whatever the umask.
    case creating
    /// Created empty, with mode 0600, where it does not exist.
    case openingOrCreating
}
