// SPDX-License-Identifier: Apache-2.0

// SAFETY: the call writes to two local numbers that live until it returns.

internal import CLinux
package import SystemPackage

extension Syscalls {
    /// Locks one byte of an open file description. Throws ``Errno/resourceTemporarilyUnavailable`` at once if another
    /// one holds the lock.
    package static func lock(_ file: FileDescriptor, byte: Int64, exclusive: Bool) throws(Errno) {
        try SyscallFaults.check(.lock)
        do throws(Errno) {
            _ = try retrying { linux_ofd_lock(file.rawValue, exclusive ? 1 : 0, byte, 1) }
        } catch {
            // POSIX allows either error.
            throw error == .permissionDenied ? .resourceTemporarilyUnavailable : error
        }
    }

    /// Releases a lock on one byte of an open file description.
    package static func unlock(_ file: FileDescriptor, byte: Int64) {
        _ = linux_ofd_unlock(file.rawValue, byte, 1)
    }
}

extension Syscalls {
    /// A range that another open file description has locked and that overlaps `range` (any of several); `nil` if there
    /// is none.
    static func lockedRange(of file: FileDescriptor, in range: Range<Int64>) throws(Errno) -> Range<Int64>? {
        var start = range.lowerBound
        var length = range.upperBound - start
        let found = try retrying { unsafe linux_ofd_find_lock(file.rawValue, &start, &length) }
        guard found == 1 else { return nil }
        let end = start.addingReportingOverflow(length)
        return start..<(length <= 0 || end.overflow ? .max : end.partialValue)
    }
}
