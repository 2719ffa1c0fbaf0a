internal import GroupDirectory
internal import RecordStorage
internal import SystemPackage

/// Keeps room on the disk behind the end of a journal, so that removals work when the disk is full.
struct Reserve: Sendable {
    /// Room is known to be there up to this byte of the file; what another process reserved is not known.
    private var end: UInt64 = 0

    /// What is reserved at once, beyond what is needed now.
    private static func step(_ end: UInt64) -> UInt64 {
        min(max(end / 8, JournalFormat.reserveByteCount), 1 << 20)
    }

    /// Forgets what was reserved: the file was cut.
    mutating func reset() { end = 0 }

    /// Sees to it that a frame fits and the reserve is there behind it. Transactions that remove may use the reserve: they
    /// go on where the disk is full.
    ///
    /// - Throws: ``StorageError/Code/full``.
    mutating func ensure(
        _ file: CheckedFile,
        from offset: UInt64,
        count: UInt64,
        mayUseReserve: Bool
    ) throws(StorageError) {
        let needed = count + JournalFormat.reserveByteCount
        if offset + needed <= end { return }
        do throws(Errno) {
            do throws(Errno) {
                try Syscalls.reserve(file.descriptor, at: offset, count: needed + Self.step(offset))
                end = offset + needed + Self.step(offset)
            } catch {
                guard Self.isFull(error) else { throw error }
                try Syscalls.reserve(file.descriptor, at: offset, count: needed)
                end = offset + needed
            }
        } catch {
            switch error {
            case .notSupported, .noFunction, .invalidArgument:
                // This file system reserves nothing; a full disk is met when writing.
                end = .max
            default:
                if mayUseReserve, Self.isFull(error) { return }
                throw StorageError(error, path: file.path, doing: "reserving room on the disk")
            }
        }
    }

    private static func isFull(_ error: Errno) -> Bool {
        StorageError(error, path: nil, doing: "").code == .full
    }
}
