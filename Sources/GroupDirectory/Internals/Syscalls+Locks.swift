internal import CLinux
internal import Glibc
package import SystemPackage

extension Syscalls {
    /// Takes a lock on one byte of an open file description, or throws ``Errno/resourceTemporarilyUnavailable`` at
    /// once where another one holds it.
    package static func lock(_ file: FileDescriptor, byte: Int64, exclusive: Bool) throws(Errno) {
        try SyscallFaults.check(.lock)
        do throws(Errno) {
            _ = try retrying { linux_ofd_lock(file.rawValue, Int16(exclusive ? F_WRLCK : F_RDLCK), byte, 1) }
        } catch {
            // POSIX allows either.
            throw error == .permissionDenied ? .resourceTemporarilyUnavailable : error
        }
    }

    /// Releases a lock on one byte of an open file description.
    package static func unlock(_ file: FileDescriptor, byte: Int64) {
        _ = linux_ofd_lock(file.rawValue, Int16(F_UNLCK), byte, 1)
    }
}
