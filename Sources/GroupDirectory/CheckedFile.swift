// SPDX-License-Identifier: Apache-2.0

package import RecordStorage
package import SystemPackage

/// An open file of the group that passed every check: a regular file, owned by this user, private, and with a single
/// name.
///
/// Releasing the last reference closes the file, so keep one while its descriptor is in use.
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

    /// The first range of data between `offset` and `limit`, skipping holes; `nil` if only holes remain.
    package func data(from offset: UInt64, to limit: UInt64) throws(StorageError) -> Range<UInt64>? {
        try describing("reading the file", path: path) { () throws(Errno) in
            try Syscalls.data(descriptor, from: offset, to: limit)
        }
    }

    /// The current status, without times. Takes one system call.
    package func currentStatus() throws(StorageError) -> FileStatus {
        try describing("checking the file", path: path) { () throws(Errno) in
            try Syscalls.statusWithoutTimes(descriptor)
        }
    }
}
