// SPDX-License-Identifier: Apache-2.0

internal import FileStorage
package import GroupDirectory
package import RecordStorage
internal import Sealing
internal import SecretServiceStorage
internal import SystemPackage

/// A kind of store that a group can have: what is needed to open a group, and to remove what a migration left.
package protocol StorageBackend: Sendable {
    /// The kind, as the state file of a group names it.
    var kind: StorageKind { get }

    /// Whether `directory` contains files of this store that cannot be opened without a state file. If the state file
    /// is missing, they prevent a new group from being created there.
    func needsState(in directory: GroupDirectory) throws(StorageError) -> Bool

    /// The error if the store needs a state file and it is missing.
    func missingState(in directory: GroupDirectory) -> StorageError

    /// Whether the store keeps records, or a list of them, in a file of this name in the folder of a group: such files
    /// are erased with the group, and others are not touched.
    func keepsRecords(in fileName: String) -> Bool

    /// Opens the group in `directory`, or creates it if `opener` may.
    ///
    /// - Returns: `nil` if another process changed the folder in the meantime, so that the caller must look again.
    func open(
        _ opener: GroupOpener,
        in directory: GroupDirectory,
        plan: StoragePlan,
        time: WaitingTime
    ) throws(StorageError) -> OpenedGroup?

    /// The newest transaction that a store of this kind has of the group; `nil` if it has nothing of it. Opens it, and
    /// changes nothing.
    ///
    /// - Throws: ``StorageError/Code/foreign`` if the store contains something else, and errors of the store.
    func newestSequence(in store: StoreReference, for removal: LeftoverRemoval) throws(StorageError) -> UInt64?

    /// Removes the group's records from a store of this kind, which was opened and is not the group's. The caller holds
    /// the lock for keys.
    func empty(_ store: StoreReference, for removal: LeftoverRemoval) throws(StorageError)
}

extension StorageBackend {
    package func missingState(in directory: GroupDirectory) -> StorageError {
        StorageError(
            .damaged,
            path: directory.path(of: GroupDirectory.FileName.state),
            detail: "the state file is missing",
            advice: "Move the folder away to start over"
        )
    }
}

/// The kinds of store that this version knows. A module that treats each kind differently switches over this type, so
/// that the compiler reports every switch that lacks a new kind.
package enum KnownStorage: CaseIterable, Sendable {
    case file, keyring

    /// The kind that a state file names; `nil` if this version does not know it.
    package init?(_ kind: StorageKind) {
        guard let known = Self.allCases.first(where: { $0.backend.kind == kind }) else { return nil }
        self = known
    }

    package var backend: any StorageBackend {
        switch self {
        case .file: FileBackend()
        case .keyring: KeyringBackend()
        }
    }

    /// Whether the records are items of the user's keyring.
    fileprivate var isInKeyring: Bool {
        switch self {
        case .file: false
        case .keyring: true
        }
    }
}

extension StorageKind {
    /// Whether the records are items of the user's keyring, so that the group cannot be used without it. False for a
    /// kind that this version does not know.
    package var isInKeyring: Bool { KnownStorage(self)?.isInKeyring == true }
}

extension [any StorageBackend] {
    /// The kinds that this version knows.
    package static var all: [any StorageBackend] { KnownStorage.allCases.map(\.backend) }

    /// The store that has files in `directory` and needs a state file.
    package func needingState(in directory: GroupDirectory) throws(StorageError) -> (any StorageBackend)? {
        for backend in self where try backend.needsState(in: directory) { return backend }
        return nil
    }

    /// Whether any of these keeps records, or a list of them, in a file of this name.
    package func haveFile(named name: String) -> Bool { contains { $0.keepsRecords(in: name) } }

    /// The backend of this kind.
    ///
    /// - Throws: ``StorageError/Code/unsupportedVersion`` if there is none.
    package func backend(of kind: StorageKind) throws(StorageError) -> any StorageBackend {
        if let backend = first(where: { $0.kind == kind }) { return backend }
        throw StorageError(.unsupportedVersion, detail: "this version does not support the store \(kind.rawValue)")
    }
}

