internal import ByteOperations
internal import Glibc
internal import RecordStorage
internal import Synchronization
package import SystemPackage

/// A new file of mode 0600 with a random name, which is removed again unless it is installed under a lasting name.
///
/// As long as it lives, its maker holds a lock on it: that tells it from one whose maker was killed.
package final class TemporaryFile: Sendable {
    /// The open file. After installation it is the installed one.
    package let file: CheckedFile
    private let folder: FolderHandle
    private let isInstalled = Atomic<Bool>(false)

    /// Begins the names of all temporary files.
    static let prefix = "tmp."

    package var descriptor: FileDescriptor { file.descriptor }
    package var name: String { file.name }

    /// - Throws: ``StorageError/Code/full``, ``StorageError/Code/readOnly`` and what else creating a file meets.
    init(in folder: FolderHandle) throws(StorageError) {
        self.folder = folder
        for _ in 0..<16 {
            // Until it is locked, a cleaner may take it for a left-over.
            let made: CheckedFile
            do throws(StorageError) {
                made = try folder.openFile(Self.randomName(), .creating)
            } catch {
                if error.code == .notFound, error.errno == nil { continue }
                throw error
            }
            if (try? Syscalls.lock(made.descriptor, byte: 0, exclusive: true)) != nil,
                let status = try? Syscalls.status(made.descriptor), status.linkCount == 1
            {
                file = made
                return
            }
        }
        throw StorageError(.busy, path: folder.path.string, detail: "temporary files are removed as soon as made")
    }

    deinit {
        if !isInstalled.load(ordering: .acquiring) {
            try? Syscalls.unlink(name, in: folder.descriptor)
        }
        // Given back by hand: a child process may hold the same open file.
        Syscalls.unlock(descriptor, byte: 0)
    }

    /// Its name is a lasting one now.
    func wasInstalled() {
        isInstalled.store(true, ordering: .releasing)
        Syscalls.unlock(descriptor, byte: 0)
    }

    static func randomName() -> String {
        prefix + Hexadecimal.text(bigEndian: Syscalls.random()) + Hexadecimal.text(bigEndian: Syscalls.random())
    }
}
