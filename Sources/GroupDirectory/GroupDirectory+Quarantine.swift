// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import Glibc
package import RecordStorage
internal import SystemPackage

extension GroupDirectory {
    /// Writes bytes to the quarantine, durably.
    ///
    /// - Parameters:
    ///   - bytes: the unusable bytes.
    ///   - label: a description of the bytes, in characters of `a-z 0-9 -`.
    /// - Returns: the name of the file in the quarantine.
    /// - Throws: ``StorageError/Code/full``, ``StorageError/Code/readOnly`` and other errors of creating a file.
    @discardableResult
    package func quarantine(_ bytes: RawSpan, label: String) throws(StorageError) -> String {
        try quarantine(label: label) { file throws(StorageError) in
            do throws(Errno) {
                try Syscalls.write(file.descriptor, at: 0, bytes)
            } catch {
                throw StorageError(error, path: file.path, doing: "quarantining bytes")
            }
        }
    }

    /// Writes what `fill` produces to the quarantine, durably.
    ///
    /// - Parameters:
    ///   - label: a description of the bytes, in characters of `a-z 0-9 -`.
    ///   - fill: writes the new file. If it throws, no file is left.
    /// - Returns: the name of the file in the quarantine.
    /// - Throws: the errors of `fill`, ``StorageError/Code/full``, ``StorageError/Code/readOnly`` and other errors of
    ///   creating a file.
    package func quarantine(
        label: String,
        _ fill: (CheckedFile) throws(StorageError) -> Void
    ) throws(StorageError) -> String {
        let folder = try quarantineFolder(creates: true)
        let file = try folder.openFile(Self.quarantineName(label), .creating)
        do throws(StorageError) {
            try fill(file)
            try describing("quarantining bytes", path: file.path) { () throws(Errno) in
                try Syscalls.sync(file.descriptor)
                try Syscalls.syncFolder(folder.descriptor)
            }
        } catch {
            try? Syscalls.unlink(file.name, in: folder.descriptor)
            throw error
        }
        return file.name
    }

    /// Moves a whole file of the group to the quarantine, durably, under a new name.
    ///
    /// - Parameters:
    ///   - name: the file to move.
    ///   - label: a description of the file, in characters of `a-z 0-9 -`.
    /// - Returns: the name of the file in the quarantine.
    /// - Throws: ``StorageError/Code/full``, ``StorageError/Code/readOnly`` and other errors of creating a file.
    @discardableResult
    package func quarantineFile(_ name: String, label: String) throws(StorageError) -> String {
        let quarantine = try quarantineFolder(creates: true)
        let newName = Self.quarantineName(label)
        try describing("quarantining the file", path: path(of: name)) { () throws(Errno) in
            try Syscalls.rename(name, in: folder.descriptor, to: newName, in: quarantine.descriptor)
            try Syscalls.syncFolder(quarantine.descriptor)
        }
        try sync()
        return newName
    }

    /// The quarantined files, oldest first.
    package func quarantined() throws(StorageError) -> [QuarantinedFile] {
        let quarantine: FolderHandle
        do throws(StorageError) {
            quarantine = try quarantineFolder(creates: false)
        } catch {
            if error.code == .notFound { return [] }
            throw error
        }
        let files = try describing("listing the quarantine", path: quarantine.path.string) { () throws(Errno) in
            var files: [QuarantinedFile] = []
            for name in try Syscalls.names(in: quarantine.descriptor) {
                guard let status = try Syscalls.status(of: name, in: quarantine.descriptor),
                    let seconds = status.modifiedSeconds
                else { continue }
                // Count at least a block, because small files may be stored without any.
                let byteCount = min(status.identity.size, max(status.allocatedByteCount, 4096))
                files.append(QuarantinedFile(name: name, byteCount: byteCount, seconds: seconds))
            }
            return files
        }
        return files.sorted { ($0.seconds, $0.name) < ($1.seconds, $1.name) }
    }

    /// Overwrites and deletes the quarantined files, durably. Keeps the folder, because another process may be about to use it.
    ///
    /// - Returns: the deleted files.
    /// - Throws: the error of the first file that cannot be deleted, after deleting the others.
    @discardableResult
    package func emptyQuarantine() throws(StorageError) -> [QuarantinedFile] {
        if let readOnlyReason { throw readOnlyReason }
        let files = try quarantined()
        guard try identity(of: FileName.quarantine) != nil else { return [] }
        let quarantine = try quarantineFolder(creates: false)
        var failure: StorageError?
        for file in files {
            do throws(StorageError) { try quarantine.eraseFile(file.name) } catch { failure = failure ?? error }
        }
        try describing("emptying the quarantine", path: quarantine.path.string) { () throws(Errno) in
            try Syscalls.syncFolder(quarantine.descriptor)
        }
        if let failure { throw failure }
        return files
    }

    private func quarantineFolder(creates: Bool) throws(StorageError) -> FolderHandle {
        if creates {
            if let readOnlyReason { throw readOnlyReason }
            try folder.createFolder(FileName.quarantine)
        }
        return try folder.openOwnFolder(FileName.quarantine)
    }

    private static func quarantineName(_ label: String) -> String {
        "\(label).\(Syscalls.wallClockSeconds).\(Hexadecimal.text(bigEndian: Syscalls.random()))"
    }
}

extension FolderHandle {
    /// Opens a subfolder of this folder and checks it.
    func openOwnFolder(_ name: String) throws(StorageError) -> FolderHandle {
        let path = path(of: name)
        let opened: FileDescriptor
        do throws(Errno) {
            opened = try Syscalls.open(name, in: descriptor, flags: O_RDONLY | O_DIRECTORY)
        } catch {
            if let status = try? Syscalls.status(of: name, in: descriptor) {
                try Ownership.checkOwnFolder(status, path: path)
            }
            throw StorageError(error, path: path, doing: "opening the folder")
        }
        let handle = FolderHandle(opened, in: self, name: name)
        let status = try describing("checking the folder", path: path) { () throws(Errno) in
            try Syscalls.status(opened)
        }
        try Ownership.checkOwnFolder(status, path: path)
        return handle
    }
}

/// A file of unusable bytes in the quarantine.
package struct QuarantinedFile: Hashable, Sendable {
    package let name: String
    /// The size without holes.
    package let byteCount: UInt64
    /// The time of its last modification, in seconds since 1970: the time of quarantining, unless a whole file was
    /// moved.
    package let seconds: Int64
}
