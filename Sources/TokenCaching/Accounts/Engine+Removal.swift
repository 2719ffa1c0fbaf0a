// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import Synchronization
internal import UnifiedSchema

extension Engine {
    /// Signs the client out of an account.
    ///
    /// - Parameters:
    ///   - account: the account.
    ///   - refused: a refresh token whose refusal is the reason for the sign-out: nothing is done if it is no longer
    ///     stored.
    ///   - also: what else the transaction does.
    /// - Returns: whether the client was signed out.
    /// - Throws: errors of the store.
    @discardableResult
    func signOut(
        of account: AccountName,
        whileStored refused: WrittenToken? = nil,
        also: (inout Transaction) throws(StorageError) -> Void = { _ in }
    ) throws(StorageError) -> Bool {
        let now = clock.now().secondsSince1970
        let partitions = try change(until: newDeadline()) { (transaction) throws(StorageError) -> [PartitionTag]? in
            if let refused {
                let records = try transaction.entries(of: refused.partition, where: { _ in false }).records
                guard records.contains(where: { $0.holds(refused) }) else { return nil }
            }
            let group = try transaction.entries(of: groupPartition) {
                $0.isAppMetadata || $0.isAccountMetadata || $0.isCloudMetadata
            }
            let clouds = clouds.learning(group.storedClouds.clouds(at: now))
            let (account, removals) = try removals(of: account, at: now, transaction)
            for (removal, stored) in removals {
                try removal.signOut(stored, group: group, clouds: clouds, &transaction)
            }
            try removeUnnamedTokens(of: UTF8Text(foldedClient), ofAccountsIn: removals.map(\.1), clouds, &transaction)
            if account.kind != .username {
                try metadata(group).change(of: UTF8Text(foldedClient), &transaction) { change in
                    change.setSignInState(.signedOut, ofAccount: account.folded)
                }
            }
            try transaction.noteRemoval(.signOut, by: foldedClient, at: now, group: groupPartition)
            try also(&transaction)
            return removals.map(\.0.partition)
        }
        guard let partitions else { return false }
        refusals.withLock { $0.remove(AnsweredRefusals(client: foldedClient, partitions: partitions)) }
        return true
    }

    /// Removes all entries of an account. `also` is what else the transaction does.
    func wipe(
        _ account: AccountName,
        also: (inout Transaction) throws(StorageError) -> Void = { _ in }
    ) throws(StorageError) {
        let now = clock.now().secondsSince1970
        let partitions = try change(until: newDeadline()) { (transaction) throws(StorageError) -> [PartitionTag] in
            let (account, removals) = try removals(of: account, at: now, transaction)
            for (removal, stored) in removals { try removal.wipe(stored, &transaction) }
            let group = try transaction.entries(of: groupPartition, where: \.isCloudMetadata)
            let clouds = clouds.learning(group.storedClouds.clouds(at: now))
            try removeUnnamedTokens(of: nil, ofAccountsIn: removals.map(\.1), clouds, &transaction)
            let traces = AccountTraces(codec: codec, group: groupPartition)
            try traces.remove(of: account.folded, isUsername: account.kind == .username, &transaction)
            try transaction.noteRemoval(.account, by: foldedClient, at: now, group: groupPartition)
            try also(&transaction)
            return removals.map(\.0.partition)
        }
        refusals.withLock { $0.remove(AnsweredRefusals(client: foldedClient, partitions: partitions)) }
    }

    /// Removes all entries of the group.
    func clear() throws(StorageError) {
        let now = clock.now().secondsSince1970
        try change(until: newDeadline()) { (transaction) throws(StorageError) in
            try transaction.removeAll()
            try transaction.noteRemoval(.group, by: foldedClient, at: now, group: groupPartition)
        }
    }

