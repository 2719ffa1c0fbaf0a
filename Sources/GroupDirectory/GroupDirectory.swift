// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import Glibc
package import RecordStorage
internal import Synchronization
package import SystemPackage

/// The folder of a group: its files, its locks and the page that all its processes share.
///
/// Before trusting a file, it checks the owner, the access of other users, and that no link leads out of the folder. It
/// never repairs a wrong state by force; the error says what to do. Thread-safe.
package final class GroupDirectory: Sendable {
    package let name: GroupName
    package let path: FilePath
    /// The reason why the folder is read-only; `nil` if it is writable.
    package let readOnlyReason: StorageError?
    /// The page through which processes of the group learn of changes.
    package let revision: RevisionPage
    /// The revision word, loaded before reading any other data of the group through this value.
    package let revisionAtOpening: UInt64
    /// Identifies the group folder within the current boot.
    let identity: FileIdentity
    let folder: FolderHandle
    /// The path at which the folder was opened.
    let location: FolderLocation
    /// The last result of ``confirm(_:)``.
    let confirmed = Mutex<Confirmation?>(nil)
    /// The file of the writer's lock, while it is held exclusively through this value.
    let writerLock = Mutex<LockFile.Opened?>(nil)

    /// The names of the files that do not depend on the kind of store.
    package enum FileName {
        package static let lock = "lock"
        package static let leases = "leases"
        package static let revision = "revision"
        package static let state = "store"
        package static let quarantine = "quarantine"
    }

    /// Whether both are the same folder, regardless of their paths.
    package func isSameFolder(as other: GroupDirectory) -> Bool { identity.isSameFile(as: other.identity) }

    /// What tells the folder from its copies, and from one that came back from a backup: its number in the file system,
    /// and when it was made. A folder that is renamed or mounted elsewhere keeps it. Nil if it cannot be read.
    package var folderIdentity: String? { try? Syscalls.identity(ofFolder: folder.descriptor) }

    /// Opens the folder of the group `name` below `root`.
    ///
    /// - Parameters:
    ///   - root: the parent of group folders; relative to the current folder unless it begins with a slash.
    ///   - name: the name of the group and its folder.
    ///   - access: the mode in which to open it.
    ///   - allowsNetworkFileSystem: whether to open it even if locks may not reach other machines.
    ///   - ignoresUnsafePage: whether to open it without the shared page if that is no file of this user alone.
    /// - Returns: the checked folder, ready for use.
    /// - Throws: ``StorageError/Code/notFound``, ``StorageError/Code/unsafePermissions``,
    ///   ``StorageError/Code/unsafeFile``, ``StorageError/Code/networkFileSystem``, ``StorageError/Code/readOnly`` if
    ///   it does not exist and cannot be created.
    package static func open(
        root: FilePath,
        name: GroupName,
        access: DirectoryAccess,
        allowsNetworkFileSystem: Bool = false,
        ignoresUnsafePage: Bool = false
    ) throws(StorageError) -> GroupDirectory {
        var walk = FolderWalk(creates: access == .create, isToRoot: true)
        let folder = try openFolder(name, in: walk.open(root), access: access)
        let status = try describing("checking the folder", path: folder.path.string) { () throws(Errno) in
            try Syscalls.status(folder.descriptor)
        }
        try Ownership.checkOwnFolder(status, path: folder.path.string)
        let fileSystem = try describing("checking its file system", path: folder.path.string) { () throws(Errno) in
            try Syscalls.fileSystem(of: folder.descriptor)
        }
        if !allowsNetworkFileSystem {
            try FileSystemKind.check(fileSystem.magic, folder: folder, device: status.identity.device)
        }
        let reason = readOnlyReason(folder, access: access, isReadOnlyMount: fileSystem.isReadOnly)
        let directory = try GroupDirectory(
            name: name,
            folder: folder,
            location: FolderLocation(absolutePath(of: name, in: root), folder: folder, identity: status.identity),
            identity: status.identity,
            readOnlyReason: reason,
            ignoresUnsafePage: ignoresUnsafePage
        )
        if access == .create, reason == nil {
            try folder.ensureFile(FileName.lock)
            try folder.ensureFile(FileName.leases)
        }
        return directory
    }

    private init(
        name: GroupName,
        folder: FolderHandle,
        location: FolderLocation,
        identity: FileIdentity,
        readOnlyReason: StorageError?,
        ignoresUnsafePage: Bool
    ) throws(StorageError) {
        self.name = name
        self.folder = folder
        self.location = location
        self.identity = identity
        self.readOnlyReason = readOnlyReason
        path = folder.path
        LockQueue.prepare()
        revision = try RevisionPage(
            folder: folder,
            isWritable: readOnlyReason == nil,
            ignoresUnsafeFile: ignoresUnsafePage
        )
        revisionAtOpening = revision.word.load()
    }

    /// The same folder, to read only: what is read through it is not announced to other processes.
    package func readOnlyDirectory() throws(StorageError) -> GroupDirectory {
        try GroupDirectory(
            name: name,
            folder: folder,
            location: location,
            identity: identity,
            readOnlyReason: Self.readOnlyReason(folder, access: .readOnly, isReadOnlyMount: false),
            ignoresUnsafePage: true
        )
    }

    /// The retired folder of a group, to read.
    convenience init(retired folder: FolderHandle, name: GroupName) throws(StorageError) {
        let identity = try describing("checking the folder", path: folder.path.string) { () throws(Errno) in
            try Syscalls.status(folder.descriptor).identity
        }
        try self.init(
            name: name,
            folder: folder,
            location: FolderLocation(folder.path, folder: folder, identity: identity),
            identity: identity,
            readOnlyReason: Self.readOnlyReason(folder, access: .readOnly, isReadOnlyMount: false),
            ignoresUnsafePage: true
        )
    }

    /// Resolves a relative path at once, because the current folder may change later.
    private static func absolutePath(of name: GroupName, in root: FilePath) throws(StorageError) -> FilePath {
        if root.isAbsolute { return root.appending(name.text) }
        return try describing("finding the current folder", path: nil) { () throws(Errno) in
            try Syscalls.currentFolder().pushing(root).appending(name.text)
        }
    }

    private static func openFolder(
        _ name: GroupName,
        in parent: FolderHandle,
        access: DirectoryAccess
    ) throws(StorageError) -> FolderHandle {
        let flags = O_RDONLY | O_DIRECTORY
        do throws(Errno) {
            let descriptor = try Syscalls.open(name.text, in: parent.descriptor, flags: flags)
            return FolderHandle(descriptor, in: parent, name: name.text)
        } catch {
            let path = parent.path(of: name.text)
            guard error == .noSuchFileOrDirectory, access == .create else {
                throw refusal(error, name: name, parent: parent)
            }
            try parent.createFolder(name.text)
            let descriptor = try describing("opening the folder", path: path) { () throws(Errno) in
                try Syscalls.open(name.text, in: parent.descriptor, flags: flags)
            }
            return FolderHandle(descriptor, in: parent, name: name.text)
        }
    }

    private static func refusal(_ error: Errno, name: GroupName, parent: FolderHandle) -> StorageError {
        let path = parent.path(of: name.text)
        switch error {
        case .noSuchFileOrDirectory:
            return StorageError(.notFound, path: path, detail: "there is no group of this name", errno: error)
        case .notDirectory, .tooManySymbolicLinkLevels:
            let status = try? Syscalls.status(of: name.text, in: parent.descriptor)
            let what = status?.typeName ?? "something else"
            return StorageError(
                .unsafeFile,
                path: path,
                detail: "\(what) exists where the group's folder is expected",
                advice: "Find out how it got there and remove it"
            )
        case .permissionDenied:
            // Without a status, the folder above is the one that may not be searched.
            let own = try? Syscalls.status(of: name.text, in: parent.descriptor)
            let folder = own == nil ? parent.path.string : path
            let status = own ?? (try? Syscalls.status(parent.descriptor))
            let isOfThisUser = status?.owner == Syscalls.effectiveUserID
            return StorageError(
                .unsafePermissions,
                path: folder,
                detail: "this user may not search the folder",
                advice: isOfThisUser
                    ? "Run chmod 700 \(ShellWord.quoted(folder))" : "Run this as the owner of the folder"
            )
        default:
            return StorageError(error, path: path, doing: "opening the folder")
        }
    }

    private static func readOnlyReason(
        _ folder: FolderHandle,
        access: DirectoryAccess,
        isReadOnlyMount: Bool
    ) -> StorageError? {
        let path = folder.path.string
        if isReadOnlyMount {
            return StorageError(
                .readOnly,
                path: path,
                detail: "the file system is mounted read-only",
                advice: "Mount it writable to save or remove anything there",
                errno: .readOnlyFileSystem
            )
        }
        if access == .readOnly {
            return StorageError(
                .readOnly,
                path: path,
                detail: "the group was opened for reading only",
                advice: "Open it for writing"
            )
        }
        if !Syscalls.isWritable(folder.descriptor) {
            return StorageError(
                .readOnly,
                path: path,
                detail: "this user may not write in the folder of the group",
                advice: "Allow it with chmod u+w \(ShellWord.quoted(path))",
                errno: .permissionDenied
            )
        }
        return nil
    }
}

/// The mode in which a group's folder is opened.
package enum DirectoryAccess: Hashable, Sendable {
    /// The folder must exist. If it is not writable, it opens read-only and reports the reason.
    case readWrite
    /// The folder and its parents are created if missing.
    case create
    /// The folder must exist, and is not written to.
    case readOnly
}

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
