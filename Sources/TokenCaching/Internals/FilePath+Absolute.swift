// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
internal import RecordStorage
internal import SystemPackage

extension FilePath {
    /// The absolute path, which stays valid if the process changes its current folder.
    func absolute() throws(StorageError) -> FilePath {
        if isAbsolute { return self }
        return try describing("finding the current folder", path: nil) { () throws(Errno) in
            try Syscalls.currentFolder().pushing(self)
        }
    }
}
