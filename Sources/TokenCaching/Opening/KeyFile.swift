// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import GroupRecords
package import RecordStorage
package import Sealing
internal import SystemPackage

/// A key file, identified by its path. Its content is read when needed and not retained.
package struct KeyFile: Hashable, Sendable {
    /// The allowed sizes of a key file.
    static let byteCounts = 32...4_096
    /// The number of random bytes in a key file created here.
    static let newByteCount = 32

    let folder: FilePath
    let name: String
    /// Whether the library created and manages it.
    package let isOwn: Bool
    /// Who else may read it, if it was mounted for this process; nil for a private file. A mounted file is only read.
    let mountedFor: MountedSecret.Readers?

    package var path: String { folder.appending(name).string }

    /// Whether the caller named it as a private file.
    private var isNamed: Bool { !isOwn && mountedFor == nil }

    init(folder: FilePath, name: String, isOwn: Bool, mountedFor: MountedSecret.Readers? = nil) {
        self.folder = folder
        self.name = name
        self.isOwn = isOwn
        self.mountedFor = mountedFor
    }

    /// A key file that the caller named, by a path that may be relative to the current folder.
    ///
    /// - Throws: ``StorageError/Code/keyFileInvalid`` for a path that names no file.
    init(at path: String, mountedFor: MountedSecret.Readers? = nil) throws(StorageError) {
        let absolute = try FilePath(path).absolute()
        guard !path.isEmpty, let last = absolute.lastComponent, last.kind == .regular else {
            throw StorageError(.keyFileInvalid, path: path, detail: "the path names no file")
        }
        self.init(folder: absolute.removingLastComponent(), name: last.string, isOwn: false, mountedFor: mountedFor)
    }

    /// A credential that systemd provides to this process.
    ///
    /// - Throws: ``StorageError/Code/keyMissing`` without `CREDENTIALS_DIRECTORY`, ``StorageError/Code/keyFileInvalid`` if the
    ///   name is none.
    init(credential name: String) throws(StorageError) {
        guard let component = FilePath.Component(name), component.kind == .regular, component.string == name else {
            throw StorageError(.keyFileInvalid, detail: "a credential is named as in the unit, without a path")
        }
        guard let folder = Environment.credentialsFolder, folder.utf8.first == UInt8(ascii: "/") else {
            throw StorageError(
                .keyMissing,
                detail: "CREDENTIALS_DIRECTORY is not set to an absolute path, so there are no credentials of systemd",
                advice: "Add LoadCredential= or LoadCredentialEncrypted= to the unit"
            )
        }
        self.init(folder: FilePath(folder), name: name, isOwn: false, mountedFor: .group)
    }

    /// Reads the file into secret memory.
    ///
    /// - Returns: its content.
    /// - Throws: ``StorageError/Code/keyMissing``, ``StorageError/Code/keyFileInvalid`` for a wrong length,
    ///   ``StorageError/Code/unsafeFile``, ``StorageError/Code/unsafePermissions``.
    package func read() throws(StorageError) -> SlotSecret {
        let content = try content()
        // A file that is being removed must not become the key of a new group.
        if isOwn, Self.isZero(content) {
            throw StorageError(.keyMissing, path: path, detail: "the key file was erased")
        }
        return try Self.secret(content)
    }

    /// Whether the file was overwritten by a removal that was interrupted before it ended.
    package func isErased() -> Bool {
        guard isOwn else { return false }
        do throws(StorageError) {
            return try Self.isZero(content())
        } catch {
            return false
        }
    }

    private func content() throws(StorageError) -> SecretBytes {
        let file: CheckedFile
        do throws(StorageError) {
            file = try open()
        } catch {
            switch error.code {
            case .notFound: throw StorageError(.keyMissing, path: path, detail: "there is no such key file")
            case .unsafePermissions where isNamed, .unsafeFile where isNamed: throw error.advisingMountedSecret
            default: throw error
            }
        }
        let size = file.identity.size
        guard let count = Int(exactly: size), Self.byteCounts.contains(count) else {
            let detail = "it has \(size) bytes; a key file has 32 to 4,096"
            throw StorageError(.keyFileInvalid, path: path, detail: detail)
        }
        var content = try sealing(try SecretBytes(byteCount: count))
        var room = content.mutableBytes
        let read = try describing("reading the key file", path: path) { () throws(Errno) in
            try Syscalls.read(file.descriptor, at: 0, into: &room)
        }
        guard read == count else {
            throw StorageError(.keyFileInvalid, path: path, detail: "it changed while it was being read")
        }
        return content
    }

    /// Opens the file, and checks that nobody else could have written it.
    ///
    /// - Throws: ``StorageError/Code/notFound``, ``StorageError/Code/unsafeFile``,
    ///   ``StorageError/Code/unsafePermissions``.
    func open() throws(StorageError) -> CheckedFile {
        if let mountedFor { return try MountedSecret.open(name, in: folder, readers: mountedFor) }
        return try PrivateFolder.open(folder, isShared: !isOwn).openFile(name)
    }

    /// Creates the file with random content. An existing file is never overwritten.
    ///
    /// - Throws: ``StorageError/Code/exists``, ``StorageError/Code/full``, ``StorageError/Code/readOnly``.
    package func create() throws(StorageError) -> SlotSecret {
        let parent = try PrivateFolder.open(folder, creates: isOwn, isShared: !isOwn)
        let content = try sealing(try SecretBytes.random(byteCount: Self.newByteCount))
        try write(content, in: parent)
        return try Self.secret(content)
    }

    /// The content of the file, which is created if it does not exist: two processes that do this at once get the same
    /// content. In either case the file's name is durable. A mounted file is only read.
    package func readOrCreate() throws(StorageError) -> SlotSecret {
        if mountedFor != nil { return try read() }
        do throws(StorageError) {
            return try readDurably()
        } catch {
            guard error.code == .keyMissing else { throw error }
        }
        do throws(StorageError) {
            return try create()
        } catch {
            guard error.code == .exists else { throw error }
            return try readDurably()
        }
    }

    /// Reads the file and makes its name durable, because its creator may have been interrupted right after renaming
    /// it.
    private func readDurably() throws(StorageError) -> SlotSecret {
        let secret = try read()
        try PrivateFolder.makeNamesDurable(in: folder)
        return secret
    }

    /// Overwrites the file on the disk, then removes it. Only for a file that the library created, and only once what
    /// replaces it is durable.
    package func remove() throws(StorageError) {
        precondition(isOwn, "only the caller removes its own key files")
        try PrivateFolder.open(folder).eraseFile(name)
    }

    /// Renames the file to `other`, which is in the same folder. Only for a file that the library created.
    ///
    /// - Throws: ``StorageError/Code/notFound``; ``StorageError/Code/exists``, in which case nothing was changed.
    func rename(to other: KeyFile) throws(StorageError) {
        precondition(isOwn && folder == other.folder, "a key file stays in its folder")
        try PrivateFolder.open(folder).renameFile(name, to: other.name)
    }

    private func write(_ content: borrowing SecretBytes, in parent: PrivateFolder) throws(StorageError) {
        try parent.createFile(name, content: content.bytes)
    }

    private static func isZero(_ content: borrowing SecretBytes) -> Bool { content.bytes.isZero }

    private static func secret(_ content: consuming SecretBytes) throws(StorageError) -> SlotSecret {
        do throws(SealingError) {
            return try SlotSecret.keyFile(content)
        } catch {
            throw StorageError(error)
        }
    }
}

extension StorageError {
    /// The error for a key file that is not private, with the way to name one that was mounted for this process.
    fileprivate var advisingMountedSecret: StorageError {
        let mounted = "If systemd, Kubernetes or Docker mounts it, name it with --key-credential or --key-file-mounted"
        let advice = advice.map { "\(mounted). Otherwise: \($0)" } ?? mounted
        return StorageError(code, path: path, detail: detail, advice: advice, errno: errno)
    }
}
