// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupDirectory
internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import SecretServiceStorage
internal import SystemPackage

/// One attempt to open or create a group in the keyring.
///
/// Several attempts may run at once: under the writer's lock one of them creates the group, and the others find it.
struct KeyringGroupOpening {
    let directory: GroupDirectory
    let access: KeyringAccess
    let time: WaitingTime
    let collection: String?
    let creates: Bool
    let reason: String
    /// Whether the folder also contains a journal. Then no group is created in the keyring.
    let hasJournal: Bool
    /// Receives the keys of every epoch, now and later.
    let unlockedKeys: UnlockedKeys

    /// - Returns: `nil` if another process changed the folder in the meantime, so that the caller must look again.
    func open() throws(StorageError) -> SecretServiceStore? {
        let location = try access.location(collection)
        if access.policy == .allowed { try unlock(location) }
        let before = try directory.readState()
        do throws(StorageError) {
            let store = try SecretServiceStore.open(
                in: directory,
                location,
                until: time.deadline,
                learn: learn
            )
            if !hasJournal, before?.phase == .creating { try markReady(store.groupKeys) }
            return store
        } catch {
            switch error.code {
            case .notFound where creates && !hasJournal: break
            case .notFound where creates:
                if try directory.readState() != before { return nil }
                throw hidesJournal
            case .notFound, .groupElsewhere, .keyringItemMissing, .storageMismatch:
                // The items may belong to a process that is creating the group right now.
                if try directory.readState() != before { return nil }
                throw error.code == .keyringItemMissing ? ofOtherProgram(before, at: location) ?? error : error
            case .keyringMissing: throw before?.collection.map { error.mentioning(collection: $0) } ?? error
            default: throw error
            }
        }
        return try create(in: location, after: before)
    }

    /// The error for a group that another program keeps than the one that offers the Secret Service now; nil if the state
    /// does not say so.
    private func ofOtherProgram(_ state: StoreState?, at location: SecretServiceLocation) -> StorageError? {
        let known: [KeyringKind] = [.gnomeKeyring, .keePassXC, .kWallet]
        guard let reason = state?.reason, let made = known.first(where: { reason.firstPlace(of: $0.rawValue) != nil })
        else { return nil }
        let client = SecretServiceClient(location)
        defer { client.close() }
        guard let answering = try? client.probe(until: time.deadline).kind, answering != made else { return nil }
        return StorageError(
            .keyringItemMissing,
            detail: "the group was made in \(made.rawValue), and \(answering.rawValue) answers in its place",
            advice: "Let \(made.rawValue) offer the Secret Service of this session again"
        )
    }

    private var hidesJournal: StorageError {
        StorageError(
            .damaged,
            path: directory.path(of: GroupDirectory.FileName.state),
            detail: "the state file says that the group is in the keyring, but a journal is in the folder",
            advice: "Run cachetool repair, which checks whether the journal is the group"
        )
    }

    private var learn: @Sendable (GroupKeys) throws(StorageError) -> Void {
        { [unlockedKeys] keys throws(StorageError) in try unlockedKeys.add(keys) }
    }

    /// Shows the unlock prompt before taking any lock.
    private func unlock(_ location: SecretServiceLocation) throws(StorageError) {
        let client = SecretServiceClient(location)
        defer { client.close() }
        do throws(SecretServiceError) {
            _ = try client.probe(until: access.end(time.deadline), prompts: .allowed)
            time.restart()
        } catch {
            throw StorageError(error)
        }
    }

    private func create(in location: SecretServiceLocation, after before: StoreState?) throws(StorageError)
        -> SecretServiceStore?
    {
        if let readOnlyReason = directory.readOnlyReason { throw readOnlyReason }
        let keys = try sealing(try GroupKeys.generate())
        do throws(StorageError) {
            return try SecretServiceStore.create(
                in: directory,
                location,
                keys: keys,
                reason: reason,
                until: time.deadline,
                learn: learn
            )
        } catch {
            guard error.code == .exists else { throw error }
            if try directory.readState() != before { return nil }
            throw StorageError(
                .groupElsewhere,
                path: directory.path.string,
                detail: "the keyring has a group of this name that belongs to another folder"
            )
        }
    }

    /// Records that the group is complete, if its creator was killed before doing so. If that fails nothing changes.
    private func markReady(_ keys: GroupKeys) throws(StorageError) {
        guard directory.readOnlyReason == nil else { return }
        do throws(StorageError) {
            try directory.changeState(with: keys, until: time.deadline) { state in
                if state.phase == .creating, state.group == keys.uuid.description { state.phase = .ready }
            }
        } catch {
            guard [.busy, .full, .readOnly].contains(error.code) else { throw error }
        }
    }
}

extension StorageError {
    /// Adds the advice for a state file that may name a collection that does not contain the group.
    fileprivate func mentioning(collection: String) -> StorageError {
        let also = "the state file names collection \(collection)"
        return StorageError(
            code,
            path: path,
            detail: [detail, also].compactMap(\.self).joined(separator: "; "),
            advice:
                "If the group is in another collection, run cachetool repair --adopt, which searches the default one, "
                + "or the one that --collection names",
            errno: errno
        )
    }
}
