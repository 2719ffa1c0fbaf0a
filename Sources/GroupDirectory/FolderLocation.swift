// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import Synchronization
internal import SystemPackage

/// The path at which a group's folder was opened, and whether it still leads there. A process that has the folder open
/// would keep using it after the folder is renamed, restored or recreated, but other processes would not find what it
/// writes.
final class FolderLocation: Sendable {
    /// The absolute path as given, with unresolved links.
    private let path: String
    private let folder: FolderHandle
    private let identity: FileIdentity
    private let hasMoved = Atomic<Bool>(false)

    init(_ path: FilePath, folder: FolderHandle, identity: FileIdentity) {
        self.path = path.string
        self.folder = folder
        self.identity = identity
    }

    /// Checks that the path still leads to the folder. Takes one system call.
    ///
    /// - Throws: ``StorageError/Code/storageMoved`` if it does not, and in every later call. Ignores other errors of
    ///   the check.
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

    /// Throws the error of an earlier check, if any. Makes no system call.
    func checkKnown() throws(StorageError) {
        if hasMoved.load(ordering: .acquiring) { throw error }
    }

    private var error: StorageError {
        StorageError(
            .storageMoved,
            path: path,
            detail: "the folder was replaced or removed after it was opened"
        )
    }
}
