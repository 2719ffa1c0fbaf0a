internal import RecordStorage
internal import UnifiedSchema

/// Takes a client out of an account, or an account out of the group.
struct AccountRemoval {
    let partition: PartitionTag
    /// The account's id, folded.
    let account: String
    let codec: RecordCodec
    let clouds: CloudTable
    /// The client that asks, folded.
    let client: String
    let group: PartitionTag
    let now: Int64

    /// Removes what the client has of the account, in all tenants and clouds, and notes that it is signed out.
    ///
    /// Entries of other clients and the account's own entries stay; so does a family's refresh token while another
    /// client of the family is signed in.
    func signOut(_ transaction: inout Transaction) throws(StorageError) {
        let stored = try transaction.entries(of: partition)
        let others = FamilySession(
            stored,
            group: try transaction.entries(of: group, where: \.isAppMetadata),
            client: UTF8Text(client),
            clouds: clouds
        )
        for entry in stored.entries where isLeaving(entry.fields, others) {
            try transaction.remove(entry.record.tag, in: partition, erasingSecret: true)
        }
        try putState(.signedOut, of: client, stored, &transaction)
        try transaction.noteRemoval(.signOut, by: client, at: now, group: group)
    }

    /// Removes what any client has of the account and the account's own entries. Every client that had something is
    /// signed out of it.
    func wipe(_ transaction: inout Transaction) throws(StorageError) {
        let stored = try transaction.entries(of: partition)
        for record in stored.records where record.kind != EngineRecordKind.signInState.recordKind {
            try transaction.remove(record.tag, in: partition, erasingSecret: true)
        }
        var clients = Set(stored.states.map { $0.state.clientID })
        for entry in stored.entries where entry.fields.kind.isCredential {
            clients.insert(entry.fields.clientID.string)
        }
        clients.insert(client)
        for client in clients { try putState(.signedOut, of: client, stored, &transaction) }
        try transaction.noteWipe(of: partition, by: client, at: now, group: group)
        try transaction.noteRemoval(.account, by: client, at: now, group: group)
    }

    private func isLeaving(_ fields: CredentialFields, _ others: FamilySession) -> Bool {
        guard fields.kind.isCredential else { return false }
        let isFamilyToken = fields.kind == .refreshToken && fields.familyID != nil
        guard isFamilyToken || fields.kind == .familyRefreshToken else { return fields.clientID == UTF8Text(client) }
        return others.concerns(fields) && !others.isSharedByOthers(fields)
    }

    private func putState(
        _ value: SignInState.Value,
        of client: String,
        _ stored: PartitionEntries,
        _ transaction: inout Transaction
    ) throws(StorageError) {
        try transaction.put(
            stored.state(of: client, account: account).changed(to: value, at: now).encoded(),
            kind: .signInState,
            tag: try codec.signInStateTag(clientID: client, partition: partition),
            in: partition
        )
    }
}
