internal import CLinux
package import SystemPackage

extension Syscalls {
    /// Takes a lock on one byte of an open file description, or throws ``Errno/resourceTemporarilyUnavailable`` at
    /// once where another one holds it.
    package static func lock(_ file: FileDescriptor, byte: Int64, exclusive: Bool) throws(Errno) {
        try SyscallFaults.check(.lock)
        do throws(Errno) {
            _ = try retrying { linux_ofd_lock(file.rawValue, exclusive ? 1 : 0, byte, 1) }
        } catch {
            // POSIX allows either.
            throw error == .permissionDenied ? .resourceTemporarilyUnavailable : error
        }
    }

    /// Releases a lock on one byte of an open file description.
    package static func unlock(_ file: FileDescriptor, byte: Int64) {
        _ = linux_ofd_unlock(file.rawValue, byte, 1)
    }
}

extension Syscalls {
    /// Where the first byte lies that others have locked, from `start` on; `nil` where there is none.
    static func firstLock(of file: FileDescriptor, from start: Int64) throws(Errno) -> Int64? {
        var start = start
        var length: Int64 = 0
        let found = try retrying { unsafe linux_ofd_find_lock(file.rawValue, &start, &length) }
        return found == 1 ? start : nil
    }
}
