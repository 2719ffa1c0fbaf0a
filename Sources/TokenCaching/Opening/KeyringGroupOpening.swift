internal import GroupDirectory
internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import SecretServiceStorage
internal import SystemPackage

/// One attempt to open or create a group that is kept in the keyring.
///
/// Several may run at once: the writer's lock has one of them make the group, and the others find it.
struct KeyringGroupOpening {
    let directory: GroupDirectory
    let access: KeyringAccess
    let time: WaitingTime
    let collection: String?
    let creates: Bool
    let reason: String
    /// Whether a journal lies in the folder as well. Then the state file, which says that the group is here, has to be vouched
    /// for with its keys: else anybody who can write the folder could send everybody back to where it was taken from.
    let hasJournal: Bool
    /// Whether the group is opened to be looked at by a repair, vouched for or not.
    let isForRepair: Bool
    /// Is given the keys of every epoch that is met, also later.
    let keyring: GroupKeyring
    /// What the group is held to.
    let pinning: GroupPinning

    /// - Returns: `nil` if another process changed something meanwhile: look again.
    func open() throws(StorageError) -> SecretServiceStore? {
        let location = try access.location(collection)
        if access.policy == .allowed { try unlock(location) }
        let before = try directory.readState()
        if let group = before.flatMap({ GroupUUID($0.group) }) { try pinning.refuseCopy(of: group) }
        do throws(StorageError) {
            let store = try SecretServiceStore.open(
                in: directory,
                location,
                until: time.deadline,
                learn: learn
            )
            let isVouchedFor = !hasJournal || before.map { $0.isAuthentic(under: store.groupKeys) } ?? false
            guard isVouchedFor || isForRepair else {
                store.close()
                throw unvouched
            }
            if isVouchedFor, before?.phase == .creating { try markReady(store.groupKeys) }
            return store
        } catch {
            switch error.code {
            case .notFound where creates: break
            case .notFound, .groupElsewhere, .keyringItemMissing, .storageMismatch:
                // The items may be those of who is making the group just now.
                if try directory.readState() != before { return nil }
                throw error
            case .keyringMissing: throw before?.collection.map { error.mentioning(collection: $0) } ?? error
            default: throw error
            }
        }
        return try create(in: location, after: before)
    }

    private var unvouched: StorageError {
        StorageError(
            .damaged,
            path: directory.path(of: GroupDirectory.FileName.state),
            detail:
                "the file says that the group is in the keyring, but is not signed with the keys of the group, and a journal "
                + "lies beside it; cachetool repair finds out which of the two is newer"
        )
    }

    private var learn: @Sendable (GroupKeys) throws(StorageError) -> Void {
        { [keyring, pinning] keys throws(StorageError) in
            try pinning.check(keys)
            try keyring.add(keys)
        }
    }

    /// Gives the user their time, before any lock is held.
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
        if before == nil || before?.phase == .creating { try pinning.forget() }
        let keys = try sealing { () throws(SealingError) in try GroupKeys.generate() }
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
                detail: "the keyring has a group of this name whose folder is another one"
            )
        }
    }

    /// Notes that the group is complete: its maker was killed before it did. Not being able to changes nothing.
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
    /// With the way out where the state file may name a collection that the group is not in.
    fileprivate func mentioning(collection: String) -> StorageError {
        let hint =
            "the state file names collection \(collection); where the group is in another one, cachetool repair --adopt looks in "
            + "the default one, or in the one that --collection names"
        return StorageError(
            code,
            path: path,
            detail: [detail, hint].compactMap(\.self).joined(separator: "; "),
            errno: errno
        )
    }
}
