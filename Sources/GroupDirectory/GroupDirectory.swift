internal import Glibc
package import RecordStorage
internal import Synchronization
package import SystemPackage

/// The folder of a group: one place for its files, its locks and the page that all its processes share.
///
/// Everything in it is judged before it is trusted: whose it is, who else may touch it, and that no link leads away
/// from it. Nothing found in a wrong state is put right by force; the error says what to do. Safe from any thread.
package final class GroupDirectory: Sendable {
    package let name: GroupName
    package let path: FilePath
    /// Why nothing can be written here, or `nil` where writing is possible.
    package let readOnlyReason: StorageError?
    /// The page that tells all processes of the group that something changed.
    package let revision: RevisionPage
    /// What the page said before anything else of the group was read through this value.
    package let revisionAtOpening: UInt64
    /// Tells one group folder from another within this run of the machine.
    let identity: FileIdentity
    let folder: FolderHandle
    /// Where it lay when it was opened.
    let location: FolderLocation
    /// What ``confirm(_:)`` found last.
    let confirmed = Mutex<Confirmation?>(nil)
    /// The file of the writer's lock, as long as that is held alone through this value.
    let writerLock = Mutex<LockFile.Opened?>(nil)

    /// The names of the files that are never removed.
    package enum FileName {
        package static let lock = "lock"
        package static let leases = "leases"
        package static let revision = "revision"
        package static let state = "store"
        package static let quarantine = "quarantine"
    }

    /// Whether both are one folder, whatever paths lead to it.
    package func isSameFolder(as other: GroupDirectory) -> Bool { identity.isSameFile(as: other.identity) }

    /// Opens the folder of group `name` below `root`.
    ///
    /// - Parameters:
    ///   - root: the parent of group folders; relative to the current folder where it does not begin with a slash.
    ///   - name: the name of the folder.
    ///   - access: what it is opened for.
    ///   - allowsNetworkFileSystem: opens it even where locks may not reach other machines.
    /// - Returns: the folder, judged and ready for use.
    /// - Throws: ``StorageError/Code/notFound``, ``StorageError/Code/unsafePermissions``,
    ///   ``StorageError/Code/unsafeFile``, ``StorageError/Code/networkFileSystem``, ``StorageError/Code/readOnly``
    ///   where it would have to be created and cannot be.
    package static func open(
        root: FilePath,
        name: GroupName,
        access: DirectoryAccess,
        allowsNetworkFileSystem: Bool = false
    ) throws(StorageError) -> GroupDirectory {
        var walk = FolderWalk(creates: access == .create)
        let folder = try openFolder(name, in: walk.open(root), access: access)
        let status = try describing("looking at it", path: folder.path.string) { () throws(Errno) in
            try Syscalls.status(folder.descriptor)
        }
        try Ownership.checkOwnFolder(status, path: folder.path.string)
        let fileSystem = try describing("looking at its file system", path: folder.path.string) { () throws(Errno) in
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
            readOnlyReason: reason
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
        readOnlyReason: StorageError?
    ) throws(StorageError) {
        self.name = name
        self.folder = folder
        self.location = location
        self.identity = identity
        self.readOnlyReason = readOnlyReason
        path = folder.path
        LockQueue.prepare()
        revision = try RevisionPage(folder: folder, isWritable: readOnlyReason == nil)
        revisionAtOpening = revision.word.load()
    }

    /// Fixed now: the current folder may be another one later.
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
                detail: "\(what) stands where the folder of the group belongs; find out who put it there and remove it"
            )
        case .permissionDenied:
            return StorageError(
                .unsafePermissions,
                path: path,
                detail: "this user may not look into the folder of the group; run as its owner"
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
            let detail = "the file system is mounted read-only; nothing can be saved or removed there"
            return StorageError(.readOnly, path: path, detail: detail, errno: .readOnlyFileSystem)
        }
        if access == .readOnly {
            return StorageError(.readOnly, path: path, detail: "the group was opened for reading only")
        }
        if !Syscalls.isWritable(folder.descriptor) {
            let detail = "this user may not write in the folder of the group; allow it with chmod u+w"
            return StorageError(.readOnly, path: path, detail: detail, errno: .permissionDenied)
        }
        return nil
    }
}

/// What a group's folder is opened for.
package enum DirectoryAccess: Hashable, Sendable {
    /// It must exist. Where nothing can be written there it opens read-only and says so.
    case readWrite
    /// It is created where it does not exist, with the folders above it.
    case create
    /// It must exist, and nothing is written.
    case readOnly
}
