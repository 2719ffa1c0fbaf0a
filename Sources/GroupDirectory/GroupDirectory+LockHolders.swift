// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import SystemPackage

/// The process that holds a lock of a group.
package struct LockHolder: Hashable, Sendable {
    package let process: RunningProcess
    /// The latest time at which it can have taken the lock, in seconds since 1970; `nil` if unknown.
    package let since: Int64?
}

extension GroupDirectory {
    /// The process that holds a lock of the group now, exclusively or shared.
    ///
    /// The kernel shows the locks of a process to root and to the process's user, unless the process protects itself
    /// from being traced. If the kernel shows no holder, the result is the process whose id is in the file, provided
    /// that it was already running when the id was written.
    ///
    /// - Returns: `nil` if the holder cannot be determined.
    package func holder(of byte: LockByte) -> LockHolder? {
        guard let file = try? openFile(FileName.lock, .reading), let status = try? Syscalls.status(file.descriptor)
        else {
            return nil
        }
        let since = status.modifiedSeconds
        let noted = LockSession.notedProcess(for: byte, in: file.descriptor).flatMap(RunningProcess.init)
        if let noted, LockedBytes(inode: status.identity.inode).hasLocked(byte.rawValue, noted.id) == true {
            return LockHolder(process: noted, since: since)
        }
        if let id = LockedBytes(inode: status.identity.inode).holder(of: byte.rawValue),
            let process = RunningProcess(id)
        {
            return LockHolder(process: process, since: id == noted?.id ? since : nil)
        }
        guard let noted, noted.id != Syscalls.processID, noted.activity != .ended,
            let since, let startedOn = noted.startedOn, startedOn <= since + 1
        else { return nil }
        return LockHolder(process: noted, since: since)
    }

    /// The free space on the folder's file system; `nil` if unknown.
    package var freeSpace: (byteCount: UInt64, fileCount: UInt64?)? { try? Syscalls.freeSpace(of: folder.descriptor) }

    /// The mount point of the folder's file system; `nil` if unknown.
    package var mountPoint: String? { FileSystemKind.mount(ofDevice: identity.device)?.point }

    /// The processes that hold renewal leases of the group now, as far as the kernel shows them.
    package var leaseHolders: [RunningProcess] {
        guard let file = try? openFile(FileName.leases, .reading), let status = try? Syscalls.status(file.descriptor)
        else { return [] }
        let locked = LockedBytes(inode: status.identity.inode)
        return RunningProcess.allIDs.filter { locked.hasLocked(nil, $0) == true }.compactMap(RunningProcess.init)
    }
}

/// The open file description locks on one file, as /proc shows them for each process that has the file open.
private struct LockedBytes {
    let inode: UInt64

    /// The other process that has locked this byte, if the kernel shows it.
    func holder(of byte: Int64) -> Int32? {
        RunningProcess.allIDs.first { $0 != Syscalls.processID && hasLocked(byte, $0) == true }
    }

    /// Whether a process has locked `byte`, or any byte if `nil`; `nil` if the kernel does not show it to this user.
    func hasLocked(_ byte: Int64?, _ process: Int32) -> Bool? {
        let path = "/proc/\(process)/fdinfo"
        guard let folder = try? Syscalls.openFolder(path), let names = try? Syscalls.names(in: folder) else {
            return nil
        }
        defer { Syscalls.close(folder) }
        return names.contains { name in
            guard let text = Syscalls.smallSystemFile("\(path)/\(name)", limit: 1 << 16) else { return false }
            return text.split(separator: UInt8(ascii: "\n")).contains { isLock(of: byte, $0) }
        }
    }

    /// Parses a line such as "lock:  1: OFDLCK  ADVISORY  WRITE -1 08:01:1234 0 0": type, device and inode, first and
    /// last byte.
    private func isLock(of byte: Int64?, _ line: ArraySlice<UInt8>) -> Bool {
        guard line.starts(with: "lock:".utf8) else { return false }
        let fields = line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            .map { String(decoding: $0, as: UTF8.self) }
        guard fields.count >= 9, fields[2] == "OFDLCK", fields[6].split(separator: ":").last == Substring("\(inode)"),
            let first = Int64(fields[7])
        else { return false }
        guard let byte else { return true }
        return first <= byte && byte <= Int64(fields[8]) ?? .max
    }
}
