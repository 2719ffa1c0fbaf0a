// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import RecordStorage
package import SystemPackage

/// A secret that the system mounts for a process: a systemd credential, a Kubernetes or a Docker secret.
///
/// Such a file belongs to root as a rule, and other users of the machine or of a container may read it, so the rules for private
/// files would refuse it. What makes it safe is that nobody but root can change it, and that it is on no disk that this process
/// writes to.
package enum MountedSecret {
    /// Who may read such a file besides this user.
    package enum Readers: Hashable, Sendable {
        /// The file's group: systemd grants its units access by a list, which shows as permissions of the group.
        case group
        /// Anybody in the container, as is the default of Docker and Kubernetes.
        case everybody
    }

    private static let maximumLinks = 8

    /// Opens a mounted secret. Links are followed within one file system, because Kubernetes replaces secrets by a link.
    ///
    /// The file is regular, belongs to root or this user, is writable for no group and no other user, and is on a file system that
    /// is mounted read-only or kept in memory. The folders above belong to root or this user, and no other user can replace what is in them.
    ///
    /// - Throws: ``StorageError/Code/notFound``, ``StorageError/Code/unsafeFile``, ``StorageError/Code/unsafePermissions``.
    package static func open(
        _ name: String,
        in folder: FilePath,
        readers: Readers
    ) throws(StorageError) -> CheckedFile {
        var (name, folder) = (name, folder)
        var device: UInt64?
        for _ in 0...maximumLinks {
            var walk = FolderWalk(creates: false)
            let handle = try walk.open(folder)
            let path = handle.path(of: name)
            let status = try describing("checking the file", path: path) { () throws(Errno) in
                try Syscalls.status(of: name, in: handle.descriptor)
            }
            guard let status else {
                throw StorageError(
                    .notFound,
                    path: path,
                    detail: "there is no such file",
                    errno: .noSuchFileOrDirectory
                )
            }
            guard device == nil || status.identity.device == device else {
                throw StorageError(
                    .unsafeFile,
                    path: path,
                    detail: "a symbolic link leads here from another file system",
                    advice: "Name this path, if it is the secret"
                )
            }
            guard status.isLink else { return try open(name, in: handle, path: path, readers: readers) }
            guard Ownership.isOfRootOrThisUser(status) else { break }
            device = status.identity.device
            let target = try describing("reading the link", path: path) { () throws(Errno) in
                try Syscalls.readLink(name, in: handle.descriptor)
            }
            guard let last = target.lastComponent, last.kind == .regular else { break }
            name = last.string
            folder = handle.path.pushing(target.removingLastComponent())
        }
        throw StorageError(
            .unsafeFile,
            path: folder.appending(name).string,
            detail: "its symbolic links are of another user, or too many, or lead to no file",
            advice: "Name the file itself"
        )
    }

    private static func open(
        _ name: String,
        in folder: FolderHandle,
        path: String,
        readers: Readers
    ) throws(StorageError) -> CheckedFile {
        let file: FileDescriptor
        do throws(Errno) {
            // O_NONBLOCK keeps a FIFO from blocking the call.
            file = try Syscalls.open(name, in: folder.descriptor, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
        } catch {
            guard error == .permissionDenied else { throw StorageError(error, path: path, doing: "opening the file") }
            throw StorageError(
                .unsafePermissions,
                path: path,
                detail: "user \(Syscalls.effectiveUserID) may not read it",
                advice: "Mount it with a group or a mode that lets this user read it",
                errno: error
            )
        }
        do throws(StorageError) {
            let (status, system) = try describing("checking the file", path: path) { () throws(Errno) in
                (try Syscalls.status(file), try Syscalls.fileSystem(of: file))
            }
            try Ownership.checkMountedSecret(status, path: path, readers: readers)
            guard system.isReadOnly || FileSystemKind.isInMemory(system.magic) else {
                throw StorageError(
                    .unsafePermissions,
                    path: path,
                    detail: "it is on a disk, and not mounted read-only",
                    advice: "Mount it read-only, or use it as a key file of your own, with mode 0600"
                )
            }
            return CheckedFile(file, name: name, path: path, identity: status.identity)
        } catch {
            Syscalls.close(file)
            throw error
        }
    }
}
