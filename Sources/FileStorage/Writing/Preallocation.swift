// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage
internal import SystemPackage

/// Preallocated space after the last frame of a journal: zeros that are already on the disk.
///
/// Transactions overwrite them. A sync then takes half as long as one that must also make a longer file durable, and
/// removals have space when the disk is full.
struct Preallocation {
    let file: CheckedFile
    /// The length of the file.
    let fileByteCount: UInt64

    /// The extra space to allocate at once. It grows with the file, because larger files are written to more often.
    private static func step(_ end: UInt64) -> UInt64 {
        min(max(end / 8, 2 * JournalFormat.preallocatedByteCount), 1 << 20)
    }

    /// Makes sure that a frame fits, followed by the space for removals. Removals may use that space, so they succeed
    /// on a full disk.
    ///
    /// - Throws: ``StorageError/Code/full``; the file then has its old length.
    func ensure(from offset: UInt64, count: UInt64, mayUsePreallocation: Bool) throws(StorageError) {
        let needed = offset + count + JournalFormat.preallocatedByteCount
        if needed <= fileByteCount { return }
        do throws(StorageError) {
            do throws(StorageError) {
                try extend(behind: offset + count, to: needed + Self.step(offset))
            } catch {
                guard error.code == .full else { throw error }
                try extend(behind: offset + count, to: needed)
            }
        } catch {
            guard mayUsePreallocation, error.code == .full else { throw error }
        }
    }

    /// Extends the file with zeros, except where the frame will be written.
    private func extend(behind frameEnd: UInt64, to end: UInt64) throws(StorageError) {
        try reserve(to: end)
        var offset = max(fileByteCount, frameEnd)
        let zeros = [UInt8](repeating: 0, count: Int(min(end - offset, 1 << 20)))
        do throws(StorageError) {
            while offset < end {
                let count = min(UInt64(zeros.count), end - offset)
                try file.write(zeros.rawSpan.extracting(0..<Int(count)), at: offset)
                offset += count
            }
        } catch {
            try? Syscalls.truncate(file.descriptor, to: fileByteCount)
            throw error
        }
    }

    /// Reserves disk space before writing the zeros.
    private func reserve(to end: UInt64) throws(StorageError) {
        do throws(Errno) {
            try Syscalls.reserve(file.descriptor, at: fileByteCount, count: end - fileByteCount)
        } catch {
            switch error {
            // If the file system cannot reserve space, writing detects a full disk.
            case .notSupported, .noFunction, .invalidArgument: return
            default: throw StorageError(error, path: file.path, doing: "preallocating space")
            }
        }
    }
}
