// SPDX-License-Identifier: Apache-2.0

// SAFETY: the kernel fills buffers of exactly the type that the call expects, which live until it returns; names are
// C strings for its length.

internal import CLinux
internal import Glibc
package import SystemPackage

extension Syscalls {
    /// The status of an open file or folder.
    package static func status(_ file: FileDescriptor) throws(Errno) -> FileStatus {
        try SyscallFaults.check(.fstat)
        var buffer = stat()
        _ = try once { unsafe linux_status(file.rawValue, &buffer) }
        return FileStatus(buffer)
    }

    /// The status of `name`, without following a link; `nil` if the name does not exist.
    package static func status(of name: String, in folder: FileDescriptor) throws(Errno) -> FileStatus? {
        try SyscallFaults.check(.fstat)
        var buffer = stat()
        do throws(Errno) {
            _ = try once { unsafe fstatat(folder.rawValue, name, &buffer, AT_SYMLINK_NOFOLLOW) }
        } catch {
            if error == .noSuchFileOrDirectory { return nil }
            throw error
        }
        return FileStatus(buffer)
    }

    /// The status of an open file without times, because requesting them makes the next sync of the file more
    /// expensive.
    package static func statusWithoutTimes(_ file: FileDescriptor) throws(Errno) -> FileStatus {
        try SyscallFaults.check(.fstat)
        var buffer = stat()
        _ = try once { unsafe linux_status_without_times(file.rawValue, "", &buffer) }
        return FileStatus(buffer, hasTimes: false)
    }

    /// The status of `name` without times, because requesting them makes the next sync of the file, and on ext4 of
    /// neighbouring files, more expensive.
    package static func statusWithoutTimes(
        of name: String,
        in folder: FileDescriptor
    ) throws(Errno) -> FileStatus? {
        try SyscallFaults.check(.fstat)
        var buffer = stat()
        do throws(Errno) {
            _ = try once { unsafe linux_status_without_times(folder.rawValue, name, &buffer) }
        } catch {
            if error == .noSuchFileOrDirectory { return nil }
            throw error
        }
        return FileStatus(buffer, hasTimes: false)
    }

    /// What tells a folder from its copies, as text: its number in the file system, and when it was made.
    package static func identity(ofFolder folder: FileDescriptor) throws(Errno) -> String {
        var (inode, birth): (UInt64, UInt64) = (0, 0)
        _ = try once { unsafe linux_folder_identity(folder.rawValue, &inode, &birth) }
        return "\(inode).\(birth)"
    }

    /// The free space and the number of further files for this user on the file system of `file`, regardless of quotas.
    /// The number of files is `nil` if the file system does not limit it.
    package static func freeSpace(of file: FileDescriptor) throws(Errno) -> (byteCount: UInt64, fileCount: UInt64?) {
        var room = statvfs()
        _ = try retrying { unsafe fstatvfs(file.rawValue, &room) }
        let bytes = UInt64(room.f_bavail).multipliedReportingOverflow(by: UInt64(room.f_frsize))
        return (bytes.overflow ? .max : bytes.partialValue, room.f_files == 0 ? nil : UInt64(room.f_favail))
    }

    /// The type of the file system of `file`, and whether it is mounted read-only.
    package static func fileSystem(of file: FileDescriptor) throws(Errno) -> (magic: UInt32, isReadOnly: Bool) {
        var magic: UInt32 = 0
        var isReadOnly: Int32 = 0
        _ = try retrying { unsafe linux_file_system(file.rawValue, &magic, &isReadOnly) }
        return (magic, isReadOnly != 0)
    }
}
