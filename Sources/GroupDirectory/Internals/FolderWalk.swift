// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
package import RecordStorage
package import SystemPackage

/// Walks from the root of the file system to a folder, component by component, and checks each one.
///
/// It follows links that belong to root or to this user. It opens each folder relative to the previously checked one,
/// so that none can be exchanged in between.
struct FolderWalk {
    private static let maximumLinks = 40

    /// Whether to create missing folders, with mode 0700. Never those that a link leads to.
    private var creates: Bool

    /// Whether the walk leads to a root folder, for which a link to nowhere is an error of its own: it is no root folder
    /// without groups.
    private let isToRoot: Bool

    private var links = 0

    init(creates: Bool, isToRoot: Bool = false) {
        self.creates = creates
        self.isToRoot = isToRoot
    }

    /// Opens the folder at `path`, which may be relative to the current folder.
    mutating func open(_ path: FilePath) throws(StorageError) -> FolderHandle {
        guard !path.isEmpty else {
            throw StorageError(.notFound, detail: "the path of the root folder is empty", advice: "Name a folder")
        }
        guard FilePath(path.string) == path else {
            throw StorageError(
                .notFound,
                detail: "the path of the root folder is not UTF-8",
                advice: "Name another folder"
            )
        }
        var absolute = path
        if !path.isAbsolute {
            absolute = try describing("finding the current folder", path: nil) { () throws(Errno) in
                try Syscalls.currentFolder().pushing(path)
            }
        }
        let names = absolute.components.map { $0.string }
        var trail = [try top()]
        try enter(names, trail: &trail, fullPath: path.string)
        return trail[trail.count - 1]
    }

    private func top() throws(StorageError) -> FolderHandle {
        let descriptor = try describing("opening the top folder", path: "/") { () throws(Errno) in
            try Syscalls.openTop()
        }
        let handle = FolderHandle(top: descriptor)
        try judge(handle)
        return handle
    }

    private mutating func enter(
        _ names: [String],
        trail: inout [FolderHandle],
        fullPath: String
    ) throws(StorageError) {
        for name in names {
            switch name {
            case ".": continue
            case "..": if trail.count > 1 { trail.removeLast() }
            default: try enter(name, trail: &trail, fullPath: fullPath)
            }
        }
    }

    private mutating func enter(
        _ name: String,
        trail: inout [FolderHandle],
        fullPath: String
    ) throws(StorageError) {
        let parent = trail[trail.count - 1]
        let flags = linux_O_PATH | O_DIRECTORY
        // Try to open it as a folder first, and look up its type only if that fails.
        if let descriptor = try? Syscalls.open(name, in: parent.descriptor, flags: flags) {
            let handle = FolderHandle(descriptor, in: parent, name: name)
            try judge(handle)
            trail.append(handle)
            return
        }
        let path = parent.path(of: name)
        var status = try describing("checking the folder", path: path) { () throws(Errno) in
            try Syscalls.status(of: name, in: parent.descriptor)
        }
        if status == nil, creates {
            try parent.createFolder(name)
            status = try describing("checking the folder", path: path) { () throws(Errno) in
                try Syscalls.status(of: name, in: parent.descriptor)
            }
        }
        guard let status else {
            throw StorageError(
                .notFound,
                path: path,
                detail: "the folder does not exist",
                errno: .noSuchFileOrDirectory
            )
        }
        if status.isLink {
            try follow(name, status, trail: &trail, fullPath: fullPath)
            return
        }
        guard status.isFolder else {
            throw StorageError(
                .unsafeFile,
                path: path,
                detail: "\(status.typeName) exists where a folder is expected",
                advice: "Find out how it got there and remove it, or choose another root folder"
            )
        }
        let descriptor = try describing("opening the folder", path: path) { () throws(Errno) in
            try Syscalls.open(name, in: parent.descriptor, flags: flags)
        }
        let handle = FolderHandle(descriptor, in: parent, name: name)
        try judge(handle)
        trail.append(handle)
    }

