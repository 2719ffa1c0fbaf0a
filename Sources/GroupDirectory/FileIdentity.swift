/// Tells whether a name still means the same file in the same state, without reading a clock or the file.
package struct FileIdentity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64
    /// Bytes.
    package let size: UInt64
    /// When the system last changed anything about the file. Compare for being unequal only.
    package let changeSeconds: Int64
    package let changeNanoseconds: Int64

    package init(device: UInt64, inode: UInt64, size: UInt64, changeSeconds: Int64, changeNanoseconds: Int64) {
        self.device = device
        self.inode = inode
        self.size = size
        self.changeSeconds = changeSeconds
        self.changeNanoseconds = changeNanoseconds
    }

    /// Whether both mean the same file, in whatever state.
    package func isSameFile(as other: FileIdentity) -> Bool {
        device == other.device && inode == other.inode
    }
}
