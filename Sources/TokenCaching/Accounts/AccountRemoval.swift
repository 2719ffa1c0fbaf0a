// SPDX-License-Identifier: Apache-2.0

package import GroupRecords
package import RecordStorage
package import UnifiedSchema

/// Removes the entries of one client, or all entries, from one partition of an account.
package struct AccountRemoval {
    let partition: PartitionTag
    /// The account's id, folded.
    let account: String
    let codec: RecordCodec
    /// The requesting client, folded; empty if there is none.
    let client: String
    let now: Int64

    package init(
        partition: PartitionTag,
        account: String,
        codec: RecordCodec,
        client: String,
        now: Int64
    ) {
        self.partition = partition
        self.account = account
        self.codec = codec
        self.client = client
        self.now = now
    }

    /// Removes the client's entries of the account, in all tenants and clouds, and records that it is signed out.
    ///
    /// Entries of other clients and the account's own entries stay, and so does a family's refresh token while another
    /// client of the family is signed in. `stored` contains the entries of the partition, `group` the app metadata,
    /// `clouds` the known clouds, `others` the numbers of the client's tokens that were removed before.
    func signOut(
        _ stored: PartitionEntries,
        group: PartitionEntries,
        clouds: CloudTable,
        taking others: [UInt64] = [],
        _ transaction: inout Transaction
    ) throws(StorageError) {
        let session = FamilySession(stored, group: group, client: UTF8Text(client), clouds: clouds)
        for entry in stored.entries where isLeaving(entry.fields, session) {
            try transaction.remove(entry.record.tag, in: partition, erasingSecret: true)
        }
        // A family's token that stays is no longer this client's either.
        let tokens = stored.tokenNumbers(codec) { entry in
            entry.fields.clientID == UTF8Text(client) || session.shares(entry.fields)
        }
        let answered = AnsweredRefusals(client: client, partitions: [partition])
        try transaction.removeRefusals(stored, in: partition, at: now, answered)
        try putState(of: client, stored, taking: others + tokens, &transaction)
    }

    /// Removes the entries of all clients and the account's own entries. Every client that had an entry is signed out
    /// of the account. Nothing is recorded for a client that had no entry of its own and only lost a shared token.
    ///
    /// `spared` are applications' own tokens, which may stand beside an account that has neither an id nor a username.
    package func wipe(
        _ stored: PartitionEntries,
        sparing spared: Set<RecordTag> = [],
        _ transaction: inout Transaction
    ) throws(StorageError) {
        for record in stored.records where !record.kind.outlivesWipe && !spared.contains(record.tag) {
            try transaction.remove(record.tag, in: partition, erasingSecret: true)
        }
        var clients: Set<String> = []
        for entry in stored.entries where entry.fields.kind.isCredential && !spared.contains(entry.record.tag) {
            clients.insert(entry.fields.clientID.string)
        }
        if !client.isEmpty { clients.insert(client) }
        for (record, state) in stored.states {
            if state.saysOnlyLoss, !clients.contains(state.clientID) {
                try transaction.remove(record.tag, in: partition, erasingSecret: false)
            } else {
                clients.insert(state.clientID)
            }
        }
        for client in clients {
            let tokens = stored.tokenNumbers(codec) { $0.fields.clientID == UTF8Text(client) }
            try putState(of: client, stored, taking: tokens, &transaction)
        }
        try transaction.noteWipe(of: partition, by: client, at: now)
    }

    package func isLeaving(_ fields: CredentialFields, _ session: FamilySession) -> Bool {
        guard fields.kind.isCredential else { return false }
        guard fields.isFamilyToken else { return fields.clientID == UTF8Text(client) }
        return session.shares(fields) && !session.isSharedByOthers(fields)
    }

    private func putState(
        of client: String,
        _ stored: PartitionEntries,
        taking tokens: [UInt64],
        _ transaction: inout Transaction
    ) throws(StorageError) {
        let state = stored.state(of: client, account: account)
        let sequence = transaction.context.sequence
        try transaction.put(state.removed(to: .signedOut, at: now, in: sequence, taking: tokens), in: partition)
    }
}

/// What the group's partition contains about an account: which client last used it, the records of MSAL for ObjC, and
/// pending revocations.
package struct AccountTraces {
    let codec: RecordCodec
    let group: PartitionTag

    package init(
        codec: RecordCodec,
        group: PartitionTag
    ) {
        self.codec = codec
        self.group = group
    }

    /// Removes these records. The account is identified by its home account id or its username, folded.
    package func remove(of account: UTF8Text, isUsername: Bool, _ transaction: inout Transaction) throws(StorageError) {
        let stored = try transaction.entries(of: group) { kind in
            kind == InternalRecordKind.principalAccount.recordKind || kind.isAccountMetadata
        }
        for (record, principal) in stored.principals {
            guard principal.account.map({ HomeAccountID.comparable(UTF8Text($0.id.text)) }) == account else { continue }
            try transaction.remove(record.tag, in: group, erasingSecret: false)
        }
        try transaction.removeRevocations(in: group) { $0.isOf(account: account) }
        if isUsername { return }
        let metadata = AccountMetadataEntries(stored: stored, group: group, codec: codec)
        try metadata.change(of: nil, &transaction) { $0.remove(account: account) }
    }
}
