// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
package import RecordStorage
internal import UnifiedSchema

/// Accounts at issuers that are named by their subject alone, as applications remember them from earlier versions.
extension Engine {
    /// The id under which a response is saved for an account that its request names, perhaps without the issuer. Never
    /// refused, because the response may contain the only copy of a token: in doubt the id itself.
    ///
    /// - Parameters:
    ///   - id: the id in the request.
    ///   - known: the account of the response; nil if it names none.
    ///   - deadline: the time by which the call returns.
    /// - Returns: the id with its issuer, if nothing is stored under the id itself and it is the subject of one account.
    /// - Throws: errors of the store.
    func savedID(_ id: UTF8Text, meaning known: UTF8Text?, until deadline: Deadline) throws(StorageError) -> UTF8Text {
        guard HomeAccountID.mayBeSubject(id) else { return id }
        let own = try entries(of: try codec.partition(ofAccount: id.normalized().bytes), until: deadline)
        guard own.entries.isEmpty else { return id }
        if let known { return known }
        let accounts = try accounts(ofSubject: id.normalized(), until: deadline)
        return accounts.count == 1 ? accounts[0] : id
    }

    /// The name of an account to change, with the issuer if the name lacks that.
    ///
    /// - Throws: `severalAccounts` if the name is that of several accounts; errors of the store.
    func storedName(_ name: AccountName, until deadline: Deadline) throws(StorageError) -> AccountName {
        guard name.kind == .either, HomeAccountID.mayBeSubject(name.folded) else { return name }
        let own = try entries(of: try codec.partition(ofAccount: name.folded.bytes), until: deadline)
        return try storedName(name, own, until: deadline)
    }

    /// The same, for a name whose own entries are known.
    func storedName(
        _ name: AccountName,
        _ own: PartitionEntries,
        until deadline: Deadline
    ) throws(StorageError) -> AccountName {
        guard HomeAccountID.mayBeSubject(name.folded), own.mayShareSubject(clouds) else { return name }
        let accounts = try accounts(ofSubject: name.folded, until: deadline)
        guard let account = accounts.first else { return name }
        guard accounts.count == 1, own.entries.isEmpty else { throw StorageError.severalSubjects }
        return try AccountName(Account.ID(trimmed: account.string), .homeAccountID)
    }

    /// The ids of the accounts at issuers that have a subject, folded.
    private func accounts(ofSubject subject: UTF8Text, until deadline: Deadline) throws(StorageError) -> [UTF8Text] {
        var found: [UTF8Text] = []
        for partition in try store.partitions(under: codec.searchTag(username: subject.bytes), until: deadline) {
            let stored = try entries(of: partition, until: deadline)
            guard let account = stored.entries.lazy.compactMap(\.fields.homeAccountID).first,
                HomeAccountID.isSubject(subject, of: account)
            else { continue }
            found.append(account)
        }
        return found
    }

    private func entries(of partition: PartitionTag, until deadline: Deadline) throws(StorageError) -> PartitionEntries
    {
        try PartitionEntries(try store.contents(of: partition, until: deadline), codec: codec)
    }
}

extension StorageError {
    /// Several accounts have the subject by which a request names one.
    package static let severalSubjects = StorageError(
        .severalAccounts,
        detail: "several issuers have an account with this id",
        advice: "Name one by its id with the issuer, or by its account_handle: cachetool list --json lists both"
    )
}

extension PartitionEntries {
    /// Whether the id of these entries may be the subject of accounts at issuers too: not all are Microsoft's.
    fileprivate func mayShareSubject(_ clouds: CloudTable) -> Bool {
        entries.isEmpty || !entries.allSatisfy { clouds.isMicrosoft($0.fields.environment) }
    }
}
