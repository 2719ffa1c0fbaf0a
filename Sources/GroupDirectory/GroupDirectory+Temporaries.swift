// SPDX-License-Identifier: Apache-2.0

package import RecordStorage
internal import SystemPackage

extension GroupDirectory {
    /// Creates a temporary file, which is removed unless it is installed.
    package func makeTemporary() throws(StorageError) -> TemporaryFile {
        if let readOnlyReason { throw readOnlyReason }
        return try TemporaryFile(in: folder)
    }

    /// Installs a temporary file durably: syncs it, renames it over any file called `name`, and syncs the folder.
    ///
    /// If other processes must not see the replacement, the caller holds the lock for it. Because syncing can take
    /// long, the lock is checked again afterwards.
    ///
    /// - Parameters:
    ///   - temporary: the new file.
    ///   - name: its new name.
    ///   - confirm: called last; throws if the current file must not be replaced.
    /// - Throws: ``StorageError/Code/busy`` if other processes may hold the writer's lock as well as the caller; the
    ///   errors of `confirm`; ``StorageError/Code/indeterminate`` if a sync failed. If the file's sync failed, the old
    ///   file is still there; if the folder's failed, the new file is there but may be gone after a crash.
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

    /// Renames a file durably to the name of an abandoned temporary file, before its content is erased, so that it is
    /// removed even if the caller is killed.
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

    /// The number of temporary files whose creators are gone.
    package var staleTemporaryCount: Int {
        guard let names = try? Syscalls.names(in: folder.descriptor) else { return 0 }
        return names.count { name in
            guard name.hasPrefix(TemporaryFile.prefix), let file = try? openFile(name, .readingAndWriting),
                (try? Syscalls.lock(file.descriptor, byte: 0, exclusive: true)) != nil
            else { return false }
            Syscalls.unlock(file.descriptor, byte: 0)
            return true
        }
    }

    /// Removes temporary files whose creators are gone. Those in use stay. Never fails: files that cannot be removed
    /// stay.
    ///
    /// - Returns: the number of files removed.
    @discardableResult
    package func removeStaleTemporaries() -> Int {
        readOnlyReason == nil ? folder.removeStaleTemporaries() : 0
    }
}

extension FolderHandle {
    /// Removes temporary files whose creators are gone, and returns their number.
    @discardableResult
    func removeStaleTemporaries() -> Int {
        guard let names = try? Syscalls.names(in: descriptor) else { return 0 }
        var count = 0
        for name in names where name.hasPrefix(TemporaryFile.prefix) {
            guard let file = try? openFile(name, .readingAndWriting) else { continue }
            guard (try? Syscalls.lock(file.descriptor, byte: 0, exclusive: true)) != nil else { continue }
            defer { Syscalls.unlock(file.descriptor, byte: 0) }
            // It may have been installed between opening and locking it; then this name is gone and nothing happens.
            if (try? Syscalls.unlink(name, in: descriptor)) != nil { count += 1 }
        }
        return count
    }
}
