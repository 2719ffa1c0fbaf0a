// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import Glibc
package import RecordStorage
internal import Synchronization
package import SystemPackage

/// A new file of mode 0600 with a random name. It is removed unless it gets installed under its final name.
///
/// Its creator keeps it locked, which distinguishes it from a file whose creator was killed.
package final class TemporaryFile: Sendable {
    /// The open file; after installation, the installed file.
    package let file: CheckedFile
    private let folder: FolderHandle
    private let isInstalled = Atomic<Bool>(false)

    private static let prefix = "tmp."
    private static let digitCount = 32

    /// Whether a file of this name is temporary: the prefix and 32 lowercase hexadecimal digits.
    static func isName(_ name: String) -> Bool {
        let digits = name.dropFirst(prefix.count)
        return name.hasPrefix(prefix) && digits.utf8.count == digitCount && Hexadecimal.isDigits(String(digits))
    }

    package var descriptor: FileDescriptor { file.descriptor }
    package var name: String { file.name }

    /// - Throws: ``StorageError/Code/full``, ``StorageError/Code/readOnly`` and other errors of creating a file.
    init(in folder: FolderHandle) throws(StorageError) {
        self.folder = folder
        for _ in 0..<16 {
            // Retry, because until the file is locked, another process may remove it as abandoned.
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
        // Unlock explicitly, because a child process may hold the same open file.
        Syscalls.unlock(descriptor, byte: 0)
    }

    /// Allocates disk space for the file.
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
