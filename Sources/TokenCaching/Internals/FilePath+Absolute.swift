internal import GroupDirectory
internal import RecordStorage
internal import SystemPackage

extension FilePath {
    /// The same path from the top on, so that it means the same after the process moved to another folder.
    func absolute() throws(StorageError) -> FilePath {
        if isAbsolute { return self }
        return try describing("finding the current folder", path: nil) { () throws(Errno) in
            try Syscalls.currentFolder().pushing(self)
        }
    }
}
