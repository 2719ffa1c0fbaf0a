// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import RecordStorage
internal import TokenCaching

extension GroupExamination {
    /// Checks which processes hold the group's locks, and whether those processes are running.
    mutating func locks(of directory: GroupDirectory) {
        do throws(StorageError) {
            for byte in LockByte.allCases where try directory.tryLock(byte) == nil {
                let holder = directory.holder(of: byte)
                // A save takes milliseconds, so a running writer releases the lock soon.
                if byte == .writer, holder?.process.activity != .stopped,
                    (try? directory.lock(byte, until: min(deadline, .after(timeout / 2)))) != nil
                {
                    continue
                }
                note(byte, holder, of: directory)
            }
            try leases(of: directory)
        } catch {
            // A lock cannot be taken in a read-only folder.
            guard error.code != .readOnly else { return }
            note(.locks, TokenCacheError(error))
        }
    }

    private mutating func note(_ byte: LockByte, _ holder: LockHolder?, of directory: GroupDirectory) {
        guard let holder else {
            return note(
                .locks,
                level: byte == .writer ? .problem : .note,
                text: "an unidentified process is \(byte.holderWork)",
                advice: "To see which processes have it open, let root run fuser -v "
                    + "\(ShellWord.quoted(directory.path(of: GroupDirectory.FileName.lock)))."
            )
        }
        let process = holder.process
        let name = "process \(process.id) (\(process.name))"
        switch process.activity {
        case .stopped:
            note(
                .locks,
                level: .problem,
                text: "\(name) is stopped (state T) while it is \(byte.holderWork)",
                advice: "To resume it, run kill -CONT \(process.id).",
                since: holder.since
            )
        case .waitingForDisk:
            note(
                .locks,
                level: byte == .writer ? .problem : .note,
                text: "\(name) is waiting for the disk (state D) while it is \(byte.holderWork)",
                advice: "Check the disk: the system log (journalctl -k) shows its errors.",
                since: holder.since
            )
        case .running, .ended:
            note(
                .locks,
                level: byte == .writer ? .problem : .note,
                text: "\(name) is \(byte.holderWork)",
                advice: byte == .writer
                    ? "No save takes that long. To end it, run kill \(process.id)."
                    : "Nothing: other processes can read and write meanwhile.",
                since: holder.since
            )
        }
    }

    private mutating func leases(of directory: GroupDirectory) throws(StorageError) {
        let leases = try directory.heldLeaseCount(until: deadline)
        guard leases > 0 else { return note(.locks, level: .fine, text: "no renewal is in progress") }
        for process in directory.leaseHolders where process.activity == .stopped {
            note(
                .locks,
                level: .problem,
                text: "process \(process.id) (\(process.name)) is stopped (state T) while it is renewing a token",
                advice: "To resume it, run kill -CONT \(process.id)."
            )
        }
        note(
            .locks,
            level: .note,
            text: "\(leases) token\(leases == 1 ? " is" : "s are") being renewed",
            advice: "Nothing: other processes that need the same token wait for it."
        )
    }
}

extension LockByte {
    /// What the holder of the lock is doing.
    fileprivate var holderWork: String {
        switch self {
        case .writer: "writing, which blocks all other writers"
        case .compactor: "compacting"
        case .keys: "changing the keys or migrating"
        }
    }
}
