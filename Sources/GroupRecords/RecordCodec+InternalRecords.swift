// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
package import RecordStorage
internal import Sealing

extension RecordCodec {
    /// The tag of the sign-in state of a client, folded, in an account's partition.
    package func signInStateTag(clientID: String, partition: PartitionTag) throws(StorageError) -> RecordTag {
        try internalRecordTag(.signInState, name: Array(clientID.utf8), partition: partition)
    }

    /// The tag of the tombstone of an account's last wipe; the partition identifies the account.
    package func accountWipeTag(partition: PartitionTag) throws(StorageError) -> RecordTag {
        try internalRecordTag(.accountWipe, name: [], partition: partition)
    }

    /// The tag of the tombstone of the group's last removal.
    package func lastRemovalTag() throws(StorageError) -> RecordTag {
        try internalRecordTag(.lastRemoval, name: [], partition: nil)
    }

    /// The tag of the account that a client, folded, last used.
    package func principalAccountTag(clientID: String) throws(StorageError) -> RecordTag {
        try internalRecordTag(.principalAccount, name: Array(clientID.utf8), partition: nil)
    }

    /// The tag of the result of instance discovery.
    package func cloudMetadataTag() throws(StorageError) -> RecordTag {
        try internalRecordTag(.cloudMetadata, name: [], partition: nil)
    }

    /// The tag of the issuers of sign-ins and the clients of protected resources.
    package func authoritiesTag() throws(StorageError) -> RecordTag {
        try internalRecordTag(.authorities, name: [], partition: nil)
    }

    /// The tag of the note that says which process asks the user about a subject.
    package func interactionTag(_ subject: InteractionSubject) throws(StorageError) -> RecordTag {
        try internalRecordTag(.interaction, name: subject.bytes, partition: nil)
    }

    /// The tag of the pending revocation of a refresh token: of one version of a record in a partition.
    package func pendingRevocationTag(
        of token: RecordTag,
        sequence: UInt64,
        partition: PartitionTag
    ) throws(StorageError) -> RecordTag {
        let words = [token.first, token.second, sequence]
        let name = words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
        return try internalRecordTag(.pendingRevocation, name: name, partition: partition)
    }

    /// The tag of the note of the tenant to which a name resolves in a cloud, both folded, in an account's partition.
    package func tenantNoteTag(
        name: String,
        environment: String,
        partition: PartitionTag
    ) throws(StorageError) -> RecordTag {
        try internalRecordTag(.tenantNote, name: Array(environment.utf8) + [0] + Array(name.utf8), partition: partition)
    }

    /// The tombstone under a tag of a partition; nil if there is none.
    ///
    /// - Throws: `damaged` if it cannot be read, `keyMissing`, `forkedProcess`.
    package func tombstone(_ tag: RecordTag, in contents: PartitionContents) throws(StorageError) -> Tombstone? {
        guard let index = contents.records.firstIndex(where: { $0.tag == tag }) else { return nil }
        guard let box = contents.facts[index] else { throw StorageError(.damaged) }
        let sealer = try unlockedKeys.sealer(epoch: contents.reader.epoch)
        return try Tombstone(decoding: try openFactsBytes(box.rawSpan, of: contents.records[index], with: sealer))
    }

    /// The names of internal records begin with a byte that no section of a document begins with.
    package func internalRecordTag(
        _ kind: InternalRecordKind,
        name: [UInt8],
        partition: PartitionTag?
    ) throws(StorageError) -> RecordTag {
        let sealer = try unlockedKeys.tagSealer()
        var key: [UInt8] = []
        key.reserveCapacity(name.count + 16)
        key += name
        if let partition {
            for word in [partition.first, partition.second] {
                for shift in stride(from: 0, to: 64, by: 8) { key.append(UInt8(truncatingIfNeeded: word >> shift)) }
            }
        }
        do {
            return RecordTag(try sealer.recordTag(section: [0xFE, kind.rawValue], key: key))
        } catch {
            throw StorageError(error)
        }
    }
}
