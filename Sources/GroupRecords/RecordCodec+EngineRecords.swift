internal import ByteOperations
package import RecordStorage
internal import Sealing

extension RecordCodec {
    /// The tag of the sign-in state of a client, folded, in an account's partition.
    package func signInStateTag(clientID: String, partition: PartitionTag) throws(StorageError) -> RecordTag {
        try engineTag(.signInState, name: Array(clientID.utf8), partition: partition)
    }

    /// The tag of the mark that says when an account was wiped; the account is told by its partition.
    package func accountWipeTag(partition: PartitionTag) throws(StorageError) -> RecordTag {
        try engineTag(.accountWipe, name: [], partition: partition)
    }

    /// The tag of the mark that says when anything was removed last.
    package func lastRemovalTag() throws(StorageError) -> RecordTag {
        try engineTag(.lastRemoval, name: [], partition: nil)
    }

    /// The tag of the account that a client, folded, worked with last.
    package func principalAccountTag(clientID: String) throws(StorageError) -> RecordTag {
        try engineTag(.principalAccount, name: Array(clientID.utf8), partition: nil)
    }

    /// The tag of what discovery said of clouds.
    package func cloudMetadataTag() throws(StorageError) -> RecordTag {
        try engineTag(.cloudMetadata, name: [], partition: nil)
    }

    /// The tag of what a text for a tenant means in a cloud, both folded, in an account's partition.
    package func tenantNoteTag(
        name: String,
        environment: String,
        partition: PartitionTag
    ) throws(StorageError) -> RecordTag {
        try engineTag(.tenantNote, name: Array(environment.utf8) + [0] + Array(name.utf8), partition: partition)
    }

    /// The mark under a tag of a partition; nil where there is none.
    ///
    /// - Throws: `damaged` for one that cannot be read, `keyMissing`, `forkedProcess`.
    package func tombstone(_ tag: RecordTag, in contents: PartitionContents) throws(StorageError) -> Tombstone? {
        guard let index = contents.records.firstIndex(where: { $0.tag == tag }) else { return nil }
        guard let box = contents.facts[index] else { throw StorageError(.damaged) }
        let sealer = try keyring.sealer(epoch: contents.reader.epoch)
        return try Tombstone(decoding: try openFactsBytes(box.rawSpan, of: contents.records[index], with: sealer))
    }

    /// Names of the engine's own records begin with a byte that no section of a document begins with.
    package func engineTag(
        _ kind: EngineRecordKind,
        name: [UInt8],
        partition: PartitionTag?
    ) throws(StorageError) -> RecordTag {
        let sealer = try keyring.tagSealer()
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
