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
            let account = try resolved(account, transaction)
            let signOut = AccountSignOut(of: account, client: foldedClient, codec: codec, clouds: clouds, now: now)
            let partitions = try signOut.write(group: group, in: groupPartition, &transaction)
            try also(&transaction)
            return partitions
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
            let account = try resolved(account, transaction)
            let removals = try AccountRemoval.all(
                of: account,
                client: foldedClient,
                codec: codec,
                now: now,
                transaction
            )
            for (removal, stored) in removals { try removal.wipe(stored, &transaction) }
            let group = try transaction.entries(of: groupPartition, where: \.isCloudMetadata)
            let clouds = clouds.learning(group.storedClouds.clouds(at: now))
            try transaction.removeUnnamedTokens(of: nil, ofAccountsIn: removals.map(\.1), clouds)
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

    /// The account that a name means, with its issuer if the name lacks that.
    ///
    /// - Throws: `severalAccounts` if the name is the subject of several accounts.
    private func resolved(_ name: AccountName, _ transaction: borrowing Transaction) throws(StorageError) -> AccountName
    {
        guard name.kind == .either else { return name }
        let stored = try transaction.entries(of: try codec.partition(ofAccount: name.folded.bytes))
        return try storedName(name, stored, until: transaction.context.deadline)
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
