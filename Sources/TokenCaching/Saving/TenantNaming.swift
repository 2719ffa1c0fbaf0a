// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import UnifiedSchema

/// The tenant that a tenant name in a request resolves to, for the account of the response. Learned from an id token
/// that names its tenant, and recorded for queries and for responses without such an id token.
struct TenantNaming: Sendable {
    /// The name, folded.
    let name: UTF8Text
    /// The requested host, folded.
    let host: UTF8Text
    /// The host that represents its cloud.
    let environment: UTF8Text
    /// The tenant in the id token, folded; nil if there is none, or it is not valid.
    let resolved: UTF8Text?
    private let namesTenant: Bool
    let account: UTF8Text

    /// Nil for app-only tokens, and if the request gives no name that has to be resolved.
    init?(_ identity: ResponseSubject, for request: borrowing TokenRequest) {
        guard let account = identity.homeAccountID, let name = TenantName.comparable(UTF8Text(request.tenant)) else {
            return nil
        }
        self.name = name
        self.account = HomeAccountID.comparable(account)
        host = UTF8Text(request.environment).normalized()
        environment = identity.environment
        let tenant = identity.claims?.tenantID
        resolved = tenant.flatMap { TenantName.comparable($0) }
        namesTenant = tenant != nil
    }

    /// The tenant from an earlier note, if the response names none.
    func noted(in stored: PartitionEntries, _ clouds: CloudTable) -> UTF8Text? {
        guard !namesTenant else { return nil }
        return notes(in: stored, clouds).max { $0.record.sequence < $1.record.sequence }.map { UTF8Text($0.note.realm) }
    }

    /// Records the tenant, replacing earlier notes, and the oldest note if there are too many.
    func write(
        over stored: PartitionEntries,
        in partition: PartitionTag,
        _ clouds: CloudTable,
        codec: RecordCodec,
        at now: Int64,
        _ transaction: inout Transaction
    ) throws(StorageError) {
        guard let resolved else { return }
        let old = notes(in: stored, clouds)
        // If the name is the tenant's id, only a contradicting note makes a new one necessary.
        if old.isEmpty ? resolved == name : old.allSatisfy({ $0.note.realm == resolved.string }) { return }
        let tag = try codec.tenantNoteTag(name: name.string, environment: environment.string, partition: partition)
        let replaced = old.map(\.record.tag) + [tag]
        let others = stored.records.filter { $0.kind.isTenantNote && !replaced.contains($0.tag) }
        let readable = others.filter { other in stored.tenantNotes.contains { $0.record.tag == other.tag } }
        let surplus = readable.sorted { $0.sequence < $1.sequence }
            .surplus(beside: others.count - readable.count, limit: TenantNote.limit)
        for gone in old.map(\.record.tag) + surplus.map(\.tag) where gone != tag {
            try transaction.remove(gone, in: partition, erasingSecret: false)
        }
        let note = TenantNote(name: name, environment: environment, realm: resolved, account: account, at: now)
        try transaction.put(note.encoded(), kind: .tenantNote, tag: tag, in: partition)
    }

    /// Records the tenant as MSAL for ObjC does.
    func write(to change: inout AccountMetadataChange) {
        guard let resolved, resolved != name else { return }
        change.setMeaning(
            of: AuthorityAddress(host: host, tenant: name),
            to: AuthorityAddress(host: host, tenant: resolved),
            ofAccount: account
        )
    }

    private func notes(
        in stored: PartitionEntries,
        _ clouds: CloudTable
    ) -> [(record: StoredRecord, note: TenantNote)] {
        stored.tenantNotes.filter { entry in
            entry.note.name == name.string && clouds.areAliases(UTF8Text(entry.note.environment), environment)
        }
    }
}
