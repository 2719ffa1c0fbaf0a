internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage
internal import SystemPackage

/// Room behind the last frame of a journal: zeros that are on the disk already.
///
/// A transaction overwrites them. So its sync has nothing to note but its bytes, which takes half the time of a sync that
/// has to make a longer file durable too, and there is room for removals when the disk is full.
struct Preallocation {
    let file: CheckedFile
    /// Length of the file.
    let fileByteCount: UInt64

    /// Room that is made at once, beyond what is needed now: a large file is written to more often.
    private static func step(_ end: UInt64) -> UInt64 {
        min(max(end / 8, 2 * JournalFormat.preallocatedByteCount), 1 << 20)
    }

    /// Sees to it that a frame fits and the reserve is there behind it. Transactions that remove may use the reserve: they
    /// go on where the disk is full.
    ///
    /// - Throws: ``StorageError/Code/full``; then the file is as long as it was.
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

    /// Writes zeros from the end of the file on, but none where the frame comes.
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

    /// Takes the room from the disk before anything is written to it.
    private func reserve(to end: UInt64) throws(StorageError) {
        do throws(Errno) {
            try Syscalls.reserve(file.descriptor, at: fileByteCount, count: end - fileByteCount)
        } catch {
            switch error {
            // This file system reserves nothing; a full disk is met when writing.
            case .notSupported, .noFunction, .invalidArgument: return
            default: throw StorageError(error, path: file.path, doing: "reserving room on the disk")
            }
        }
    }
}
