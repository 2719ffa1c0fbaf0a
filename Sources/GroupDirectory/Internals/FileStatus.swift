// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The status of a file or folder, as the file system reports it.
package struct FileStatus: Hashable, Sendable {
    package let identity: FileIdentity
    /// Type and permission bits.
    package let mode: UInt32
    package let owner: UInt32
    /// The number of hard links.
    package let linkCount: UInt64
    /// The number of allocated bytes on the disk.
    package let allocatedByteCount: UInt64
    /// The modification time in seconds since 1970, for display only; `nil` if not requested.
    package let modifiedSeconds: Int64?

    init(_ buffer: stat, hasTimes: Bool = true) {
        identity = FileIdentity(
            device: UInt64(buffer.st_dev),
            inode: UInt64(buffer.st_ino),
            size: UInt64(buffer.st_size),
            changeTime: hasTimes
                ? FileIdentity.ChangeTime(
                    seconds: Int64(buffer.st_ctim.tv_sec),
                    nanoseconds: Int64(buffer.st_ctim.tv_nsec)
                ) : nil
        )
        mode = buffer.st_mode
        owner = buffer.st_uid
        linkCount = UInt64(buffer.st_nlink)
        allocatedByteCount = UInt64(buffer.st_blocks) * 512
        modifiedSeconds = hasTimes ? Int64(buffer.st_mtim.tv_sec) : nil
    }

    package var permissions: UInt32 { mode & 0o7777 }
    package var isRegularFile: Bool { mode & S_IFMT == S_IFREG }
    package var isFolder: Bool { mode & S_IFMT == S_IFDIR }
    package var isLink: Bool { mode & S_IFMT == S_IFLNK }

    /// The type as text for error messages.
    package var typeName: String {
        switch mode & S_IFMT {
        case S_IFREG: "a file"
        case S_IFDIR: "a folder"
        case S_IFLNK: "a symbolic link"
        case S_IFIFO: "a FIFO"
        case S_IFSOCK: "a socket"
        default: "a device"
        }
    }
}
