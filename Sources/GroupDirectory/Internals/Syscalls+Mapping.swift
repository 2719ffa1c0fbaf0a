// SPDX-License-Identifier: Apache-2.0

// SAFETY: every address comes from mmap with the byte count that is passed back to the kernel; callers unmap each
// mapping once.

internal import CLinux
internal import Glibc
package import SystemPackage

extension Syscalls {
    /// Maps private memory, zeroed and writable.
    package static func mapPrivate(byteCount: Int) throws(Errno) -> UnsafeMutableRawPointer {
        try SyscallFaults.check(.mmap)
        let address = unsafe mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        return unsafe try mapped(address)
    }

    /// Maps the start of a file for reading, shared with every process that maps it.
    package static func mapShared(_ file: FileDescriptor, byteCount: Int) throws(Errno) -> UnsafeMutableRawPointer {
        try SyscallFaults.check(.mmap)
        return unsafe try mapped(mmap(nil, byteCount, PROT_READ, MAP_SHARED, file.rawValue, 0))
    }

    /// Atomically moves a mapping over another one. After an error, both mappings are unchanged.
    package static func moveMapping(
        _ address: UnsafeMutableRawPointer,
        over other: UnsafeMutableRawPointer,
        byteCount: Int
    ) throws(Errno) {
        try SyscallFaults.check(.mmap)
        _ = unsafe try mapped(linux_move_mapping(address, UInt64(byteCount), other))
    }

    /// Unmaps memory.
    package static func unmap(_ address: UnsafeMutableRawPointer, byteCount: Int) {
        unsafe munmap(address, byteCount)
    }

    private static func mapped(_ address: UnsafeMutableRawPointer?) throws(Errno) -> UnsafeMutableRawPointer {
        guard let address = unsafe address, UInt(bitPattern: address) != UInt.max else {
            throw Errno(rawValue: Glibc.errno)
        }
        return unsafe address
    }
}
