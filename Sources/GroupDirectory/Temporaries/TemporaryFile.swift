// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import Glibc
package import RecordStorage
internal import Synchronization
package import SystemPackage

/// A new file of mode 0600 with a random name, which is removed unless it is installed under its final name.
///
/// Its creator holds a lock on it as long as it lives, which distinguishes it from one whose creator was killed.
package final class TemporaryFile: Sendable {
    /// The open file. After installation it is the installed one.
    package let file: CheckedFile
    private let folder: FolderHandle
    private let isInstalled = Atomic<Bool>(false)

    /// The prefix of all temporary file names.
    static let prefix = "tmp."

    package var descriptor: FileDescriptor { file.descriptor }
    package var name: String { file.name }

    /// - Throws: ``StorageError/Code/full``, ``StorageError/Code/readOnly`` and other errors of creating a file.
    init(in folder: FolderHandle) throws(StorageError) {
        self.folder = folder
        for _ in 0..<16 {
            // Until it is locked, a cleaner may take it for an abandoned file.
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
        throw StorageError(
            .busy,
            path: folder.path.string,
            detail: "temporary files are unlinked as soon as they are created"
        )
    }

    deinit {
        if !isInstalled.load(ordering: .acquiring) {
            try? Syscalls.unlink(name, in: folder.descriptor)
        }
        // Unlocked explicitly: a child process may hold the same open file.
        Syscalls.unlock(descriptor, byte: 0)
    }

    /// Allocates this much space on the disk.
    package func reserve(_ byteCount: UInt64) throws(StorageError) {
        try describing("reserving space", path: file.path) { () throws(Errno) in
            try Syscalls.reserve(descriptor, at: 0, count: byteCount)
        }
    }

    /// Marks the file as installed, so that it is not removed.
    func wasInstalled() {
        isInstalled.store(true, ordering: .releasing)
        Syscalls.unlock(descriptor, byte: 0)
    }

    static func randomName() -> String {
        prefix + Hexadecimal.text(bigEndian: Syscalls.random()) + Hexadecimal.text(bigEndian: Syscalls.random())
    }
}
