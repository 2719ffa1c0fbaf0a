// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import UnifiedSchema

extension Engine {
    /// The metadata of an authority that a process of the group stored in the last day; nil if there is none.
    func storedMetadata(at url: String) throws(StorageError) -> StoredAuthorities.Document? {
        try checkProcess()
        let deadline = newDeadline()
        _ = try freshen(ClockReading.now(clock), until: deadline)
        let contents = try store.contents(of: groupPartition, until: deadline)
        return try PartitionEntries(contents, codec: codec, where: \.isAuthorityMetadata).storedAuthorities
            .document(at: url, now: clock.now().secondsSince1970)
    }

    /// Stores the metadata of an authority for the other processes of the group, unless it is too large.
    func storeMetadata(_ json: JSONValue, at url: String) throws(StorageError) {
        try checkProcess()
        var bytes: [UInt8] = []
        json.write(to: &bytes)
        guard bytes.count + url.utf8.count <= StoredAuthorities.documentByteLimit else { return }
        let now = clock.now().secondsSince1970
        try change(until: newDeadline()) { (transaction) throws(StorageError) in
            let stored = try transaction.entries(of: groupPartition, where: \.isAuthorityMetadata).storedAuthorities
            try transaction.put(
                stored.adding(json, at: url, now: now).encoded(),
                kind: .authorityMetadata,
                tag: try codec.authorityMetadataTag(),
                in: groupPartition
            )
        }
    }
}