    /// Removes the tokens that name no account, if the accounts have no id either: those of a client, or of all clients.
    /// They may be of any tenant, so the whole group is read.
    private func removeUnnamedTokens(
        of client: UTF8Text?,
        ofAccountsIn stored: [PartitionEntries],
        _ clouds: CloudTable,
        _ transaction: inout Transaction
    ) throws(StorageError) {
        let accounts = stored.flatMap(\.entries).map(\.fields).filter { $0.kind == .account }
        guard let unnamed = UnnamedTokens(ofAccounts: accounts, clouds) else { return }
        for partition in try store.partitionsToRead(until: transaction.context.deadline) {
            for entry in try transaction.entries(of: partition.tag).entries
            where client ?? entry.fields.clientID == entry.fields.clientID && unnamed.contain(entry.fields) {
                try transaction.remove(entry.record.tag, in: partition.tag, erasingSecret: true)
            }
        }
    }

    private func metadata(_ group: PartitionEntries) -> AccountMetadataEntries {
        AccountMetadataEntries(stored: group, group: groupPartition, codec: codec)
    }

    /// The removals for an account: from its own partition, and from the partitions of entries that contain only its
    /// username.
    ///
    /// An account that does not exist has a partition anyway, because a renewal in progress must find the tombstone
    /// there.
    ///
    /// - Returns: the account, with its issuer if the name lacks that, and the removals.
    /// - Throws: `severalAccounts` if the name is the subject of several accounts.
    private func removals(
        of name: AccountName,
        at now: Int64,
        _ transaction: borrowing Transaction
    ) throws(StorageError) -> (AccountName, [(AccountRemoval, PartitionEntries)]) {
        var account = name
        var found: [(AccountRemoval, PartitionEntries)] = []
        var usernames: Set<UTF8Text> = []
        func add(_ partition: PartitionTag, _ name: UTF8Text, isWanted: Bool) throws(StorageError) {
            let stored = try transaction.entries(of: partition)
            guard isWanted || !stored.records.isEmpty else { return }
            for entry in stored.entries where entry.fields.kind == .account {
                if let username = entry.fields.username { usernames.insert(username) }
            }
            let removal = AccountRemoval(
                partition: partition,
                account: name.string,
                codec: codec,
                client: foldedClient,
                now: now
            )
            found.append((removal, stored))
        }
        if account.kind == .either {
            let stored = try transaction.entries(of: try codec.partition(ofAccount: account.folded.bytes))
            account = try storedName(account, stored, until: transaction.context.deadline)
        }
        if account.kind != .username {
            try add(try codec.partition(ofAccount: account.folded.bytes), account.folded, isWanted: true)
        }
        if account.kind != .homeAccountID { usernames.insert(account.folded) }
        for username in usernames.sorted() {
            let partition = try codec.partition(ofUsername: username.bytes)
            try add(partition, username, isWanted: account.kind == .username && username == account.folded)
        }
        return (account, found)
    }

    /// The last removal in the group, or the last wipe of an account.
    func removalRecord(of account: AccountName?) throws(StorageError) -> RemovalRecord? {
        let deadline = newDeadline()
        if let staleness = try freshen(.now(clock), until: deadline).staleness { throw staleness.error }
        return try tombstone(of: account, until: deadline).map { RemovalRecord($0) }
    }

    private func tombstone(of name: AccountName?, until deadline: Deadline) throws(StorageError) -> Tombstone? {
        guard let name else {
            let contents = try store.contents(of: groupPartition, until: deadline)
            return try codec.tombstone(try codec.lastRemovalTag(), in: contents)
        }
        let account = try storedName(name, until: deadline)
        var partitions: [PartitionTag] = []
        if account.kind != .username {
            partitions.append(try codec.partition(ofAccount: account.folded.bytes))
        }
        if account.kind != .homeAccountID {
            partitions.append(try codec.partition(ofUsername: account.folded.bytes))
        }
        var newest: Tombstone?
        for partition in partitions {
            let tag = try codec.accountWipeTag(partition: partition)
            let contents = try store.contents(of: partition, until: deadline)
            guard let mark = try codec.tombstone(tag, in: contents) else { continue }
            if mark.removalSequence >= newest?.removalSequence ?? 0 { newest = mark }
        }
        return newest
    }
}
