// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import UnifiedSchema

extension Engine {
    /// The account that the client is signed in to, and the previously recorded one. Records the new one.
    func currentAccount() throws(StorageError) -> CurrentAccount {
        let deadline = newDeadline()
        let signedIn = try accounts(matching: .signedIn, until: deadline)
        guard signedIn.count <= 1 else {
            throw StorageError(
                .severalAccounts,
                detail: "\(signedIn.count) accounts are signed in, which differ in \(signedIn.differences)"
            )
        }
        let current = signedIn.first
        let noted = try notedAccount(until: deadline)
        let previous = try noted.map { (noted) throws(StorageError) in try known(noted, until: deadline) }
        let didChange = current?.id != previous?.id
        // A change that cannot be recorded is reported again the next time.
        if didChange, store.readOnlyReason == nil { try note(current, until: deadline) }
        return CurrentAccount(current: current, previous: previous, didChange: didChange)
    }

    /// The account recorded by this library, otherwise by MSAL for ObjC.
    private func notedAccount(until deadline: Deadline) throws(StorageError) -> Account? {
        let group = try PartitionEntries(try store.contents(of: groupPartition, until: deadline), codec: codec) {
            kind in
            kind == InternalRecordKind.principalAccount.recordKind || kind.isAccountMetadata
        }
        if let own = group.principals.first(where: { $0.account.clientID == foldedClient }) {
            return own.account.account
        }
        let foreign = group.entries.filter { $0.fields.clientID == UTF8Text(foldedClient) }
        for entry in foreign.sorted(by: { $0.precedes($1) }) {
            guard let metadata = AccountMetadataView(try entry.facts()),
                let id = metadata.principalHomeAccountID?.trimmed(), !id.isEmpty
            else { continue }
            return Account(
                id: Account.ID(id.string),
                hasHomeAccountID: true,
                username: metadata.principalUsername.flatMap { $0.isEmpty ? nil : $0.string },
                environment: metadata.principalAccountEnvironment?.string ?? "",
                tenantProfiles: [],
                isSignedIn: false
            )
        }
        return nil
    }

    /// The account as stored, even if it is signed out; as recorded if it is no longer stored.
    private func known(_ noted: Account, until deadline: Deadline) throws(StorageError) -> Account {
        var filter = AccountFilter.all
        filter.id = noted.id
        return try accounts(matching: filter, until: deadline).first { $0.id == noted.id } ?? noted
    }

    /// Whether the account is still stored, because the name of a removed account must not be recorded.
    private func exists(_ account: Account, _ transaction: borrowing Transaction) throws(StorageError) -> Bool {
        let id = HomeAccountID.comparable(UTF8Text(account.id.text))
        let partition =
            try account.hasHomeAccountID ? codec.partition(ofAccount: id.bytes) : codec.partition(ofUsername: id.bytes)
        let stored = try transaction.entries(of: partition)
        return !stored.entries.isEmpty
            && stored.state(of: foldedClient, account: account.id.text).value != .signedOut
    }

    private func note(_ account: Account?, until deadline: Deadline) throws(StorageError) {
        let now = clock.now().secondsSince1970
        let principal = PrincipalAccount(clientID: foldedClient, account: account, at: now)
        try change(until: deadline) { (transaction) throws(StorageError) in
            if let account, try !exists(account, transaction) { return }
            try transaction.put(
                principal.encoded(),
                kind: .principalAccount,
                tag: try codec.principalAccountTag(clientID: foldedClient),
                in: groupPartition
            )
            let group = try transaction.entries(of: groupPartition, where: \.isAccountMetadata)
            let metadata = AccountMetadataEntries(stored: group, group: groupPartition, codec: codec)
            try metadata.change(of: UTF8Text(foldedClient), &transaction) { change in
                change.setPrincipal(
                    account.flatMap { $0.hasHomeAccountID ? UTF8Text($0.id.text) : nil },
                    account.map { UTF8Text($0.username ?? "") },
                    environment: account.map { UTF8Text($0.environment) }
                )
            }
        }
    }
}
