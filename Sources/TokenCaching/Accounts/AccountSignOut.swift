// SPDX-License-Identifier: Apache-2.0

package import GroupRecords
package import RecordStorage
package import UnifiedSchema

/// Signs one client out of one account: in all partitions with entries of it, and in the group's.
package struct AccountSignOut {
    private let account: AccountName
    private let client: String
    private let codec: RecordCodec
    private let clouds: CloudTable
    private let now: Int64

    /// - Parameters:
    ///   - account: the account, with its issuer if it has one.
    ///   - client: the client, folded.
    ///   - codec: opens and seals the records.
    ///   - clouds: the known clouds.
    ///   - now: the time in seconds since 1970.
    package init(of account: AccountName, client: String, codec: RecordCodec, clouds: CloudTable, now: Int64) {
        self.account = account
        self.client = client
        self.codec = codec
        self.clouds = clouds
        self.now = now
    }

    /// - Parameters:
    ///   - group: the entries of the group's partition: app metadata and account metadata.
    ///   - groupPartition: the group's partition.
    ///   - tokens: the numbers of the client's tokens of this account that were removed before.
    ///   - transaction: the transaction to write with.
    /// - Returns: the partitions with entries of the account.
    /// - Throws: errors of the store.
    @discardableResult
    package func write(
        group: PartitionEntries,
        in groupPartition: PartitionTag,
        taking tokens: [UInt64] = [],
        _ transaction: inout Transaction
    ) throws(StorageError) -> [PartitionTag] {
        let removals = try AccountRemoval.all(of: account, client: client, codec: codec, now: now, transaction)
        for (removal, stored) in removals {
            try removal.signOut(stored, group: group, clouds: clouds, taking: tokens, &transaction)
        }
        try transaction.removeUnnamedTokens(of: UTF8Text(client), ofAccountsIn: removals.map(\.1), clouds)
        if account.kind != .username {
            let metadata = AccountMetadataEntries(stored: group, group: groupPartition, codec: codec)
            try metadata.change(of: UTF8Text(client), &transaction) { change in
                change.setSignInState(.signedOut, ofAccount: account.folded)
            }
        }
        try transaction.noteRemoval(.signOut, by: client, at: now, group: groupPartition)
        return removals.map(\.0.partition)
    }
}

extension AccountRemoval {
    /// The removals for an account: from its own partition, and from the partitions of entries that contain only its
    /// username.
    ///
    /// An account that does not exist has a partition anyway, because a renewal in progress must find the tombstone
    /// there.
    static func all(
        of account: AccountName,
        client: String,
        codec: RecordCodec,
        now: Int64,
        _ transaction: borrowing Transaction
    ) throws(StorageError) -> [(AccountRemoval, PartitionEntries)] {
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
                client: client,
                now: now
            )
            found.append((removal, stored))
        }
        if account.kind != .username {
            try add(try codec.partition(ofAccount: account.folded.bytes), account.folded, isWanted: true)
        }
        if account.kind != .homeAccountID { usernames.insert(account.folded) }
        for username in usernames.sorted() {
            let partition = try codec.partition(ofUsername: username.bytes)
            try add(partition, username, isWanted: account.kind == .username && username == account.folded)
        }
        return found
    }
}

extension Transaction {
    /// Removes the tokens that name no account, if entries of the accounts have no id either: those of a client, or of
    /// all clients. They may be of any tenant, so the whole group is read.
    mutating func removeUnnamedTokens(
        of client: UTF8Text?,
        ofAccountsIn stored: [PartitionEntries],
        _ clouds: CloudTable
    ) throws(StorageError) {
        let leaving = stored.lazy.flatMap(\.entries).map(\.fields).filter { fields in
            client == nil || fields.kind == .account || fields.clientID == client
        }
        guard let unnamed = UnnamedTokens(besides: leaving, clouds) else { return }
        for partition in try partitionsToRead() {
            for entry in try entries(of: partition.tag).entries
            where client ?? entry.fields.clientID == entry.fields.clientID && unnamed.contain(entry.fields) {
                try remove(entry.record.tag, in: partition.tag, erasingSecret: true)
            }
        }
    }
}
