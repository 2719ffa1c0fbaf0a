// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import GroupDirectory
internal import RecordStorage
internal import SystemPackage
internal import TokenCaching

/// Reads a document from a file, or any other descriptor.
final class DescriptorSource: ByteSource {
    private let file: FileDescriptor
    private let isOwned: Bool
    let totalByteCount: UInt64?
    let mayWait: Bool

    /// Opens a file. Follows a symbolic link, because the caller chose the path.
    ///
    /// - Throws: `notFound`, `unsafeFile` for a folder, `readOnly` if it may not be read.
    convenience init(path: String) throws(StorageError) {
        let file: FileDescriptor
        do throws(Errno) {
            file = try Syscalls.openPath(path, flags: O_RDONLY)
        } catch {
            throw StorageError(reading: error, path: path)
        }
        try self.init(file, isOwned: true, path: path)
    }

    /// Reads a descriptor of the caller from its current position.
    convenience init(descriptor: Int32) throws(StorageError) {
        try self.init(FileDescriptor(rawValue: descriptor), isOwned: false, path: nil)
    }

    private init(_ file: FileDescriptor, isOwned: Bool, path: String?) throws(StorageError) {
        self.file = file
        self.isOwned = isOwned
        let status: FileStatus
        do throws(Errno) {
            status = try Syscalls.status(file)
        } catch {
            if isOwned { Syscalls.close(file) }
            throw StorageError(.system, path: path, detail: "checking the document failed", errno: error)
        }
        guard !status.isFolder else {
            if isOwned { Syscalls.close(file) }
            throw StorageError(.unsafeFile, path: path, detail: "it is a folder", advice: "Name a file")
        }
        mayWait = !status.isRegularFile
        guard status.isRegularFile else {
            totalByteCount = nil
            return
        }
        let start = (try? file.seek(offset: 0, from: .current)) ?? 0
        totalByteCount = status.identity.size - min(status.identity.size, UInt64(max(0, start)))
    }

    deinit {
        if isOwned { Syscalls.close(file) }
    }

    func read(into room: inout MutableRawSpan, from start: Int) throws(StorageError) -> Int {
        try DescriptorReader.read(file.rawValue, into: &room, from: start)
    }
}

extension StorageError {
    /// The reason that a file of the caller could not be opened for reading.
    fileprivate init(reading errno: Errno, path: String) {
        let code: Code =
            switch errno {
            case .noSuchFileOrDirectory: .notFound
            case .permissionDenied, .notPermitted: .readOnly
            default: .system
            }
        let advice: String? =
            switch code {
            case .notFound: "Check the path of the document"
            case .readOnly: "Allow this user to read it, or pass the document on standard input"
            default: nil
            }
        self.init(code, path: path, detail: "opening the document failed", advice: advice, errno: errno)
    }
}
