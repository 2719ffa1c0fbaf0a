internal import RecordStorage
internal import Synchronization
internal import SystemPackage

/// Where the folder of a group lay when it was opened, and whether it still does. Whoever has it open goes on in a folder that
/// was renamed, put back or made anew, and nobody else would find what is written there.
final class FolderLocation: Sendable {
    /// From the top on, as it was named: with its links.
    private let path: String
    private let folder: FolderHandle
    private let identity: FileIdentity
    private let hasMoved = Atomic<Bool>(false)

    init(_ path: FilePath, folder: FolderHandle, identity: FileIdentity) {
        self.path = path.string
        self.folder = folder
        self.identity = identity
    }

    /// Looks whether the path still leads to the folder. One system call.
    ///
    /// - Throws: ``StorageError/Code/storageMoved`` where it leads elsewhere or nowhere, and ever after. That it cannot be
    ///   told says nothing.
    func check() throws(StorageError) {
        try checkKnown()
        do throws(Errno) {
            let found = try Syscalls.status(of: path, in: folder.descriptor)
            if found?.identity.isSameFile(as: identity) == true { return }
        } catch {
            guard error == .notDirectory else { return }
        }
        hasMoved.store(true, ordering: .releasing)
        throw error
    }

    /// The same as of the last look. No system call.
    func checkKnown() throws(StorageError) {
        if hasMoved.load(ordering: .acquiring) { throw error }
    }

    private var error: StorageError {
        StorageError(
            .storageMoved,
            path: path,
            detail: "the folder that was opened there is another one, or none, by now; open the group anew"
        )
    }
}
