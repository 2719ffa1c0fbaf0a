// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import Glibc
package import RecordStorage
package import SystemPackage

/// Checks that only this user or root could have written the files and folders that a group relies on.
package enum Ownership {
    static func isOfRootOrThisUser(_ status: FileStatus) -> Bool {
        status.owner == 0 || status.owner == Syscalls.effectiveUserID
    }

    /// Checks a parent folder: owned by root or this user, and writable by other users only if sticky.
    static func checkAncestor(_ status: FileStatus, path: @autoclosure () -> String) throws(StorageError) {
        guard isOfRootOrThisUser(status) else {
            throw StorageError(
                .unsafePermissions,
                path: path(),
                detail: "this folder belongs to user \(status.owner), who could replace everything below it",
                advice: "Run this as user \(status.owner), or choose a root folder below folders of your own or of root"
            )
        }
        guard status.permissions & 0o022 == 0 || status.permissions & S_ISVTX != 0 else {
            throw StorageError(
                .unsafePermissions,
                path: path(),
                detail: "other users can write in this folder (mode \(octal(status))) and so replace what is below it",
                advice: "Remove that permission with chmod go-w \(ShellWord.quoted(path()))"
            )
        }
    }

    /// Checks a folder of the library: owned by this user, and inaccessible to other users.
    static func checkOwnFolder(_ status: FileStatus, path: @autoclosure () -> String) throws(StorageError) {
        guard status.isFolder else {
            throw StorageError(
                .unsafeFile,
                path: path(),
                detail: "\(status.typeName) exists where a folder is expected",
                advice: "Find out how it got there and remove it"
            )
        }
        try checkOwner(status, path: path(), otherwise: "choose another root folder")
        try checkPrivate(status, path: path(), cure: "chmod 700")
    }

    /// Checks a file of the library: regular, owned by this user, with a single name, and inaccessible to other users.
    static func checkOwnFile(_ status: FileStatus, path: @autoclosure () -> String) throws(StorageError) {
        guard status.isRegularFile else {
            throw StorageError(
                .unsafeFile,
                path: path(),
                detail: "\(status.typeName) exists where a regular file is expected",
                advice: "Find out how it got there and remove it"
            )
        }
        try checkOwner(
            status,
            path: path(),
            otherwise: "if it is yours, let root run chown \(Syscalls.effectiveUserID) \(ShellWord.quoted(path()))"
        )
        try checkPrivate(status, path: path(), cure: "chmod 600")
        guard status.linkCount <= 1 else {
            throw StorageError(
                .unsafeFile,
                path: path(),
                detail: "this file has \(status.linkCount) names (hard links)",
                advice: "Find the others with find -samefile, and remove them"
            )
        }
        guard status.linkCount == 1 else {
            throw StorageError(.notFound, path: path(), detail: "this file has just been removed")
        }
    }

    /// Makes a new file private, and checks that it is: a file system without modes, such as exFAT, ignores the change or
    /// refuses it.
    package static func makePrivate(_ file: FileDescriptor, path: String) throws(StorageError) {
        try? Syscalls.setMode(file, 0o600)
        let status = try describing("checking the file", path: path) { () throws(Errno) in
            try Syscalls.status(file)
        }
        try checkKeepsModes(status, path: path)
    }

    /// Checks that a new file or folder is private.
    static func checkKeepsModes(_ status: FileStatus, path: String) throws(StorageError) {
        guard status.permissions & 0o677 == 0o600 else {
            throw StorageError(
                .unsafePermissions,
                path: path,
                detail: "its file system keeps no permissions, so other users might read it (mode \(octal(status)))",
                advice: "Choose a folder on a file system that keeps them, such as ext4, XFS or Btrfs"
            )
        }
    }

    /// Checks a secret that was mounted for this process: regular, of root or this user, and writable for nobody else.
    static func checkMountedSecret(
        _ status: FileStatus,
        path: @autoclosure () -> String,
        readers: MountedSecret.Readers
    ) throws(StorageError) {
        guard status.isRegularFile else {
            throw StorageError(
                .unsafeFile,
                path: path(),
                detail: "\(status.typeName) exists where a regular file is expected",
                advice: "Name the file that was mounted"
            )
        }
        guard isOfRootOrThisUser(status) else {
            throw StorageError(
                .unsafePermissions,
                path: path(),
                detail: "it belongs to user \(status.owner), and this process runs as user \(Syscalls.effectiveUserID)",
                advice: "Mount it with root or user \(Syscalls.effectiveUserID) as its owner"
            )
        }
        guard status.permissions & 0o022 == 0 else {
            throw StorageError(
                .unsafePermissions,
                path: path(),
                detail: "other users can write to it (mode \(octal(status)))",
                advice: "Mount it with mode 0440"
            )
        }
        guard readers == .everybody || status.permissions & 0o007 == 0 else {
            throw StorageError(
                .unsafePermissions,
                path: path(),
                detail: "every user can read it (mode \(octal(status)))",
                advice: "Let systemd provide it, with LoadCredential= or LoadCredentialEncrypted="
            )
        }
    }

    private static func checkOwner(
        _ status: FileStatus,
        path: @autoclosure () -> String,
        otherwise cure: @autoclosure () -> String
    ) throws(StorageError) {
        guard status.owner == Syscalls.effectiveUserID else {
            throw StorageError(
                .unsafePermissions,
                path: path(),
                detail: "it belongs to user \(status.owner), and this process runs as user \(Syscalls.effectiveUserID)",
                advice: "Run this as user \(status.owner), or \(cure())"
            )
        }
    }

    private static func checkPrivate(_ status: FileStatus, path: @autoclosure () -> String, cure: String)
        throws(StorageError)
    {
        guard status.permissions & 0o077 == 0 else {
            throw StorageError(
                .unsafePermissions,
                path: path(),
                detail: "other users have access to it (mode \(octal(status)))",
                advice: "Make sure that no one tampered with it, then run \(cure) \(ShellWord.quoted(path()))"
            )
        }
    }

    private static func octal(_ status: FileStatus) -> String {
        let digits = String(status.permissions, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
