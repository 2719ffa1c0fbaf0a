// SPDX-License-Identifier: Apache-2.0

// SAFETY: paths are C strings for the length of a call; what getcwd and readlink allocate or fill is copied, bounded
// by the count they return, before it is freed.

internal import CLinux
internal import Glibc
package import SystemPackage

extension Syscalls {
    /// Opens `name`, a single component, in `folder` without following links. Always adds O_CLOEXEC and O_NOFOLLOW.
    /// With O_CREAT the file gets mode 0600 minus the umask.
    ///
    /// Falls back to openat if the kernel lacks openat2 or a sandbox refuses it. For a name without a slash, O_NOFOLLOW
    /// has the same effect.
    package static func open(
        _ name: String,
        in folder: FileDescriptor,
        flags: Int32
    ) throws(Errno) -> FileDescriptor {
        try SyscallFaults.check(.open)
        // openat2 rejects a mode without O_CREAT.
        let mode: UInt32 = flags & O_CREAT != 0 ? 0o600 : 0
        let allFlags = flags | O_CLOEXEC | O_NOFOLLOW
        do throws(Errno) {
            let result = try retrying {
                unsafe linux_openat2(
                    folder.rawValue,
                    name,
                    allFlags,
                    mode,
                    linux_RESOLVE_NO_SYMLINKS | linux_RESOLVE_BENEATH
                )
            }
            return FileDescriptor(rawValue: result)
        } catch {
            guard error == .noFunction || error == .notPermitted else { throw error }
        }
        let result = try retrying { unsafe linux_openat(folder.rawValue, name, allFlags, mode) }
        return FileDescriptor(rawValue: result)
    }

    /// Creates a file of mode 0600 for reading and writing; throws ``Errno/fileExists`` if the name is taken.
    package static func createPrivate(_ name: String, in folder: FileDescriptor) throws(Errno) -> FileDescriptor {
        try open(name, in: folder, flags: O_RDWR | O_CREAT | O_EXCL)
    }

    /// Opens an existing file that the caller named, following links.
    package static func openPath(_ path: String, flags: Int32) throws(Errno) -> FileDescriptor {
        FileDescriptor(rawValue: try retrying { unsafe linux_openat(AT_FDCWD, path, flags | O_CLOEXEC, 0) })
    }

    /// Opens the folder at `path`.
    package static func openFolder(_ path: String) throws(Errno) -> FileDescriptor {
        try openPath(path, flags: O_RDONLY | O_DIRECTORY)
    }

    /// Opens `/dev/null` for each of standard input, output and error that is closed. Call it before a library that opens
    /// descriptors by itself, so that the output of the program does not reach a socket of that library.
    package static func fillStandardDescriptors() { linux_fill_standard_descriptors() }

    package static func openTop() throws(Errno) -> FileDescriptor {
        try openPath("/", flags: linux_O_PATH | O_DIRECTORY)
    }

    /// The current folder, from which relative paths start.
    package static func currentFolder() throws(Errno) -> FilePath {
        guard let text = unsafe getcwd(nil, 0) else { throw Errno(rawValue: Glibc.errno) }
        defer { unsafe free(text) }
        guard let path = unsafe String(validatingCString: text) else { throw .illegalByteSequence }
        return FilePath(path)
    }

    /// Creates a folder.
    package static func makeFolder(_ name: String, in folder: FileDescriptor, mode: UInt32) throws(Errno) {
        try SyscallFaults.check(.mkdir)
        _ = try once { unsafe mkdirat(folder.rawValue, name, mode) }
    }

    /// Sets the permission bits of a newly created folder by name, because an unusual umask may keep its owner from
    /// opening it. The caller ensures that no other user can exchange the folder.
    package static func setMode(of name: String, in folder: FileDescriptor, _ mode: UInt32) throws(Errno) {
        _ = try retrying { unsafe fchmodat(folder.rawValue, name, mode, 0) }
    }

    /// Renames `name` within its folder, replacing any file called `newName`.
    package static func rename(_ name: String, to newName: String, in folder: FileDescriptor) throws(Errno) {
        try rename(name, in: folder, to: newName, in: folder)
    }

    /// Moves and renames `name`, replacing any file called `newName`.
    package static func rename(
        _ name: String,
        in folder: FileDescriptor,
        to newName: String,
        in newFolder: FileDescriptor
    ) throws(Errno) {
        try SyscallFaults.check(.rename)
        _ = try once { unsafe renameat(folder.rawValue, name, newFolder.rawValue, newName) }
    }

    /// Renames `name` without replacing another file; throws ``Errno/fileExists`` if the new name is taken.
    ///
    /// On file systems that cannot do this, throws ``Errno/invalidArgument`` or ``Errno/noFunction``.
    package static func renameToNew(_ name: String, to newName: String, in folder: FileDescriptor) throws(Errno) {
        try SyscallFaults.check(.rename)
        _ = try once { unsafe linux_rename_new(folder.rawValue, name, newName) }
    }

    /// Creates a hard link; throws ``Errno/fileExists`` if the name is taken.
    package static func link(_ name: String, to newName: String, in folder: FileDescriptor) throws(Errno) {
        try SyscallFaults.check(.rename)
        _ = try once { unsafe linkat(folder.rawValue, name, folder.rawValue, newName, 0) }
    }

    /// Removes a name of a file.
    package static func unlink(_ name: String, in folder: FileDescriptor) throws(Errno) {
        try SyscallFaults.check(.unlink)
        _ = try once { unsafe unlinkat(folder.rawValue, name, 0) }
    }

    /// Removes an empty folder.
    package static func removeFolder(_ name: String, in folder: FileDescriptor) throws(Errno) {
        try SyscallFaults.check(.unlink)
        _ = try once { unsafe unlinkat(folder.rawValue, name, AT_REMOVEDIR) }
    }

    /// The target of a symbolic link.
    package static func readLink(_ name: String, in folder: FileDescriptor) throws(Errno) -> FilePath {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let capacity = buffer.count
        let count = try once { unsafe readlinkat(folder.rawValue, name, &buffer, capacity) }
        guard let text = String(validating: buffer[..<count].lazy.map(UInt8.init(bitPattern:)), as: UTF8.self) else {
            throw .illegalByteSequence
        }
        return FilePath(text)
    }

    /// The names in a folder except "." and "..", unordered. Omits names that are not UTF-8, since the library creates
    /// none.
    package static func names(in folder: FileDescriptor) throws(Errno) -> [String] {
        let own = try retrying { unsafe linux_openat(folder.rawValue, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0) }
        guard let stream = unsafe fdopendir(own) else {
            let code = Errno(rawValue: Glibc.errno)
            _ = Glibc.close(own)
            throw code
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while true {
            Glibc.errno = 0
            guard let entry = unsafe readdir(stream) else {
                let code = Errno(rawValue: Glibc.errno)
                if code.rawValue != 0 { throw code }
                return names
            }
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
                unsafe field.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(validatingCString: $0) }
            }
            if let name, name != ".", name != ".." { names.append(name) }
        }
    }

    /// Makes changes to the names in a folder durable.
    package static func syncFolder(_ folder: FileDescriptor) throws(Errno) {
        try SyscallFaults.check(.fsync)
        _ = try retrying { Glibc.fsync(folder.rawValue) }
    }

    /// Whether this process may create and remove names in a folder.
    package static func isWritable(_ folder: FileDescriptor) -> Bool {
        unsafe faccessat(folder.rawValue, ".", W_OK | X_OK, AT_EACCESS) == 0
    }
}
