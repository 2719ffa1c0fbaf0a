internal import Glibc
package import SystemPackage

extension Syscalls {
    /// Maps memory of this process alone, filled with zeros, that can be read and written.
    package static func mapPrivate(byteCount: Int) throws(Errno) -> UnsafeMutableRawPointer {
        try SyscallFaults.check(.mmap)
        let address = unsafe mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        return unsafe try mapped(address)
    }

    /// Puts memory of this process alone where other memory is mapped, in one step.
    package static func mapPrivate(over address: UnsafeMutableRawPointer, byteCount: Int) throws(Errno) {
        try SyscallFaults.check(.mmap)
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED
        _ = unsafe try mapped(mmap(address, byteCount, PROT_READ | PROT_WRITE, flags, -1, 0))
    }

    /// Maps the start of a file, shared with all who map that file.
    package static func mapShared(
        _ file: FileDescriptor,
        byteCount: Int,
        isWritable: Bool
    ) throws(Errno) -> UnsafeMutableRawPointer {
        try SyscallFaults.check(.mmap)
        let protection = isWritable ? PROT_READ | PROT_WRITE : PROT_READ
        return unsafe try mapped(mmap(nil, byteCount, protection, MAP_SHARED, file.rawValue, 0))
    }

    /// Puts the start of a file where other memory is mapped, in one step, shared with all who map that file.
    package static func mapShared(
        _ file: FileDescriptor,
        over address: UnsafeMutableRawPointer,
        byteCount: Int,
        isWritable: Bool
    ) throws(Errno) {
        try SyscallFaults.check(.mmap)
        let protection = isWritable ? PROT_READ | PROT_WRITE : PROT_READ
        _ = unsafe try mapped(mmap(address, byteCount, protection, MAP_SHARED | MAP_FIXED, file.rawValue, 0))
    }

    /// Gives mapped memory back.
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
