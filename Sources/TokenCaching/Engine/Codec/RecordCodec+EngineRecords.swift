package import RecordStorage
internal import Sealing

extension RecordCodec {
    /// The tag of the sign-in state of a client, folded, in an account's partition.
    package func signInStateTag(clientID: String, partition: PartitionTag) throws(StorageError) -> RecordTag {
        try engineTag(.signInState, Array(clientID.utf8), partition)
    }

    /// The tag of the mark that says when an account was wiped; the account is told by its partition.
    package func accountWipeTag(partition: PartitionTag) throws(StorageError) -> RecordTag {
        try engineTag(.accountWipe, [], partition)
    }

    /// The tag of the mark that says when anything was removed last.
    package func lastRemovalTag() throws(StorageError) -> RecordTag {
        try engineTag(.lastRemoval, [], nil)
    }

    /// Names of the engine's own records begin with a byte that no section of a document begins with.
    private func engineTag(
        _ kind: EngineRecordKind,
        _ name: [UInt8],
        _ partition: PartitionTag?
    ) throws(StorageError) -> RecordTag {
        let sealer = try keyring.tagSealer()
        var key = name
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
