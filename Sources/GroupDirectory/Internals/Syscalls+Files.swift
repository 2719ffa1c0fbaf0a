// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
package import SystemPackage

extension Syscalls {
    /// Closes a descriptor. Ignores errors of earlier writes; sync first to detect them.
    package static func close(_ file: FileDescriptor) {
        _ = Glibc.close(file.rawValue)
    }

    /// Reads into `buffer` from byte `offset` until it is full or the file ends.
    ///
    /// - Returns: the number of bytes read; less than the buffer's size only at the end of the file.
    package static func read(
        _ file: FileDescriptor,
        at offset: UInt64,
        into buffer: UnsafeMutableRawBufferPointer
    ) throws(Errno) -> Int {
        try SyscallFaults.check(.pread)
        guard let start = buffer.baseAddress else { return 0 }
        var done = 0
        while done < buffer.count {
            let count = try retrying {
                unsafe pread(
                    file.rawValue,
                    start + done,
                    buffer.count - done,
                    off_t(bitPattern: UInt(offset)) + done
                )
            }
            if count == 0 { break }
            done += count
        }
        return done
    }

    /// Reads into `span` from byte `offset` until it is full or the file ends, and returns the number of bytes read.
    package static func read(
        _ file: FileDescriptor,
        at offset: UInt64,
        into span: inout MutableRawSpan
    ) throws(Errno) -> Int {
        var failure: Errno?
        var count = 0
        unsafe span.withUnsafeMutableBytes { buffer in
            do throws(Errno) {
                count = try unsafe read(file, at: offset, into: buffer)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return count
    }

    /// Reads `count` bytes from byte `offset`, and fewer only at the end of the file.
    package static func read(_ file: FileDescriptor, at offset: UInt64, count: Int) throws(Errno) -> [UInt8] {
        var failure: Errno?
        // Append to an empty array, because creating an uninitialised one looks up the type of its storage each time.
        var bytes: [UInt8] = []
        bytes.append(addingCapacity: count) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
                do throws(Errno) {
                    let room = unsafe UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count)
                    initialized = try unsafe read(file, at: offset, into: room)
                } catch {
                    failure = error
                }
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// The first range of data between `offset` and `limit`, skipping holes, which read as zeros; the whole range if
    /// the file system cannot report holes.
    ///
    /// - Returns: `nil` if only holes remain.
    package static func data(
        _ file: FileDescriptor,
        from offset: UInt64,
        to limit: UInt64
    ) throws(Errno) -> Range<UInt64>? {
        guard offset < limit else { return nil }
        do throws(Errno) {
            let start = UInt64(try retrying { linux_next_data(file.rawValue, Int64(offset)) })
            guard start < limit else { return nil }
            let end = UInt64(try retrying { linux_next_hole(file.rawValue, Int64(start)) })
            return start..<min(limit, max(start + 1, end))
        } catch {
            switch error {
            case .noSuchAddressOrDevice: return nil
            case .invalidArgument, .notSupported, .noFunction: return offset..<limit
            default: throw error
            }
        }
    }

    /// Writes all of `buffer` at byte `offset`. If it throws, some of it may have been written.
    package static func write(
        _ file: FileDescriptor,
        at offset: UInt64,
        _ buffer: UnsafeRawBufferPointer
    ) throws(Errno) {
        guard let start = buffer.baseAddress else { return }
        var done = 0
        while done < buffer.count {
            let limit = try SyscallFaults.writeLimit(buffer.count - done)
            let count = try retrying {
                unsafe pwrite(
                    file.rawValue,
                    start + done,
                    limit,
                    off_t(bitPattern: UInt(offset)) + done
                )
            }
            if count == 0 { throw .ioError }
            done += count
        }
    }

    /// Writes all of `bytes` at byte `offset`. If it throws, some of it may have been written.
    package static func write(_ file: FileDescriptor, at offset: UInt64, _ bytes: RawSpan) throws(Errno) {
        var failure: Errno?
        unsafe bytes.withUnsafeBytes { buffer in
            do throws(Errno) {
                try unsafe write(file, at: offset, buffer)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// Writes all of `bytes` at byte `offset`. If it throws, some of it may have been written.
    package static func write(_ file: FileDescriptor, at offset: UInt64, _ bytes: [UInt8]) throws(Errno) {
        // SAFETY: bytes have no padding.
        try unsafe write(file, at: offset, bytes.span.bytes)
    }

    /// Makes the content of a file and the metadata needed to read it durable. Does not retry after a failure, because the
    /// state of the disk is unknown then.
    package static func syncData(_ file: FileDescriptor) throws(Errno) {
        try SyscallFaults.check(.fdatasync)
        _ = try retrying { fdatasync(file.rawValue) }
    }

    /// Makes a file durable. Does not retry after a failure, because the state of the disk is unknown then.
    package static func sync(_ file: FileDescriptor) throws(Errno) {
        try SyscallFaults.check(.fsync)
        _ = try retrying { Glibc.fsync(file.rawValue) }
    }

    /// Writes a whole file system to the disk, which frees the space of deleted files there.
    package static func syncFileSystem(of file: FileDescriptor) throws(Errno) {
        _ = try retrying { linux_sync_file_system(file.rawValue) }
    }

    /// Sets the length of a file.
    package static func truncate(_ file: FileDescriptor, to length: UInt64) throws(Errno) {
        try SyscallFaults.check(.ftruncate)
        _ = try retrying { ftruncate(file.rawValue, off_t(length)) }
    }

    /// Allocates space on the disk without changing the length of the file.
    ///
    /// Throws ``Errno/notSupported`` if the file system cannot allocate space.
    package static func reserve(_ file: FileDescriptor, at offset: UInt64, count: UInt64) throws(Errno) {
        try SyscallFaults.check(.fallocate)
        _ = try retrying { linux_fallocate(file.rawValue, linux_FALLOC_FL_KEEP_SIZE, Int64(offset), Int64(count)) }
    }

    /// Asks the kernel to start writing a range to the disk, so that a later sync takes less time. Does not make it
    /// durable.
    package static func startWriteback(_ file: FileDescriptor, at offset: UInt64, count: UInt64) {
        _ = linux_start_writeback(file.rawValue, Int64(offset), Int64(count))
    }

    /// Sets the permission bits of a newly created file or folder.
    package static func setMode(_ file: FileDescriptor, _ mode: UInt32) throws(Errno) {
        _ = try retrying { fchmod(file.rawValue, mode) }
    }
}

extension Syscalls {
    /// Reads up to `limit` bytes of a kernel file, such as one under /proc; `nil` if it cannot be read.
    package static func smallSystemFile(_ path: String, limit: Int) -> [UInt8]? {
        guard let descriptor = try? openPath(path, flags: O_RDONLY) else { return nil }
        defer { close(descriptor) }
        // Read in a loop, because these files return about a page per read and their length is unknown.
        var bytes: [UInt8] = []
        while bytes.count < limit {
            guard let part = try? read(descriptor, at: UInt64(bytes.count), count: min(4096, limit - bytes.count))
            else { return nil }
            if part.isEmpty { break }
            bytes += part
        }
        return bytes
    }
}
