// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import RecordStorage
internal import SystemPackage

/// An attempt to take a kernel lock, once it is this thread's turn.
struct LockSession {
    let folder: FolderHandle
    let byte: LockByte
    let mode: LockMode
    let deadline: Deadline
    /// Whether the file is writable, as needed to create it and to record the process id.
    let isWritable: Bool

    /// The first waits are short, because commits are short; later ones are longer, to save CPU time.
    private static let shortestWait: Int64 = 20_000
    private static let longestWait: Int64 = 4_000_000

    /// - Returns: the locked file; `nil` if the lock file does not exist and cannot be created, so that no process can
    ///   hold the lock.
    /// - Throws: ``StorageError/Code/busy`` with the holder's process id once the deadline has passed.
    func acquire() throws(StorageError) -> LockFile.Opened? {
        while true {
            guard let opened = try lockFile.open() else { return nil }
            do throws(StorageError) {
                try lock(opened.file)
                if try lockFile.isStillNamed(opened) {
                    if mode == .exclusive { leaveProcessID(opened.file) }
                    return opened
                }
            } catch {
                ForkGuard.shared.discard(opened.slot) { _ in }
                throw error
            }
            ForkGuard.shared.discard(opened.slot) { _ in }
            if deadline.hasPassed {
                throw StorageError(.busy, path: path, detail: "the lock file is being replaced repeatedly")
            }
        }
    }

    private var path: String { lockFile.path }

    private var lockFile: LockFile {
        LockFile(folder: folder, name: GroupDirectory.FileName.lock, isWritable: isWritable)
    }

    private func lock(_ file: FileDescriptor) throws(StorageError) {
        guard mode == .exclusive else {
            try take(file, byte.rawValue, exclusive: false)
            return
        }
        // The waiting process holds the turn byte, and so precedes those that start waiting later.
        let turn = byte.rawValue + LockByte.turnOffset
        try take(file, turn, exclusive: true)
        defer { Syscalls.unlock(file, byte: turn) }
        try take(file, byte.rawValue, exclusive: true)
    }

    private func take(_ file: FileDescriptor, _ position: Int64, exclusive: Bool) throws(StorageError) {
        if try isTaken(file, position, exclusive: exclusive) { return }
        var wait = Self.shortestWait
        while true {
            let remaining = deadline.remaining
            guard remaining > .zero else { throw Self.busy(path: path, holder: Self.notedProcess(for: byte, in: file)) }
            Syscalls.sleep(nanoseconds: min(wait, remaining.nanoseconds))
            if try isTaken(file, position, exclusive: exclusive) { return }
            wait = min(wait + wait / 16, Self.longestWait)
        }
    }

    /// Tries to lock a byte once.
    ///
    /// - Returns: false if another process has the lock.
    private func isTaken(
        _ file: FileDescriptor,
        _ position: Int64,
        exclusive: Bool
    ) throws(StorageError) -> Bool {
        do throws(Errno) {
            try Syscalls.lock(file, byte: position, exclusive: exclusive)
            return true
        } catch {
            guard error == .resourceTemporarilyUnavailable else {
                throw StorageError(error, path: path, doing: "locking the group")
            }
            return false
        }
    }

    /// The error after a wait that timed out.
    static func busy(path: String, holder: Int32?) -> StorageError {
        // The process id in the file may be that of an earlier holder, so check that the process still runs.
        guard let process = holder.flatMap(RunningProcess.init), process.activity != .ended else {
            return StorageError(.busy, path: path, detail: "the lock is held by another process")
        }
        if process.activity == .stopped {
            return StorageError(
                .busy,
                path: path,
                detail: "the lock is held by process \(process.id), which is stopped",
                advice: "Nothing was changed; to let that process continue, run kill -CONT \(process.id)"
            )
        }
        return StorageError(.busy, path: path, detail: "the lock is held by process \(process.id)")
    }

    // MARK: - Process id

    private func leaveProcessID(_ file: FileDescriptor) {
        guard isWritable else { return }
        let process = Syscalls.processID
        // Do not rewrite the same id, which would only cause disk writes.
        if Self.notedProcess(for: byte, in: file) == process { return }
        let text = String(process)
        let bytes = Array(text.utf8) + [UInt8](repeating: UInt8(ascii: " "), count: 15 - text.utf8.count) + [10]
        try? Syscalls.write(file, at: byte.holderOffset, bytes)
    }

    /// The process that last took a lock, according to the file, whose content is not trustworthy.
    static func notedProcess(for byte: LockByte, in file: FileDescriptor) -> Int32? {
        guard let bytes = try? Syscalls.read(file, at: byte.holderOffset, count: 16) else { return nil }
        var number: Int32?
        for byte in bytes {
            let digit = Int32(byte) - 0x30
            guard (0...9).contains(digit) else { break }
            let (tens, overflows) = (number ?? 0).multipliedReportingOverflow(by: 10)
            let (sum, overflowsToo) = tens.addingReportingOverflow(digit)
            if overflows || overflowsToo { return nil }
            number = sum
        }
        return number
    }
}
