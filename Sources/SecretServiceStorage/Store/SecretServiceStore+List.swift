// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
internal import RecordStorage
internal import Synchronization
internal import SystemPackage

extension SecretServiceStore {
    /// Reads the list of items; `nil` if the file does not exist.
    static func readList(
        in directory: GroupDirectory,
        _ chain: KeyringKeyChain
    ) throws(StorageError) -> (reading: ItemList.Reading, identity: FileIdentity)? {
        // Load this before the list, because a transaction is announced only once the list contains it.
        let announced = directory.revision.announcedSequence
        let file: CheckedFile
        do throws(StorageError) {
            file = try directory.openFile(listName, .reading)
        } catch {
            if error.code == .notFound { return nil }
            throw error
        }
        // Limit the size, which otherwise determines how much memory is allocated.
        guard file.identity.size <= ItemList.maximumByteCount else { return (.invalid, file.identity) }
        let bytes = try directory.bytes(of: file, upTo: ItemList.maximumByteCount)
        let reading = try ItemList.read(bytes, chain)
        // A list older than an announced transaction was restored.
        if case .list(let list) = reading, list.sequence < announced {
            return (.old(sequence: list.sequence), file.identity)
        }
        return (reading, file.identity)
    }

    /// Replaces the list without syncing it, because it is rebuilt from the items after a reboot. The caller holds the
    /// writer's lock.
    func writeList(_ list: ItemList) throws(StorageError) {
        guard let keys = chain.keys(of: list.epoch) else { throw StorageError(.keyMissing) }
        let identity = try directory.replaceFile(Self.listName, with: list.encoded(keys))
        core.withLock { core in
            core.list = list
            core.seen = identity
        }
    }

    /// Brings the store to the newest list and returns the changes.
    func move(until deadline: Deadline) throws(StorageError) -> StoreChanges {
        let (isFrozen, seen, pending) = try withCore { ($0.isFrozen, $0.seen, $0.list?.pending) }
        if isFrozen { return .none }
        let word = revision.load()
        let now = try directory.identity(of: Self.listName)
        // A transaction in progress may take effect at any time.
        if let now, now == seen { return pending.map { .partitions($0.partitions) } ?? .none }
        let found = try followedList(until: deadline)
        return try withCore { core throws(StorageError) in
            guard case .list(let list)? = found?.reading else {
                // No process has written since the machine booted, or the list was damaged or could not be written.
                defer {
                    core.drop()
                    core.word = word
                }
                return core.list == nil && core.read.isEmpty && core.word == word ? .none : .everything
            }
            let changes = core.list?.changes(to: list) ?? .everything
            core.list = list
            core.seen = found?.identity
            core.word = word
            // Items sealed with older keys no longer exist.
            if core.list?.epoch != list.epoch { core.read = [:] }
            core.read = core.read.filter { $0.value.item.sequence >= list.rows[$0.key]?.sequence ?? .max }
            for (tag, partition) in core.read where !list.isPending(tag) {
                partition.confirm(asOf: ErasureWatch.Moment(sequence: list.sequence, word: word))
            }
            watch.note(list.erasures, word: word)
            core.announced = core.announced.filter { $0.value > list.rows[$0.key]?.sequence ?? 0 }
            // The writer may have been killed before announcing the list. Announce it, because a transaction that one
            // process has read must be visible to all.
            directory.revision.announceIfNewer(list.sequence)
            return changes
        }
    }

    /// Replaces the list if the disk has space. Otherwise removes the outdated list, which the next writer rebuilds
    /// from the items.
    func writeListIfPossible(_ list: ItemList) throws(StorageError) {
        do throws(StorageError) {
            try writeList(list)
        } catch {
            guard error.code == .full else { throw error }
            try directory.removeFile(Self.listName)
            core.withLock { core in
                core.list = list
                core.seen = nil
            }
        }
    }

    /// Updates the list to the keyring's content. The caller holds the writer's lock on the newest list.
    func settleList(until deadline: Deadline) throws(StorageError) {
        guard var list = try withCore({ $0.list }) else {
            // Without a list, this process may have missed a change of keys.
            try lookUpKeys(until: deadline)
            var list = try items.scan(chain, until: deadline)
            if case .old(let sequence)? = try Self.readList(in: directory, chain)?.reading {
                list.sequence = max(list.sequence, sequence)
            }
            list.erasures = ErasureList(forgottenThrough: list.sequence)
            try writeListIfPossible(list)
            directory.revision.bump()
            return
        }
        // A writer was killed or got no answer. The items that it wrote are valid.
        guard let pending = list.pending else { return }
        for tag in pending.partitions.sorted() {
            guard let found = try findPartition(tag, until: deadline) else {
                list.rows[tag] = nil
                continue
            }
            let row = ItemList.Row(found.item, byteCount: found.byteCount)
            list.rows[tag] = row.recordCount == 0 ? nil : row
        }
        list.pending = nil
        // Never reuse its sequence, even if none of its items exist.
        list.sequence = max(list.sequence, pending.sequence)
        list.erasures.forget(through: list.sequence)
        try withCore { core throws(StorageError) in
            for tag in pending.partitions { core.read[tag] = nil }
        }
        try writeListIfPossible(list)
        let word = directory.revision.announce(list.sequence)
        watch.note(list.erasures, word: word)
    }

    /// Adds partitions to the list that only the keyring has, so that removing the whole group misses none if an older
    /// list was restored. Does not add removed partitions that have reappeared. The caller holds the writer's lock.
    func completeList(until deadline: Deadline) throws(StorageError) {
        guard var list = try withCore({ $0.list }), list.pending == nil else { return }
        let missed = try unlisted(beside: list, until: deadline)
        if missed.rows.isEmpty, missed.sequence <= list.sequence { return }
        list.rows.merge(missed.rows) { $1 }
        list.sequence = max(list.sequence, missed.sequence)
        try writeListIfPossible(list)
        directory.revision.bump()
    }

    /// The partitions that only the keyring has or has in a newer version, except removed ones that have reappeared,
    /// and the newest sequence of all items.
    func unlisted(beside list: ItemList, until deadline: Deadline) throws(StorageError) -> ItemList {
        var found = try items.scan(chain, until: deadline)
        found.rows = found.rows.filter { tag, row in
            if row == .unreadable { return false }
            if let known = list.rows[tag] { return known.sequence < row.sequence }
            return !list.erasures.mayHaveErased(tag, writtenAt: row.sequence)
        }
        return found
    }

    /// The number of partition items that the keyring holds under the name of the group. Reads no secrets.
    func itemCount(until deadline: Deadline) throws(StorageError) -> Int {
        let search = items.attributes.some(.partition)
        return try items.run(until: deadline) { calls throws(SecretServiceError) in try calls.search(search).count }
    }
}

extension SecretServiceStore.Core {
    /// Forgets the cached state.
    mutating func drop() {
        list = nil
        seen = nil
        read = [:]
    }

    /// The changes to report now: `changes` merged with those held back earlier.
    mutating func report(_ changes: StoreChanges) -> StoreChanges {
        defer { unreported = .none }
        return unreported.merging(changes)
    }
}
