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

    /// The status of `name`, without following a link; `nil` if nothing has this name.
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

    /// The same without times, because asking for them makes the next sync of the file more expensive.
    package static func statusWithoutTimes(_ file: FileDescriptor) throws(Errno) -> FileStatus {
        try SyscallFaults.check(.fstat)
        var buffer = stat()
        _ = try once { unsafe linux_status_without_times(file.rawValue, "", &buffer) }
        return FileStatus(buffer, hasTimes: false)
    }

    /// The same without times, because asking for them makes the next sync of the file, and on ext4 of neighbouring
    /// files, more expensive.
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

    /// The space that this user can still use on the file system that `file` is on, and the number of new files; both
    /// without regard to quotas. `nil` files if the file system does not limit them.
    package static func freeSpace(of file: FileDescriptor) throws(Errno) -> (byteCount: UInt64, fileCount: UInt64?) {
        var room = statvfs()
        _ = try retrying { unsafe fstatvfs(file.rawValue, &room) }
        let bytes = UInt64(room.f_bavail).multipliedReportingOverflow(by: UInt64(room.f_frsize))
        return (bytes.overflow ? .max : bytes.partialValue, room.f_files == 0 ? nil : UInt64(room.f_favail))
    }

    /// The type of the file system that `file` is on, and whether it is mounted read-only.
    package static func fileSystem(of file: FileDescriptor) throws(Errno) -> (magic: UInt32, isReadOnly: Bool) {
        var magic: UInt32 = 0
        var isReadOnly: Int32 = 0
        _ = try retrying { unsafe linux_file_system(file.rawValue, &magic, &isReadOnly) }
        return (magic, isReadOnly != 0)
    }
}