    private func judge(_ handle: FolderHandle) throws(StorageError) {
        let status = try describing("checking the folder", path: handle.path.string) { () throws(Errno) in
            try Syscalls.status(handle.descriptor)
        }
        try Ownership.checkAncestor(status, path: handle.path.string)
    }

    private mutating func follow(
        _ name: String,
        _ status: FileStatus,
        trail: inout [FolderHandle],
        fullPath: String
    ) throws(StorageError) {
        let parent = trail[trail.count - 1]
        let path = parent.path(of: name)
        guard Ownership.isOfRootOrThisUser(status) else {
            throw StorageError(
                .unsafePermissions,
                path: path,
                detail: "this symbolic link belongs to user \(status.owner), who could point it elsewhere",
                advice: "Choose a root folder whose path does not contain it"
            )
        }
        links += 1
        guard links <= Self.maximumLinks else {
            throw StorageError(
                .unsafeFile,
                path: fullPath,
                detail: "its path contains too many symbolic links",
                advice: "Remove those that lead in a circle, or choose a root folder with a shorter path"
            )
        }
        let target = try describing("reading the link", path: path) { () throws(Errno) in
            try Syscalls.readLink(name, in: parent.descriptor)
        }
        if target.isAbsolute { trail.removeSubrange(1...) }
        let createsRest = creates
        defer { creates = createsRest }
        creates = false
        do throws(StorageError) {
            try enter(target.components.map { $0.string }, trail: &trail, fullPath: fullPath)
        } catch {
            guard error.code == .notFound else { throw error }
            throw StorageError(
                isToRoot ? .system : .notFound,
                path: path,
                detail: "this symbolic link leads to \(target.string), which does not exist",
                advice: "Mount or create it, or remove the link"
            )
        }
    }
}

extension FolderHandle {
    /// Creates a folder of mode 0700, regardless of the umask, and makes its name durable. Syncs the name even if the
    /// folder exists, because another process may have just created it and not synced it yet.
    func createFolder(_ name: String) throws(StorageError) {
        let made = try describing("creating the folder", path: path(of: name)) { () throws(Errno) -> FileStatus? in
            do throws(Errno) {
                try Syscalls.makeFolder(name, in: descriptor, mode: 0o700)
            } catch {
                guard error == .fileExists else { throw error }
                try syncNames()
                return nil
            }
            try? Syscalls.setMode(of: name, in: descriptor, 0o700)
            try syncNames()
            return try Syscalls.status(of: name, in: descriptor)
        }
        guard let status = made, status.isFolder else { return }
        do throws(StorageError) {
            try Ownership.checkKeepsModes(status, path: path(of: name))
        } catch {
            try? Syscalls.removeFolder(name, in: descriptor)
            throw error
        }
    }

    /// Makes changes to the folder's names durable.
    func syncNames() throws(Errno) {
        // Reopen the folder, because a descriptor opened with O_PATH cannot be synced.
        let folder = try Syscalls.open(".", in: descriptor, flags: O_RDONLY | O_DIRECTORY)
        defer { Syscalls.close(folder) }
        try Syscalls.syncFolder(folder)
    }
}

extension PrivateFolder {
    /// Makes changes to the names in the folder at `path` durable, for a caller that relies on a file which another
    /// process may have just created. Ignores a folder that this user may not read, and file systems that are read-only
    /// or cannot sync folders.
    ///
    /// - Throws: the errors of opening the folder, and ``StorageError/Code/system`` if the sync fails.
    package static func makeNamesDurable(in path: FilePath) throws(StorageError) {
        var walk = FolderWalk(creates: false)
        let folder = try walk.open(path)
        do throws(Errno) {
            try folder.syncNames()
        } catch {
            guard ![.permissionDenied, .readOnlyFileSystem, .invalidArgument].contains(error) else { return }
            throw StorageError(error, path: path.string, doing: "syncing the folder")
        }
    }
}
