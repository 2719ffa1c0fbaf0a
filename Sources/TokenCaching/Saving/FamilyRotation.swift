// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import UnifiedSchema

/// Keeps the other members of a family signed in if one of them signed out while it was renewing: the server may have
/// revoked the redeemed token, so its successor replaces it.
struct FamilyRotation {
    let session: FamilySession
    let codec: RecordCodec
    let stored: PartitionEntries
    let partition: PartitionTag
    let now: Int64

    /// Stores the successor for the client that obtained the redeemed token, and nothing for the requesting client.
    ///
    /// Does nothing if the response has no refresh token of the same family, or the redeemed one is no longer stored.
    func write(
        _ response: borrowing TokenResponse,
        inPlaceOf redeemed: WrittenToken,
        _ transaction: inout Transaction
    ) throws(StorageError) {
        guard redeemed.partition == partition, let successor = response.refreshToken,
            let old = stored.entries.first(where: { $0.record.holds(redeemed) }), let family = response.family,
            family.normalized() == old.fields.sharingFamily,
            session.isSharedByOthers(old.fields)
        else { return }
        let oldFacts = try old.facts()
        let facts = try facts(inPlaceOf: oldFacts, CredentialFields(oldFacts))
        let payload = try response.payload(of: successor)
        let address = try codec.address(of: facts)
        try transaction.put(facts, secret: payload.bytes, at: address)
        if address.tag != old.record.tag {
            try transaction.remove(old.record.tag, in: partition, erasingSecret: false)
        }
    }

    private func facts(inPlaceOf old: EntryFacts, _ fields: CredentialFields) throws(StorageError) -> EntryFacts {
        var entry = NewCredential(
            kind: old.kind,
            environment: old.text(.environment) ?? fields.environment,
            clientID: old.text(.clientID) ?? fields.clientID
        )
        entry.homeAccountID = old.text(.homeAccountID)
        entry.issuer = old.text(.issuer)
        entry.realm = old.text(.realm)
        entry.familyID = old.text(.familyID)
        entry.target = fields.target
        // The successor stays as isolated as the token is.
        entry.isolation = fields.isolation
        entry.extendedKey = KeyParts(old).extendedKey
        entry.lastModificationTime = now
        return try fitting(try entry.facts(KeyFormat(detecting: old)))
    }
}
