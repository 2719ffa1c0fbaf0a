// SPDX-License-Identifier: Apache-2.0

package import RecordStorage
package import SystemPackage

/// An open file of the group that passed every check: a regular file, owned by this user, private, with one name.
///
/// Closes itself when the last reference goes away: keep one for as long as its descriptor is in use.
package final class CheckedFile: Sendable {
    package let descriptor: FileDescriptor
    /// Its name in the folder when it was opened.
    package let name: String
    /// Its path when it was opened, for errors.
    package let path: String
    /// Its state when it was opened.
    package let identity: FileIdentity

    init(_ descriptor: FileDescriptor, name: String, path: String, identity: FileIdentity) {
        self.descriptor = descriptor
        self.name = name
        self.path = path
        self.identity = identity
    }

    deinit {
        Syscalls.close(descriptor)
    }

    /// The offset of the first data between `offset` and `limit`, skipping holes; `nil` if there is none.
    package func data(from offset: UInt64, to limit: UInt64) throws(StorageError) -> Range<UInt64>? {
        try describing("reading the file", path: path) { () throws(Errno) in
            try Syscalls.data(descriptor, from: offset, to: limit)
        }
    }

    /// Its current status, without times. One system call.
    package func currentStatus() throws(StorageError) -> FileStatus {
        try describing("checking the file", path: path) { () throws(Errno) in
            try Syscalls.statusWithoutTimes(descriptor)
        }
    }
}
