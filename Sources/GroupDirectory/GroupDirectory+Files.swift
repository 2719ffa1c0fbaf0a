// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import RecordStorage
internal import SystemPackage

extension GroupDirectory {
    /// Opens a file in the folder and checks it.
    ///
    /// - Parameters:
    ///   - name: one of the library's file names, not a path.
    ///   - mode: the mode in which to open it.
    /// - Returns: the open file.
    /// - Throws: ``StorageError/Code/notFound``, ``StorageError/Code/exists`` (for `.creating`),
    ///   ``StorageError/Code/unsafeFile``, ``StorageError/Code/unsafePermissions``, ``StorageError/Code/readOnly``.
    package func openFile(_ name: String, _ mode: FileMode) throws(StorageError) -> CheckedFile {
        try folder.openFile(name, mode)
    }

    /// The identity of the file called `name`, without opening it; `nil` if it does not exist. Takes one system call.
    package func identity(of name: String) throws(StorageError) -> FileIdentity? {
        try describing("checking the file", path: folder.path(of: name)) { () throws(Errno) in
            try Syscalls.status(of: name, in: folder.descriptor)?.identity
        }
    }

    /// The identity of the file called `name`, without the change time. Use it for a file in use by writers, because
    /// requesting the time makes the next sync of the file more expensive.
    package func identityWithoutTime(of name: String) throws(StorageError) -> FileIdentity? {
        try describing("checking the file", path: folder.path(of: name)) { () throws(Errno) in
            try Syscalls.statusWithoutTimes(of: name, in: folder.descriptor)?.identity
        }
    }

    /// Whether `name` refers to another file or state than `identity` now, or cannot be checked. Takes one system call.
    package func hasMoved(_ name: String, since identity: FileIdentity?) -> Bool {
        guard let now = try? Syscalls.status(of: name, in: folder.descriptor) else { return identity != nil }
        return now.identity != identity
    }

    /// Removes a file of the group. A missing file is not an error.
    package func removeFile(_ name: String) throws(StorageError) {
        try folder.removeFile(name)
    }

    /// Makes changes to the folder's names durable.
    package func sync() throws(StorageError) {
        do throws(Errno) {
            try Syscalls.syncFolder(folder.descriptor)
        } catch {
            throw StorageError(
                .indeterminate,
                path: path.string,
                detail: "it is unknown whether the new names in this folder reached the disk",
                errno: error
            )
        }
    }

    /// The path of a file in the folder, for errors.
    package func path(of name: String) -> String {
        folder.path(of: name)
    }
}

extension FolderHandle {
    /// Removes a file, or a link itself. A missing file is not an error.
    func removeFile(_ name: String) throws(StorageError) {
        try describing("removing the file", path: path(of: name)) { () throws(Errno) in
            do throws(Errno) {
                try Syscalls.unlink(name, in: descriptor)
            } catch {
                if error != .noSuchFileOrDirectory { throw error }
            }
        }
    }

    /// Opens a file in the folder and checks it.
    func openFile(_ name: String, _ mode: FileMode) throws(StorageError) -> CheckedFile {
        for _ in 0..<8 {
            do throws(StorageError) {
                return try openFileOnce(name, mode)
            } catch {
                // Another process replaced the file between opening and checking it: try the new one.
                guard error.code == .notFound, error.errno == nil else { throw error }
            }
        }
        return try openFileOnce(name, mode)
    }

    private func openFileOnce(_ name: String, _ mode: FileMode) throws(StorageError) -> CheckedFile {
        precondition(!name.isEmpty && !name.utf8.contains(UInt8(ascii: "/")), "a name, not a path")
        if mode == .openingOrCreating { return try openOrCreateFile(name) }
        let path = path(of: name)
        let flags: Int32 =
            switch mode {
            case .reading: O_RDONLY
            case .readingAndWriting, .openingOrCreating: O_RDWR
            case .creating: O_RDWR | O_CREAT | O_EXCL
            }
        let file: FileDescriptor
        do throws(Errno) {
            // O_NONBLOCK keeps the call from blocking on a FIFO in place of the file until its other end is opened.
            file = try Syscalls.open(name, in: descriptor, flags: flags | O_NONBLOCK | O_NOCTTY)
        } catch {
            throw refusal(error, name: name, mode: mode)
        }
        do throws(StorageError) {
            if mode == .creating { try Ownership.makePrivate(file, path: path) }
            let status = try describing("checking the file", path: path) { () throws(Errno) in
                try Syscalls.status(file)
            }
            try Ownership.checkOwnFile(status, path: path)
            return CheckedFile(file, name: name, path: path, identity: status.identity)
        } catch {
            if mode == .creating { try? Syscalls.unlink(name, in: descriptor) }
            Syscalls.close(file)
            throw error
        }
    }

    /// Creates a file unless it exists. An existing file must pass the checks made when opening it.
    func ensureFile(_ name: String) throws(StorageError) {
        let status = try describing("checking the file", path: path(of: name)) { () throws(Errno) in
            try Syscalls.status(of: name, in: descriptor)
        }
        if let status {
            try Ownership.checkOwnFile(status, path: path(of: name))
        } else {
            _ = try openFile(name, .openingOrCreating)
        }
    }

    /// Opens or creates a file in two steps, because with a single O_CREAT an unusual umask would create a file that
    /// its owner cannot reopen.
    private func openOrCreateFile(_ name: String) throws(StorageError) -> CheckedFile {
        var triesLeft = 8
        while true {
            do throws(StorageError) {
                return try openFile(name, .readingAndWriting)
            } catch {
                guard error.code == .notFound else { throw error }
            }
            do throws(StorageError) {
                return try openFile(name, .creating)
            } catch {
                triesLeft -= 1
                guard error.code == .exists, triesLeft > 0 else { throw error }
            }
        }
    }

    private func refusal(_ error: Errno, name: String, mode: FileMode) -> StorageError {
        let path = path(of: name)
        // Prefer the result of checking the file, which explains more than the error of opening it.
        if error != .fileExists, let status = try? Syscalls.status(of: name, in: descriptor) {
            do throws(StorageError) {
                try Ownership.checkOwnFile(status, path: path)
            } catch {
                return error
            }
        }
        return StorageError(error, path: path, doing: mode == .creating ? "creating the file" : "opening the file")
    }
}

/// The mode in which a file of the group is opened.
package enum FileMode: Hashable, Sendable {
    case reading
    case readingAndWriting
    /// The file must not exist. It is created with mode 0600, regardless of the umask.
    case creating
    /// A missing file is created, empty and with mode 0600.
    case openingOrCreating
}
