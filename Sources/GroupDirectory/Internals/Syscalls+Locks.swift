// SPDX-License-Identifier: Apache-2.0

// SAFETY: the call writes to two local numbers that live until it returns.

internal import CLinux
package import SystemPackage

extension Syscalls {
    /// Takes an open file description lock on one byte. Throws ``Errno/resourceTemporarilyUnavailable`` at once if
    /// another open file description holds a conflicting lock.
    package static func lock(_ file: FileDescriptor, byte: Int64, exclusive: Bool) throws(Errno) {
        try SyscallFaults.check(.lock)
        do throws(Errno) {
            _ = try retrying { linux_ofd_lock(file.rawValue, exclusive ? 1 : 0, byte, 1) }
        } catch {
            // POSIX allows either error for a conflicting lock.
            throw error == .permissionDenied ? .resourceTemporarilyUnavailable : error
        }
    }

    /// Releases an open file description lock on one byte.
    package static func unlock(_ file: FileDescriptor, byte: Int64) {
        _ = linux_ofd_unlock(file.rawValue, byte, 1)
    }
}

extension Syscalls {
    /// A range overlapping `range` that another open file description has locked; any of them if there are several,
    /// `nil` if none is locked.
    static func lockedRange(of file: FileDescriptor, in range: Range<Int64>) throws(Errno) -> Range<Int64>? {
        var start = range.lowerBound
        var length = range.upperBound - start
        let found = try retrying { unsafe linux_ofd_find_lock(file.rawValue, &start, &length) }
        guard found == 1 else { return nil }
        let end = start.addingReportingOverflow(length)
        return start..<(length <= 0 || end.overflow ? .max : end.partialValue)
    }
}
