// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import RecordStorage
internal import SystemPackage

/// A file whose bytes are locked with open file description locks.
struct LockFile {
    let folder: FolderHandle
    let name: String
    /// Whether the file is writable, as needed to create it and to lock it exclusively.
    let isWritable: Bool

    var path: String { folder.path(of: name) }

    /// The file, opened by this process.
    struct Opened: Sendable {
        let file: FileDescriptor
        let slot: ForkGuard.Slot
        /// The identity of the file, which is unique while the file is open.
        let identity: FileIdentity
    }

    /// - Returns: `nil` if the file does not exist and cannot be created.
    func open() throws(StorageError) -> Opened? {
        let flags = (isWritable ? O_RDWR : O_RDONLY) | O_NONBLOCK | O_NOCTTY
        let opened: (FileDescriptor, ForkGuard.Slot)?
        do throws(Errno) {
            opened = try ForkGuard.shared.adopt { () throws(Errno) in
                try Syscalls.open(name, in: folder.descriptor, flags: flags)
            }
        } catch {
            if error == .noSuchFileOrDirectory {
                guard isWritable else { return nil }
                _ = try folder.openFile(name, .openingOrCreating)
                return try open()
            }
            if let status = try? Syscalls.status(of: name, in: folder.descriptor) {
                try Ownership.checkOwnFile(status, path: path)
            }
            throw StorageError(error, path: path, doing: "opening the lock file")
        }
        guard let opened else {
            throw StorageError(.system, path: path, detail: "too many locks at once", errno: .tooManyOpenFiles)
        }
        do throws(StorageError) {
            let status = try describing("checking the file", path: path) { () throws(Errno) in
                try Syscalls.status(opened.0)
            }
            if status.linkCount != 0 { try Ownership.checkOwnFile(status, path: path) }
            return Opened(file: opened.0, slot: opened.1, identity: status.identity)
        } catch {
            ForkGuard.shared.discard(opened.1) { _ in }
            throw error
        }
    }

    /// Whether a locked file still has its name. If it was removed and recreated, two processes could hold the same
    /// lock. Also checks that no other user has gained access to it. Takes one system call.
    func isStillNamed(_ opened: Opened) throws(StorageError) -> Bool {
        let named = try describing("checking the lock file", path: path) { () throws(Errno) in
            try Syscalls.statusWithoutTimes(of: name, in: folder.descriptor)
        }
        guard let named, named.identity.isSameFile(as: opened.identity) else { return false }
        try Ownership.checkOwnFile(named, path: path)
        return true
    }
}
