// SPDX-License-Identifier: Apache-2.0

package import RecordStorage
internal import SystemPackage

/// Small files that are replaced as a whole and may be lost in a system crash.
extension GroupDirectory {
    /// The content of an open file.
    package func bytes(of file: CheckedFile, upTo limit: UInt64) throws(StorageError) -> [UInt8] {
        try describing("reading the file", path: file.path) { () throws(Errno) in
            let size = try Syscalls.status(file.descriptor).identity.size
            return try Syscalls.read(file.descriptor, at: 0, count: Int(min(size, limit)))
        }
    }

    /// Atomically replaces the file called `name` with one of this content, without syncing it.
    ///
    /// - Returns: the state of the new file.
    package func replaceFile(_ name: String, with content: [UInt8]) throws(StorageError) -> FileIdentity {
        let temporary = try makeTemporary()
        return try describing("writing the file", path: path(of: name)) { () throws(Errno) in
            try Syscalls.write(temporary.descriptor, at: 0, content)
            try Syscalls.rename(temporary.name, to: name, in: folder.descriptor)
            temporary.wasInstalled()
            return try Syscalls.status(temporary.descriptor).identity
        }
    }
}
