package import RecordStorage
internal import SystemPackage

extension GroupDirectory {
    /// Makes a new file that vanishes again unless it is installed.
    package func makeTemporary() throws(StorageError) -> TemporaryFile {
        if let readOnlyReason { throw readOnlyReason }
        return try TemporaryFile(in: folder)
    }

    /// Gives a temporary file a lasting name, durably: syncs it, renames it over what bears the name, syncs the folder.
    ///
    /// Where replacing is not to be seen by others, the caller holds the lock for it. Syncing may take long: that the lock still
    /// is one is made sure of behind that.
    ///
    /// - Parameters:
    ///   - temporary: the new file.
    ///   - name: what it is to be called.
    ///   - confirm: is asked last, and throws where it is not to take the place of what bears the name now.
    /// - Throws: ``StorageError/Code/busy`` where others may have the writer's lock that the caller holds; what `confirm`
    ///   throws; ``StorageError/Code/indeterminate`` where a sync failed. If that was the file's, the old file is
    ///   still there; if that was the folder's, the new file is there and may be gone after a crash.
    package func install(
        _ temporary: TemporaryFile,
        as name: String,
        confirming confirm: () throws(StorageError) -> Void = {}
    ) throws(StorageError) {
        do throws(Errno) {
            try Syscalls.sync(temporary.descriptor)
        } catch {
            let code: StorageError.Code = error == .noSpace ? .full : .indeterminate
            let detail = "the new file could not be made durable and was not put in place"
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

    /// Takes a file its name, durably, before its content goes: from here on it is a temporary file that nobody uses, which
    /// is removed even where the caller is killed.
    ///
    /// - Returns: the name that it bears now.
    package func retire(_ name: String) throws(StorageError) -> String {
        if let readOnlyReason { throw readOnlyReason }
        let newName = TemporaryFile.randomName()
        try describing("removing the file", path: path(of: name)) { () throws(Errno) in
            try Syscalls.rename(name, to: newName, in: folder.descriptor)
        }
        try sync()
        return newName
    }

    /// Removes temporary files whose makers are gone. Those in use stay. Never fails: what cannot be removed stays.
    ///
    /// - Returns: number of files removed.
    @discardableResult
    package func removeStaleTemporaries() -> Int {
        readOnlyReason == nil ? folder.removeStaleTemporaries() : 0
    }
}

extension FolderHandle {
    /// Removes temporary files whose makers are gone; says how many.
    @discardableResult
    func removeStaleTemporaries() -> Int {
        guard let names = try? Syscalls.names(in: descriptor) else { return 0 }
        var count = 0
        for name in names where name.hasPrefix(TemporaryFile.prefix) {
            guard let file = try? openFile(name, .readingAndWriting) else { continue }
            guard (try? Syscalls.lock(file.descriptor, byte: 0, exclusive: true)) != nil else { continue }
            defer { Syscalls.unlock(file.descriptor, byte: 0) }
            // It may have got a lasting name between opening and locking it; then this name is gone and nothing happens.
            if (try? Syscalls.unlink(name, in: descriptor)) != nil { count += 1 }
        }
        return count
    }
}
