package import GroupDirectory
package import RecordStorage
internal import Sealing
internal import Synchronization
internal import SystemPackage

extension SecretServiceStore {
    /// The newest transaction, as of the last list.
    package var newestSequence: UInt64 {
        get throws(StorageError) { try withCore { $0.list?.sequence ?? 0 } }
    }

    /// Brings the store to what the keyring holds, also where a writer was killed or an older list put back, and ends a change of keys that somebody
    /// began.
    ///
    /// - Parameter time: for the lock and the keyring; each partition has as much again.
    /// - Throws: ``StorageError/Code/busy``, ``StorageError/Code/damaged`` and what the keyring meets.
    package func settle(within time: WaitingTime) throws(StorageError) {
        try resumeRekey(until: time.deadline, perItemDeadlines: time.deadline.remaining)
        time.restart()
        try directory.withLock(.writer, until: time.deadline) { () throws(StorageError) in
            _ = try move(until: time.deadline)
            try completeList(until: time.deadline)
        }
    }

    /// Hands over every record with its boxes: the partitions in ascending order, each in one piece.
    ///
    /// - Parameters:
    ///   - time: for the answers of the keyring.
    ///   - body: takes them.
    /// - Throws: ``StorageError/Code/keyringItemMissing``, ``StorageError/Code/damaged``, what the keyring meets and what
    ///   `body` throws.
    package func forEachRecord(
        within time: WaitingTime,
        _ body: (RelocatedRecord) throws(StorageError) -> Void
    ) throws(StorageError) {
        let rows = try withCore { $0.list?.rows ?? [:] }
        for tag in rows.keys.sorted() {
            guard let partition = try load(tag, until: time.deadline) else {
                throw StorageError(
                    .keyringItemMissing,
                    detail: "an item with records of the group is missing; cachetool repair goes on without it"
                )
            }
            for record in partition.item.records {
                let new = NewRecord(
                    tag: record.tag,
                    partition: tag,
                    kind: record.kind,
                    facts: record.facts,
                    secret: record.secret,
                    searchTags: record.searchTags
                )
                try body(RelocatedRecord(new, sequence: record.sequence))
            }
        }
    }
}

extension SecretServiceStore {
    /// Whether the keyring has a group of this name, whichever it is.
    package static func hasGroup(
        named name: GroupName,
        _ location: SecretServiceLocation,
        until deadline: Deadline
    ) throws(StorageError) -> Bool {
        let items = try KeyringItems(SecretServiceClient(location), name)
        defer { items.client.close() }
        return try !items.keyItems(until: deadline, prompts: .never).isEmpty
    }

    /// Makes a folder the one of the group that the keyring has under its name. A state file that is there is set aside. A
    /// list of items that says all that the keyring does stays, as it alone tells what is missing there; another one goes.
    ///
    /// - Throws: ``StorageError/Code/notFound`` if the keyring
    ///   has none or several, and what the keyring meets.
    package static func adopt(
        in directory: GroupDirectory,
        _ location: SecretServiceLocation,
        reason: String,
        within time: WaitingTime
    ) throws(StorageError) {
        let items = try KeyringItems(SecretServiceClient(location), directory.name)
        defer { items.client.close() }
        let lock = try directory.lock(.writer, until: time.deadline)
        let found = try items.keyItems(until: time.deadline, prompts: .never)
        guard let group = found.first?.content.group, found.allSatisfy({ $0.content.group == group }),
            let keys = KeyItems(found, of: group.description)
        else {
            throw StorageError(.notFound, detail: "the keyring has no group of this name, or more than one")
        }
        let opened = try keys.newest.unlock()
        if try directory.identity(of: GroupDirectory.FileName.state) != nil {
            try directory.quarantineFile(GroupDirectory.FileName.state, label: "store")
        }
        let chain = try KeyringKeyChain(keys) { _ in }
        if try !isListCurrent(in: directory, items, chain, within: time) { try directory.removeFile(listName) }
        var state = StoreState(storage: .keyring, reason: reason, group: group.description, phase: .ready)
        state.collection = location.collection
        if let newest = opened.last { try state.authenticate(with: newest) }
        try directory.writeState(state, under: lock)
        lock.release()
    }

    /// Whether the folder has a list that the keyring has not come further than.
    private static func isListCurrent(
        in directory: GroupDirectory,
        _ items: KeyringItems,
        _ chain: KeyringKeyChain,
        within time: WaitingTime
    ) throws(StorageError) -> Bool {
        guard case .list(let list)? = (try? readList(in: directory, chain))??.reading else { return false }
        let inventory = try items.inventory(chain, within: time)
        return !KeyringExamination(inventory, list: list).isListBehind
    }
}

extension StoreState {
    /// Vouches for what it says.
    mutating func authenticate(with keys: GroupKeys) throws(StorageError) {
        do throws(SealingError) {
            authenticator = try keys.authenticator(ofState: authenticatedText).bytes
        } catch {
            throw StorageError(sealing: error)
        }
    }
}
