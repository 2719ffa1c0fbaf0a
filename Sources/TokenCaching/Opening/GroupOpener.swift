internal import FileStorage
internal import GroupDirectory
package import RecordStorage
package import Sealing

/// Opens a group, and creates it where that is asked for.
///
/// Opening may take long: it waits for the lock up to the deadline, stretches a passphrase (half a second), and whoever
/// is asked for a passphrase takes the time that it takes. No lock is held meanwhile.
package struct GroupOpener: Sendable {
    private let place: GroupPlace
    private let storage: StorageChoice
    private let access: GroupAccess
    let timeout: Duration
    /// What trying a passphrase costs, for groups that are created.
    package var passphraseCost = KDFParameters.standard
    /// Is told each step of a creation. An error that it returns ends the creation on the spot, as if the process were
    /// killed.
    package var onStep: (@Sendable (OpeningStep) -> StorageError?)?

    package init(_ place: GroupPlace, storage: StorageChoice, access: GroupAccess, timeout: Duration = .seconds(2)) {
        self.place = place
        self.storage = storage
        self.access = access
        self.timeout = timeout
    }

    /// Opens the group.
    ///
    /// - Throws: ``TokenCacheError/Code/notFound``, ``TokenCacheError/Code/storageMismatch``,
    ///   ``TokenCacheError/Code/keyMissing``, ``TokenCacheError/Code/keyRejected``, ``TokenCacheError/Code/damaged``
    ///   and what else folder, key files and journal meet; what the caller's own closure throws passes through.
    package func open() throws(TokenCacheError) -> OpenedGroup {
        switch storage {
        case .memory: return try storing { () throws(StorageError) in try openMemory() }
        case .automatic, .file: return try openFile()
        }
    }

    private func openMemory() throws(StorageError) -> OpenedGroup {
        let keys = try sealing { () throws(SealingError) in try GroupKeys.generate() }
        let memory = MemoryBacking(epoch: keys.epoch)
        return OpenedGroup(
            group: place.name.text,
            store: MemoryStore(memory),
            fileStore: nil,
            memory: memory,
            keyring: try GroupKeyring(keys),
            directory: nil,
            unlocker: nil,
            ownKeyFiles: nil
        )
    }

    private func openFile() throws(TokenCacheError) -> OpenedGroup {
        try withFileGroup { (directory, unlocker) throws(StorageError) in
            let run = FileGroupOpening(
                directory: directory,
                unlocker: unlocker,
                creates: access == .create,
                deadline: .after(timeout),
                passphraseCost: passphraseCost,
                onStep: onStep
            )
            let store = try run.open()
            return OpenedGroup(
                group: place.name.text,
                store: store,
                fileStore: store,
                memory: nil,
                keyring: unlocker.keyring,
                directory: directory,
                unlocker: unlocker,
                ownKeyFiles: place.ownKeyFiles
            )
        }
    }

    /// Runs `body` on the folder of the group, with what opens its key slots.
    func withFileGroup<Result>(
        _ body: (GroupDirectory, KeyUnlocker) throws(StorageError) -> Result
    ) throws(TokenCacheError) -> Result {
        let unlocking: FileUnlocking =
            switch storage {
            case .automatic: .keyFile
            case .file(let unlocking): unlocking
            case .memory: throw TokenCacheError(.storageMismatch, detail: "a group in memory has no folder")
            }
        let materials = try storing { () throws(StorageError) in try KeyMaterial.all(in: unlocking) }
        guard !materials.isEmpty, materials.count(where: { $0.slotKind == .passphrase }) <= 1 else {
            throw TokenCacheError(
                .invalidRequest,
                detail: "a group opens with at least one key, and one passphrase at most"
            )
        }
        let unlocker = try storing { () throws(StorageError) in
            KeyUnlocker(
                group: place.name.text,
                materials: materials,
                ownKeyFiles: place.ownKeyFiles,
                keyring: GroupKeyring()
            )
        }
        do throws(StorageError) {
            let directory = try GroupDirectory.open(
                root: place.root,
                name: place.name,
                access: access.directoryAccess,
                allowsNetworkFileSystem: place.allowsNetworkFileSystem
            )
            return try body(directory, unlocker)
        } catch {
            throw unlocker.takeRefusal() ?? TokenCacheError(error)
        }
    }
}

extension GroupAccess {
    fileprivate var directoryAccess: DirectoryAccess {
        switch self {
        case .create: .create
        case .readWrite: .readWrite
        case .readOnly: .readOnly
        }
    }
}
