// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
package import RecordStorage
internal import UnifiedSchema

/// Accounts at issuers that are named by their subject alone, as applications remember them from earlier versions.
extension Engine {
    /// The id under which an account is stored.
    ///
    /// - Parameters:
    ///   - id: an id, which may lack its issuer.
    ///   - known: the account that it means, if that is known: that of a response.
    ///   - own: the entries of the account that has the id itself.
    ///   - deadline: the time by which the call returns.
    /// - Returns: the id with its issuer, if it is the subject of one account at an issuer; otherwise the id itself.
    /// - Throws: `severalAccounts` if it is the subject of several accounts and none is known; errors of the store.
    func storedID(
        _ id: UTF8Text,
        meaning known: UTF8Text? = nil,
        _ own: PartitionEntries,
        until deadline: Deadline
    ) throws(StorageError) -> UTF8Text {
        guard HomeAccountID.mayBeSubject(id), own.mayShareSubject(clouds) else { return id }
        let subject = id.normalized()
        var found = own.entries.isEmpty ? [] : [id]
        let tag = try codec.searchTag(username: subject.bytes)
        for partition in try store.partitions(under: tag, until: deadline) {
            let stored = try entries(of: partition, until: deadline)
            guard let account = stored.entries.lazy.compactMap(\.fields.homeAccountID).first,
                HomeAccountID.isSubject(subject, of: account)
            else { continue }
            found.append(account)
        }
        if found.isEmpty || found == [id] { return own.entries.isEmpty ? known ?? id : id }
        if let known, found.contains(known) { return known }
        guard found.count == 1 else {
            throw StorageError.severalSubjects
        }
        return found[0]
    }

    /// The id under which an account is stored that a request names; see the other method.
    func storedID(
        _ id: UTF8Text,
        meaning known: UTF8Text?,
        until deadline: Deadline
    ) throws(StorageError) -> UTF8Text {
        guard HomeAccountID.mayBeSubject(id) else { return id }
        let own = try entries(of: try codec.partition(ofAccount: id.normalized().bytes), until: deadline)
        return try storedID(id, meaning: known, own, until: deadline)
    }

    /// The name with the issuer, if it lacks that.
    ///
    /// - Throws: `severalAccounts` if the name is the subject of several accounts; errors of the store.
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
        let stored = try storedID(name.folded, own, until: deadline)
        return stored == name.folded ? name : try AccountName(Account.ID(trimmed: stored.string), .homeAccountID)
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
        advice: "Name one by its id with the issuer: cachetool accounts lists them"
    )
}

extension PartitionEntries {
    /// Whether the id of these entries may be the subject of accounts at issuers too: not all are Microsoft's.
    fileprivate func mayShareSubject(_ clouds: CloudTable) -> Bool {
        entries.isEmpty || !entries.allSatisfy { clouds.isMicrosoft($0.fields.environment) }
    }
}
