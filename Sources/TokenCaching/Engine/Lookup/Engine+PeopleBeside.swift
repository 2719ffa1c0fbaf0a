// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupRecords
internal import RecordStorage
internal import UnifiedSchema

extension Engine {
    /// The facts of an application's partition without the tokens that belong to a person according to entries of other
    /// partitions: a refresh token without a realm, an id token of another tenant, or an account.
    func withoutTokensOfPeople(
        _ facts: PartitionFacts,
        _ freshness: Freshness
    ) throws(StorageError) -> PartitionFacts {
        guard facts.hasUnmarkedTokens else { return facts }
        let clouds = try cloudsOfPeople(beside: facts.partition, freshness)
        if clouds.isEmpty { return facts }
        return try self.facts.load(
            facts.partition,
            from: store,
            until: freshness.deadline,
            knowing: facts,
            besidePeopleIn: clouds
        )
    }

    /// The clouds in which a person's entries without a home account id stand that may be of this client.
    private func cloudsOfPeople(
        beside own: PartitionTag,
        _ freshness: Freshness
    ) throws(StorageError) -> Set<UTF8Text> {
        var partitions = try codec.partitions(ofPeopleOf: UTF8Text(foldedClient)) { (tag) throws(StorageError) in
            try self.partitions(under: tag, freshness)
        }
        partitions.remove(own)
        var clouds: Set<UTF8Text> = []
        for partition in partitions {
            let facts = try facts(of: partition, freshness)
            let client = facts.symbol(clientBytes)
            let rows = facts.rows
            for index in rows.indices where rows[index].isEvidenceOfPerson(of: client) && facts.homeAccountID.isNone {
                if let cloud = facts.string(rows[index].cloud) { clouds.insert(UTF8Text(cloud)) }
            }
        }
        return clouds
    }
}

extension PartitionFacts {
    /// Whether there are access tokens without a home account id that this library did not save for an application.
    var hasUnmarkedTokens: Bool {
        guard homeAccountID.isNone else { return false }
        let rows = rows
        for index in rows.indices where rows[index].mayBeOfPerson { return true }
        return false
    }
}

extension FactsRow {
    /// Whether an entry without a home account id shows that a person has tokens of a client.
    fileprivate func isEvidenceOfPerson(of client: Symbol) -> Bool {
        guard let kind = entryKind, PeopleBeside<Symbol>.isEvidence(kind) else { return false }
        return self.client == client || self.client.isNone
    }
}