/// The encrypted file.
package struct FileBackend: StorageBackend {
    package init() {}

    package var kind: StorageKind { .file }

    /// A journal without a state file is a group in the file.
    package func needsState(in directory: GroupDirectory) -> Bool { false }

    package func keepsRecords(in fileName: String) -> Bool { fileName == FileStore.fileName }

    package func open(
        _ opener: GroupOpener,
        in directory: GroupDirectory,
        plan: StoragePlan,
        time: WaitingTime
    ) throws(StorageError) -> OpenedGroup? {
        try opener.openFile(in: directory, plan, time)
    }

    package func empty(_ store: StoreReference, for removal: LeftoverRemoval) throws(StorageError) {
        let directory = removal.directory
        guard try directory.identity(of: FileStore.fileName) != nil else { return }
        try directory.withLock(.writer, until: removal.time.deadline) { () throws(StorageError) in
            try FileStore.removeJournal(in: directory)
        }
    }

    package func newestSequence(
        in store: StoreReference,
        for removal: LeftoverRemoval
    ) throws(StorageError) -> UInt64? {
        guard try removal.directory.identity(of: FileStore.fileName) != nil else { return nil }
        let path = removal.directory.path(of: FileStore.fileName)
        let unlock: @Sendable (KeySlots, Deadline) throws(StorageError) -> GroupKeys = {
            [keys = removal.keys, unlocker = removal.unlocker] (slots, end) throws(StorageError) in
            if (try? slots.verify(with: keys)) != nil { return keys }
            guard slots.uuid == keys.uuid else {
                throw StorageError(.foreign, path: path, detail: "it belongs to another group", advice: "Move it away")
            }
            return try unlocker.unlock(slots, until: end)
        }
        // Its transactions are not those of the store in use, so they must not be announced.
        let directory = try removal.directory.readOnlyDirectory()
        let left = try FileStore.open(in: directory, until: removal.time.deadline, unlock: unlock)
        defer { left.close() }
        guard try unlock(left.keySlots, removal.time.deadline).areOfSameGroup(as: removal.keys) else {
            throw StorageError(
                .foreign,
                path: path,
                detail: "it has this group's UUID but different keys",
                advice: "Move it away"
            )
        }
        return try left.newestSequence(until: removal.time.deadline)
    }
}

/// The user's keyring.
package struct KeyringBackend: StorageBackend {
    package init() {}

    package var kind: StorageKind { .keyring }

    package func needsState(in directory: GroupDirectory) throws(StorageError) -> Bool {
        try SecretServiceStore.hasList(in: directory)
    }

    package func missingState(in directory: GroupDirectory) -> StorageError {
        SecretServiceStore.noState(in: directory)
    }

    package func keepsRecords(in fileName: String) -> Bool { fileName == SecretServiceStore.listName }

    package func open(
        _ opener: GroupOpener,
        in directory: GroupDirectory,
        plan: StoragePlan,
        time: WaitingTime
    ) throws(StorageError) -> OpenedGroup? {
        try opener.openKeyring(in: directory, plan, time)
    }

    /// Without a key item, no record there can be identified as the group's. The key item is the last to be removed.
    package func newestSequence(
        in store: StoreReference,
        for removal: LeftoverRemoval
    ) throws(StorageError) -> UInt64? {
        try KeyringBulkLoader.newest(
            of: removal.keys,
            in: removal.directory,
            removal.access.location(store.collection),
            until: removal.time.deadline
        )
    }

    package func empty(_ store: StoreReference, for removal: LeftoverRemoval) throws(StorageError) {
        let location = try removal.access.location(store.collection)
        try KeyringBulkLoader.removeAll(of: removal.keys.uuid, in: removal.directory, location, within: removal.time)
    }
}
