// SPDX-License-Identifier: Apache-2.0

package import GroupDirectory
internal import GroupRecords
package import RecordStorage
package import Sealing
internal import SecretServiceStorage
internal import SystemPackage

/// Opens a group, and creates it if requested to.
///
/// Opening may take long: it waits for the lock and for the keyring up to the deadline, and stretches a passphrase
/// (half a second); and users who are prompted for a passphrase, or to unlock the keyring, take as long as they take.
/// No lock is held meanwhile.
package struct GroupOpener: Sendable {
    package let location: GroupLocation
    package let storage: StorageChoice
    package var access: GroupAccess
    package let timeout: Duration
    let prompts: KeyringPrompts
    /// Other ways to unlock an existing group in the file, if the storage is chosen automatically.
    package var fallbackUnlocking: [FileUnlocking] = []
    /// The kinds of store that this can open.
    package var backends: [any StorageBackend] = .all
    /// The remaining time of a timeout that several calls share.
    package var shared: WaitingTime?
    /// Whether to open a journal that was made for a group of another name. Always so for ``GroupAccess/readOnlyCopy``.
    package var acceptsName: Bool
    /// Whether a repair accepts a journal although the keyring knows a newer state of it.
    package var acceptsRollback = false
    /// The cost of trying a passphrase, for groups that are created.
    package var passphraseCost = KDFParameters.standard
    /// Called at each step of a creation. If it returns an error, creation stops as if the process were killed.
    package var onStep: (@Sendable (OpeningStep) -> StorageError?)?

    private static let maximumAttempts = 8

    package init(
        _ location: GroupLocation,
        storage: StorageChoice,
        access: GroupAccess,
        timeout: Duration = .seconds(2),
        prompts: KeyringPrompts = .never
    ) {
        self.location = location
        self.storage = storage
        self.access = access
        acceptsName = access == .readOnlyCopy
        self.timeout = timeout
        self.prompts = prompts
    }

    /// Opens the group.
    ///
    /// - Throws: ``TokenCacheError/Code/notFound``, ``TokenCacheError/Code/storageMismatch``,
    ///   ``TokenCacheError/Code/keyMissing``, ``TokenCacheError/Code/keyRejected``, ``TokenCacheError/Code/damaged``
    ///   and other errors of folder, key files, journal and keyring; errors of the caller's own closure are rethrown.
    package func open() throws(StorageError) -> OpenedGroup {
        if case .memory = storage { return try openMemory() }
        if let unlocking = storage.unlocking { try Self.check(try KeyMaterial.all(in: unlocking)) }
        let time = shared ?? WaitingTime(timeout)
        var isSuspect = false
        for _ in 0..<Self.maximumAttempts {
            let (directory, plan) = try prepare(time)
            let backend = try backends.backend(of: plan.kind)
            var found: OpenedGroup?
            do throws(StorageError) {
                found = try backend.open(self, in: directory, plan: plan, time: time)
            } catch {
                // The remains of a group that was removed meanwhile look damaged.
                guard directory.cause(of: error).code == .storageMoved else { throw error }
            }
            guard var opened = found else { continue }
            if plan.otherStores.isEmpty || access == .readOnlyCopy { return opened }
            do throws(StorageError) {
                opened.leftoverProblem = try clearUp(plan, after: opened, in: directory, time)
                return opened
            } catch {
                opened.store.close()
                // Look again: the group may have moved between reading the one store and the other.
                if isSuspect { throw error }
                isSuspect = true
            }
        }
        throw StorageError(.busy, detail: "the group keeps changing")
    }

    /// Compares a newly opened group with what other stores have of it, and empties those unless the group is opened
    /// read-only. A failure to do so does not affect the group.
    ///
    /// - Returns: why another store may still contain records; nil if none does.
    /// - Throws: ``StorageError/Code/rollbackSuspected`` if another store is newer.
    private func clearUp(
        _ plan: StoragePlan,
        after opened: OpenedGroup,
        in directory: GroupDirectory,
        _ time: WaitingTime
    ) throws(StorageError) -> TokenCacheError? {
        guard let storage = opened.storage,
            let (keys, sequence) = try opened.keysAndSequence(until: time.deadline)
        else { return nil }
        let removal = LeftoverRemoval(
            directory: directory,
            access: keyringAccess,
            // This must not make opening take longer.
            time: WaitingTime(until: time.deadline),
            ownKeyFiles: location.ownKeyFiles,
            unlocker: opened.unlocker ?? unlocker(KeyMaterial.foundByLibrary),
            storage: storage,
            hasKeySlots: opened.unlocker != nil,
            keys: keys,
            sequence: sequence,
            backends: backends
        )
        for other in plan.otherStores {
            do throws(StorageError) {
                _ = try removal.compare(other)
            } catch {
                // If the journal cannot be compared, only a state file signed with the keys chooses the keyring instead.
                let mayBeGroup = other.store.storage == .file && plan.state?.isAuthentic(under: keys) != true
                if error.code == .rollbackSuspected || mayBeGroup { throw error }
                return TokenCacheError(error)
            }
        }
        do throws(StorageError) {
            if let readOnlyReason = directory.readOnlyReason { throw readOnlyReason }
            try removal.clearUp()
            return nil
        } catch {
            return TokenCacheError(error)
        }
    }

    private func makeChoice(_ time: WaitingTime) throws(StorageError) -> AutomaticChoice {
        let choice = try AutomaticChoice.make(
            busAddress: location.busAddress,
            until: keyringAccess.end(time.deadline),
            prompts: keyringAccess.policy
        )
        if keyringAccess.policy == .allowed { time.restart() }
        return choice
    }

    /// The folder, and the plan for it. If the available stores must be determined first, nothing is created before
    /// that.
    private func prepare(_ time: WaitingTime) throws(StorageError) -> (GroupDirectory, StoragePlan) {
        var planner = StoragePlanner(
            storage: storage,
            fallbackUnlocking: fallbackUnlocking,
            creates: access == .create,
            choose: { () throws(StorageError) in try makeChoice(time) }
        )
        planner.knownKinds = Set(backends.map(\.kind))
        guard access == .create, case .automatic = storage else {
            let directory = try location.openDirectory(access.directoryAccess)
            return (directory, try planner.plan(directory, known(directory)))
        }
        if let directory = try existingDirectory() {
            let known = try known(directory)
            if known.hasStore { return (directory, try planner.plan(directory, known)) }
        }
        let choice = try makeChoice(time)
        let directory = try location.openDirectory(.create)
        return (directory, try planner.plan(directory, known(directory), choice: choice))
    }

    /// The content of the folder.
    package func known(_ directory: GroupDirectory) throws(StorageError) -> StoragePlanner.Known {
        try StoragePlanner.known(directory, among: backends)
    }

    private func existingDirectory() throws(StorageError) -> GroupDirectory? {
        do throws(StorageError) {
            return try location.openDirectory(.readWrite)
        } catch {
            if error.code == .notFound { return nil }
            throw error
        }
    }

    /// The folder of an existing group, and the location of its records.
    package func existingGroup(_ planner: StoragePlanner) throws(StorageError) -> (GroupDirectory, StoragePlan) {
        if case .memory = storage { throw StorageError(.storageMismatch, detail: "a group in memory has no folder") }
        var planner = planner
        planner.knownKinds = Set(backends.map(\.kind))
        let directory = try location.openDirectory(access.directoryAccess)
        return (directory, try planner.plan(directory, known(directory)))
    }

    package var keyringAccess: KeyringAccess {
        KeyringAccess(group: location.name, busAddress: location.busAddress, prompts: prompts)
    }

    private func openMemory() throws(StorageError) -> OpenedGroup {
        let keys = try sealing(try GroupKeys.generate())
        return OpenedGroup(
            group: location.name.text,
            store: MemoryStore(epoch: keys.epoch),
            storage: nil,
            custody: .process,
            unlockedKeys: try UnlockedKeys(keys),
            directory: nil,
            location: .memory
        )
    }

    package static func check(_ materials: [KeyMaterial]) throws(StorageError) {
        guard !materials.isEmpty, !materials.map(\.slotKind).hasTooManyOfOneKind else {
            throw StorageError(
                .invalidRequest,
                detail: "a group needs at least one key, and at most one passphrase"
            )
        }
    }

    func unlocker(
        _ materials: [KeyMaterial],
        creation: [KeyMaterial] = []
    ) -> KeyUnlocker {
        KeyUnlocker(
            group: location.name.text,
            materials: materials,
            creation: creation,
            ownKeyFiles: location.ownKeyFiles,
            keyringAccess: keyringAccess,
            unlockedKeys: UnlockedKeys(),
            passphraseCost: passphraseCost
        )
    }
}

/// The steps of creating a group. Each is durable before the next begins. If the creator is killed, the next process
/// continues where it stopped.
package enum OpeningStep: Hashable, Sendable, CaseIterable {
    /// The state file says that the group is being created, and its UUID.
    case stateBegun
    /// The key files exist.
    case keysMade
    /// The journal exists: from here on the group exists.
    case journalMade
    /// The state file says that the group is ready.
    case stateReady
}
