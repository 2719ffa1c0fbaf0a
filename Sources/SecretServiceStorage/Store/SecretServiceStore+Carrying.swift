// SPDX-License-Identifier: Apache-2.0

package import GroupDirectory
package import RecordStorage
internal import Sealing
internal import Synchronization
internal import SystemPackage

extension SecretServiceStore {
    package func newestSequence(until deadline: Deadline) throws(StorageError) -> UInt64 {
        if let list = try withCore({ $0.list }) { return list.sequence }
        return try items.scan(chain, until: deadline).sequence
    }

    /// Brings the list up to date with the keyring, even if a writer was killed or an older list was restored, and
    /// completes an unfinished change of keys.
    ///
    /// - Parameter time: for the lock and the keyring; restarts for each partition.
    /// - Throws: ``StorageError/Code/busy``, ``StorageError/Code/damaged`` and errors of the keyring.
    package func settle(within time: WaitingTime) throws(StorageError) {
        try resumeRekey(until: time.deadline, perItemDeadlines: time.deadline.remaining)
        time.restart()
        try directory.withLock(.writer, until: time.deadline) { () throws(StorageError) in
            _ = try move(until: time.deadline)
            try completeList(until: time.deadline)
        }
    }

    /// Passes every record with its boxes to `body`, grouped by partition in ascending order.
    ///
    /// - Parameters:
    ///   - time: for the answers of the keyring.
    ///   - body: receives the records.
    /// - Throws: ``StorageError/Code/keyringItemMissing``, ``StorageError/Code/damaged``, errors of the keyring and of
    ///   `body`.
    package func forEachRecord(
        within time: WaitingTime,
        _ body: (RelocatedRecord) throws(StorageError) -> Void
    ) throws(StorageError) {
        let rows = try withCore { $0.list?.rows ?? [:] }
        for tag in rows.keys.sorted() {
            guard let partition = try load(tag, until: time.deadline) else {
                throw StorageError(
                    .keyringItemMissing,
                    detail: "the missing item held records",
                    advice: "Restore the keyring, or run cachetool repair, which continues without it"
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
    /// Whether the keyring has any group of this name.
    package static func hasGroup(
        named name: GroupName,
        _ location: SecretServiceLocation,
        until deadline: Deadline
    ) throws(StorageError) -> Bool {
        let items = try KeyringItems(SecretServiceClient(location), name)
        defer { items.client.close() }
        return try !items.keyItems(until: deadline, prompts: .never).isEmpty
    }

    /// Adopts the group that the keyring holds under the folder's name. Quarantines an existing state file. Keeps a
    /// list that is up to date with the keyring, because only the list can reveal missing items; removes any other
    /// list.
    ///
    /// - Throws: ``StorageError/Code/notFound`` if the keyring holds no such group, ``StorageError/Code/groupElsewhere`` if
    ///   it holds several, and errors of the keyring.
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
        guard let group = found.first?.content.group, let keys = KeyItems(found, of: group.description) else {
            throw StorageError(.notFound, detail: "the keyring has no group of this name")
        }
        guard found.allSatisfy({ $0.content.group == group }) else {
            throw StorageError(
                .groupElsewhere,
                path: directory.path.string,
                detail: "the keyring has more than one group of this name",
                advice: "Run cachetool migrate --to file in the folders of the others, or remove them there"
            )
        }
        let opened = try keys.newest.unlock()
        if try directory.identity(of: GroupDirectory.FileName.state) != nil {
            try directory.quarantineFile(GroupDirectory.FileName.state, label: "store")
        }
        let chain = try KeyringKeyChain(keys) { _ in }
        if try !isListCurrent(in: directory, items, chain, within: time) { try directory.removeFile(listName) }
        var state = StoreState(storage: .keyring, reason: reason, group: group.description, phase: .ready)
        state.collection = location.collection
        state.folder = directory.folderIdentity
        if let newest = opened.last { try state.authenticate(with: newest) }
        try directory.writeState(state, under: lock)
        lock.release()
    }

    /// Whether the folder has a list that is as new as the keyring.
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
    /// Sets the authenticator of the current content.
    mutating func authenticate(with keys: GroupKeys) throws(StorageError) {
        authenticator = try sealing(try keys.authenticator(ofState: authenticatedText).bytes)
    }
}
