// SPDX-License-Identifier: Apache-2.0

package import RecordStorage
internal import SystemPackage

extension GroupDirectory {
    /// Creates a temporary file, which is removed unless it is installed.
    package func makeTemporary() throws(StorageError) -> TemporaryFile {
        if let readOnlyReason { throw readOnlyReason }
        return try TemporaryFile(in: folder)
    }

    /// Installs a temporary file durably: syncs it, renames it to `name`, replacing any existing file, and syncs the
    /// folder.
    ///
    /// If the replacement must be exclusive, the caller holds the writer's lock. Because syncing can take long, this
    /// method checks that lock again afterwards.
    ///
    /// - Parameters:
    ///   - temporary: the new file.
    ///   - name: its new name.
    ///   - confirm: called right before the renaming; throws if the current file must not be replaced.
    /// - Throws: ``StorageError/Code/busy`` if another process may hold the caller's writer's lock as well; the errors
    ///   of `confirm`; ``StorageError/Code/indeterminate`` if a sync failed. If syncing the file failed, the old file
    ///   stays; if syncing the folder failed, the new file is installed but may be lost in a crash.
    package func install(
        _ temporary: TemporaryFile,
        as name: String,
        confirming confirm: () throws(StorageError) -> Void = {}
    ) throws(StorageError) {
        do throws(Errno) {
            try Syscalls.sync(temporary.descriptor)
        } catch {
            let code: StorageError.Code = error == .noSpace ? .full : .indeterminate
            let detail = "the new file could not be synced and was not put in place"
            throw StorageError(code, path: path(of: name), detail: detail, errno: error)
        }
        try confirmWriterLock()
        try confirm()
        try describing("putting the new file in place", path: path(of: name)) { () throws(Errno) in
            try Syscalls.rename(temporary.name, to: name, in: folder.descriptor)
        }
        temporary.wasInstalled()
        try sync()
    }

    /// Durably renames a file as if it were an abandoned temporary file. Call it before erasing the content, so that
    /// the file is removed later even if the caller is killed.
    ///
    /// - Returns: its new name.
    package func retire(_ name: String) throws(StorageError) -> String {
        if let readOnlyReason { throw readOnlyReason }
        let newName = TemporaryFile.randomName()
        try describing("removing the file", path: path(of: name)) { () throws(Errno) in
            try Syscalls.rename(name, to: newName, in: folder.descriptor)
        }
        try sync()
        return newName
    }

    /// The number of temporary files whose creators have ended.
    package var staleTemporaryCount: Int {
        guard let names = try? Syscalls.names(in: folder.descriptor) else { return 0 }
        return names.count { name in
            guard TemporaryFile.isName(name), let file = try? openFile(name, .readingAndWriting),
                (try? Syscalls.lock(file.descriptor, byte: 0, exclusive: true)) != nil
            else { return false }
            Syscalls.unlock(file.descriptor, byte: 0)
            return true
        }
    }

    /// Removes temporary files whose creators have ended. Keeps those in use, and those that it fails to remove.
    ///
    /// - Returns: the number of files removed.
    @discardableResult
    package func removeStaleTemporaries() -> Int {
        readOnlyReason == nil ? folder.removeStaleTemporaries() : 0
    }
}

extension FolderHandle {
    /// Removes temporary files whose creators have ended, and returns their number.
    @discardableResult
    func removeStaleTemporaries() -> Int {
        guard let names = try? Syscalls.names(in: descriptor) else { return 0 }
        var count = 0
        for name in names where TemporaryFile.isName(name) {
            guard let file = try? openFile(name, .readingAndWriting) else { continue }
            guard (try? Syscalls.lock(file.descriptor, byte: 0, exclusive: true)) != nil else { continue }
            defer { Syscalls.unlock(file.descriptor, byte: 0) }
            // If its creator installed it between opening and locking, it no longer has this name.
            guard let now = try? Syscalls.status(of: name, in: descriptor)?.identity, now.isSameFile(as: file.identity)
            else { continue }
            // It may contain secrets, as a key file or an unfinished journal does.
            try? file.erase()
            if (try? Syscalls.unlink(name, in: descriptor)) != nil { count += 1 }
        }
        return count
    }
}
