internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import UnifiedSchema

/// Keeps the other members of a family signed in where one of them signed out while it was renewing: the server may have
/// taken back the family's token that was spent, so its successor takes its place.
struct FamilyRotation {
    let session: FamilySession
    let codec: RecordCodec
    let stored: PartitionEntries
    let partition: PartitionTag
    let now: Int64

    /// Writes the successor, under the name of the client that got the spent one. Nothing of the asking client is stored.
    ///
    /// Does nothing where the response has no refresh token of the same family, and where the spent one is not what is
    /// stored any more.
    func write(
        _ response: borrowing TokenResponse,
        inPlaceOf spent: WrittenToken,
        _ transaction: inout Transaction
    ) throws(TokenCacheError) {
        guard spent.partition == partition, let successor = response.refreshToken,
            let old = stored.entries.first(where: { $0.record.holds(spent) }), let family = response.family,
            family.normalized() == old.fields.sharingFamily,
            session.isSharedByOthers(old.fields)
        else { return }
        let oldFacts = try storing { () throws(StorageError) in try old.facts() }
        let facts = try facts(inPlaceOf: oldFacts, CredentialFields(oldFacts))
        try storing { () throws(StorageError) in
            let payload = try sealing { () throws(SealingError) in try response.payload(of: successor) }
            let address = try codec.address(of: facts)
            try transaction.put(facts, secret: payload.bytes, at: address)
            if address.tag != old.record.tag {
                try transaction.remove(old.record.tag, in: partition, erasingSecret: false)
            }
        }
    }

    private func facts(inPlaceOf old: EntryFacts, _ fields: CredentialFields) throws(TokenCacheError) -> EntryFacts {
        var entry = NewCredential(
            kind: old.kind,
            environment: old.text(.environment) ?? fields.environment,
            clientID: old.text(.clientID) ?? fields.clientID
        )
        entry.homeAccountID = old.text(.homeAccountID)
        entry.realm = old.text(.realm)
        entry.familyID = old.text(.familyID)
        entry.target = fields.target
        // What a service got on behalf of somebody stays apart.
        entry.isolation = fields.isolation
        entry.lastModificationTime = now
        do throws(SchemaError) {
            return try entry.facts(KeyFormat(detecting: old))
        } catch {
            throw TokenCacheError(.invalidResponse, detail: error.rule)
        }
    }
}
