// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
internal import RecordStorage
internal import SystemPackage
internal import TokenCaching

/// Writes a document to a file of mode 0600, which replaces an existing one only when complete and durable.
final class FileSink: ByteSink {
    private let folder: FileDescriptor
    private let name: String
    private let temporaryName: String
    private let path: String
    private let file: FileDescriptor
    private var offset: UInt64 = 0
    private var isInstalled = false

    /// - Parameter path: the path of the file. Nothing, or a regular file, may exist there.
    /// - Throws: `invalidRequest` for a path that names no file, and codes about files.
    init(_ path: FilePath) throws(StorageError) {
        self.path = path.string
        guard let last = path.lastComponent, last.kind == .regular else {
            throw StorageError(.invalidRequest, path: path.string, detail: "the path names no file")
        }
        name = last.string
        temporaryName = ".\(name.prefix(200)).\(String(Syscalls.random(), radix: 16))"
        let parent = path.removingLastComponent()
        folder = try Self.openFolder(parent.isEmpty ? "." : parent)
        do throws(StorageError) {
            file = try Self.createFile(temporaryName, in: folder, path: path.string)
        } catch {
            Syscalls.close(folder)
            throw error
        }
    }

    deinit {
        if !isInstalled { try? Syscalls.unlink(temporaryName, in: folder) }
        Syscalls.close(file)
        Syscalls.close(folder)
    }

    func write(_ bytes: RawSpan) throws(StorageError) {
        try describing("writing the document", path: path) { () throws(Errno) in
            try Syscalls.write(file, at: offset, bytes)
        }
        offset += UInt64(bytes.byteCount)
    }

    func finish() throws(StorageError) {
        try describing("syncing the document", path: path) { () throws(Errno) in
            try Syscalls.sync(file)
            try Syscalls.rename(temporaryName, to: name, in: folder)
        }
        isInstalled = true
        try describing("syncing the document", path: path) { () throws(Errno) in
            try Syscalls.syncFolder(folder)
        }
    }

    func restart() -> Bool {
        offset = 0
        return (try? Syscalls.truncate(file, to: 0)) != nil
    }

    private static func openFolder(_ path: FilePath) throws(StorageError) -> FileDescriptor {
        try describing("opening the folder", path: path.string) { () throws(Errno) in
            try Syscalls.openFolder(path.string)
        }
    }

    private static func createFile(
        _ name: String,
        in folder: FileDescriptor,
        path: String
    ) throws(StorageError) -> FileDescriptor {
        let file = try describing("creating the file", path: path) { () throws(Errno) in
            try Syscalls.createPrivate(name, in: folder)
        }
        do throws(StorageError) {
            try Ownership.makePrivate(file, path: path)
            return file
        } catch {
            try? Syscalls.unlink(name, in: folder)
            Syscalls.close(file)
            throw error
        }
    }
}
