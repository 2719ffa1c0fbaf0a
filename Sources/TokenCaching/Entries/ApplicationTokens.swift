// SPDX-License-Identifier: Apache-2.0

package import GroupRecords
package import RecordStorage
package import UnifiedSchema

/// Finds the access tokens that are an application's own, for lists and removals. Lookups decide in the same way.
package struct ApplicationTokens {
    private let codec: RecordCodec
    /// The clouds known to the group. Read when first needed, because few groups have tokens without an account.
    private var knownClouds: CloudTable?
    /// Entries that do not count, because they are to be removed.
    private let removed: Set<RecordTag>
    /// People's entries without a home account id, by client.
    private var people: [UTF8Text: PeopleBeside<UTF8Text>] = [:]

    package init(_ codec: RecordCodec, without removed: Set<RecordTag> = []) {
        self.codec = codec
        self.removed = removed
    }

    /// Whether an entry is an application's own token, not a person's.
    ///
    /// - Parameters:
    ///   - fields: the entry.
    ///   - store: the store that contains it. What was read from it is not read again.
    ///   - deadline: the time by which the call returns.
    /// - Returns: true for an application's token, false for all other entries.
    /// - Throws: errors of the store, `keyMissing` if the epoch is not unlocked, `forkedProcess` in a forked child.
    package mutating func contain(
        _ fields: CredentialFields,
        in store: any RecordStore,
        until deadline: Deadline
    ) throws(StorageError) -> Bool {
        guard fields.kind.isAccessToken, fields.homeAccountID == nil, fields.username == nil else { return false }
        return try !NamelessToken.isOfPerson(fields) { () throws(StorageError) in
            let clouds = try clouds(in: store, until: deadline)
            return try people(of: fields.clientID, in: store, clouds, until: deadline)
                .contain(client: fields.clientID, cloud: clouds.preferredCacheHost(for: fields.environment))
        }
    }

    private mutating func clouds(in store: any RecordStore, until deadline: Deadline) throws(StorageError) -> CloudTable
    {
        if let knownClouds { return knownClouds }
        let now = WallClock.system.now().secondsSince1970
        let read = try codec.clouds(in: store, at: now, until: deadline)
        knownClouds = read
        return read
    }

    private mutating func people(
        of client: UTF8Text,
        in store: any RecordStore,
        _ clouds: CloudTable,
        until deadline: Deadline
    ) throws(StorageError) -> PeopleBeside<UTF8Text> {
        if let known = people[client] { return known }
        var found = PeopleBeside<UTF8Text>()
        let partitions = try codec.partitions(ofPeopleOf: client) { (tag) throws(StorageError) in
            try store.partitions(under: tag, until: deadline)
        }
        for partition in partitions {
            let reader = try PartitionReader(try store.contents(of: partition, until: deadline), codec: codec)
            for (index, record) in reader.records.enumerated()
            where !record.lacksToken && !removed.contains(record.tag) {
                guard let kind = EntryKind(rawValue: record.kind.rawValue), PeopleBeside<UTF8Text>.isEvidence(kind),
                    let facts = try reader.facts(index).content
                else { continue }
                let fields = CredentialFields(facts)
                guard fields.homeAccountID == nil, fields.clientID.isEmpty || fields.clientID == client else {
                    continue
                }
                found.add(
                    client: fields.clientID.isEmpty ? nil : client,
                    cloud: clouds.preferredCacheHost(for: fields.environment)
                )
            }
        }
        people[client] = found
        return found
    }
}
