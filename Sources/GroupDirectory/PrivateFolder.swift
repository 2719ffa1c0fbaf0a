// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import RecordStorage
package import SystemPackage

/// A folder outside the groups that holds private files of this user, such as key files.
///
/// Its path is checked like that of a group, so that no other user can exchange a folder on it. Thread-safe.
package final class PrivateFolder: Sendable {
    /// Its path.
    package let path: FilePath
    private let folder: FolderHandle
    private let isShared: Bool

    /// Opens the folder at `path`, which may be relative to the current folder.
    ///
    /// - Parameters:
    ///   - path: the folder.
    ///   - creates: whether to create it and its missing parents, with mode 0700.
    ///   - isShared: whether other users may read it; they may never write to it.
    /// - Returns: the checked folder.
    /// - Throws: ``StorageError/Code/notFound``, ``StorageError/Code/unsafePermissions``,
    ///   ``StorageError/Code/unsafeFile``, ``StorageError/Code/readOnly``.
    package static func open(
        _ path: FilePath,
        creates: Bool = false,
        isShared: Bool = false
    ) throws(StorageError) -> PrivateFolder {
        var walk = FolderWalk(creates: creates)
        let folder = try walk.open(path)
        if !isShared {
            let status = try describing("checking the folder", path: path.string) { () throws(Errno) in
                try Syscalls.status(folder.descriptor)
            }
            try Ownership.checkOwnFolder(status, path: path.string)
        }
        return PrivateFolder(folder, isShared: isShared)
    }

    private init(_ folder: FolderHandle, isShared: Bool) {
        self.folder = folder
        self.isShared = isShared
        path = folder.path
    }

    /// A short path of a file in the folder, for calls that limit the length of paths. Valid while this object lives.
    package func shortPath(of name: String) -> String { "/proc/self/fd/\(folder.descriptor.rawValue)/\(name)" }

    /// The sorted names of the files in the folder.
    package func names() throws(StorageError) -> [String] {
        try describing("listing the folder", path: path.string) { () throws(Errno) in
            try Syscalls.names(in: folder.descriptor)
        }.sorted()
    }

    /// Opens a private file in the folder: regular, owned by this user, with a single name, inaccessible to other
    /// users.
    ///
    /// - Throws: ``StorageError/Code/notFound``, ``StorageError/Code/unsafeFile``,
    ///   ``StorageError/Code/unsafePermissions``.
    package func openFile(_ name: String) throws(StorageError) -> CheckedFile {
        try folder.openFile(name, .reading)
    }

    /// Durably creates a file of mode 0600 with this content. It appears complete or not at all.
    ///
    /// - Throws: ``StorageError/Code/exists``, in which case the existing file is unchanged;
    ///   ``StorageError/Code/full``, ``StorageError/Code/readOnly``.
    package func createFile(_ name: String, content: RawSpan) throws(StorageError) {
        // In a shared folder, files with such names may belong to another program.
        if !isShared { folder.removeStaleTemporaries() }
        let temporary = try write(content)
        try describing("creating the file", path: folder.path(of: name)) { () throws(Errno) in
            do throws(Errno) {
                try Syscalls.renameToNew(temporary.name, to: name, in: folder.descriptor)
            } catch {
                guard error == .invalidArgument || error == .noFunction else { throw error }
                try Syscalls.link(temporary.name, to: name, in: folder.descriptor)
                return
            }
            temporary.wasInstalled()
        }
        try sync()
    }

    /// Durably renames a file without replacing another one.
    ///
    /// - Throws: ``StorageError/Code/notFound``; ``StorageError/Code/exists``, in which case both files are unchanged;
    ///   ``StorageError/Code/readOnly``.
    package func renameFile(_ name: String, to newName: String) throws(StorageError) {
        try describing("renaming the file", path: folder.path(of: name)) { () throws(Errno) in
            do throws(Errno) {
                try Syscalls.renameToNew(name, to: newName, in: folder.descriptor)
            } catch {
                guard error == .invalidArgument || error == .noFunction else { throw error }
                try Syscalls.link(name, to: newName, in: folder.descriptor)
                try Syscalls.unlink(name, in: folder.descriptor)
            }
        }
        try sync()
    }

    /// Removes a file. A missing file is not an error.
    package func removeFile(_ name: String) throws(StorageError) {
        try folder.removeFile(name)
        try sync()
    }

    /// Overwrites a file on the disk with zeros, then removes it. A missing file is not an error. The content of a link,
    /// or of a file with a second name, stays. Also removes temporary files that killed
    /// processes left in the folder.
    package func eraseFile(_ name: String) throws(StorageError) {
        try folder.eraseFile(name)
        if !isShared { folder.removeStaleTemporaries() }
        try sync()
    }

    private func write(_ content: RawSpan) throws(StorageError) -> TemporaryFile {
        let temporary = try TemporaryFile(in: folder)
        try describing("writing the file", path: folder.path(of: temporary.name)) { () throws(Errno) in
            try Syscalls.write(temporary.descriptor, at: 0, content)
            try Syscalls.sync(temporary.descriptor)
        }
        return temporary
    }

    private func sync() throws(StorageError) {
        try describing("syncing the folder", path: path.string) { () throws(Errno) in
            // Reopen the folder, because a descriptor opened with O_PATH cannot be synced.
            let open = try Syscalls.open(".", in: folder.descriptor, flags: O_RDONLY | O_DIRECTORY)
            defer { Syscalls.close(open) }
            try Syscalls.syncFolder(open)
        }
    }
}
