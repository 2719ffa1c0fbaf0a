internal import RecordStorage
internal import Synchronization
internal import UnifiedSchema

extension Engine {
    /// The facts of a partition: those that are kept, or read from the store.
    func facts(of partition: PartitionTag, _ freshness: Freshness) throws(TokenCacheError) -> PartitionFacts {
        let (known, generation) = state.withLock { ($0.facts(of: partition), $0.generation) }
        if let known, freshness.isSettled { return known }
        let read = try storing { () throws(StorageError) in
            try facts.load(try store.contents(of: partition), of: partition)
        }
        guard freshness.isSettled else { return read }
        return state.withLock { $0.keep(read, readIn: generation) }
    }

    /// The facts of the account that a query names by its home account id.
    func accountFacts(
        _ terms: QueryTerms,
        _ freshness: Freshness,
        _ knownPartition: PartitionTag?
    ) throws(TokenCacheError) -> PartitionFacts {
        if let knownPartition { return try facts(of: knownPartition, freshness) }
        let text = terms.text
        if freshness.isSettled {
            let hash = PartitionFacts.accountHash(text.span(terms.account))
            let known = state.withLock { $0.facts(ofAccount: text.span(terms.account), hash: hash) }
            if let known { return known }
        }
        let partition = try storing { () throws(StorageError) in
            try codec.partition(ofAccount: text.span(terms.account))
        }
        return try facts(of: partition, freshness)
    }

    func usernamePartition(_ terms: QueryTerms) throws(TokenCacheError) -> PartitionTag {
        let text = terms.text
        return try storing { () throws(StorageError) in
            try codec.partition(ofUsername: text.span(terms.account))
        }
    }

    func applicationPartition(_ terms: QueryTerms) throws(TokenCacheError) -> PartitionTag {
        let text = terms.text
        let realm = terms.tenant.map { Array(text.string($0).utf8) } ?? []
        return try storing { () throws(StorageError) in
            try codec.partition(ofApplication: foldedClientID, realm: realm)
        }
    }

    /// The accounts that have a username: as a rule one. Where there are several, those that are not signed out.
    func candidates(for terms: QueryTerms, _ freshness: Freshness) throws(TokenCacheError) -> [PartitionFacts] {
        let text = terms.text
        var partitions = try storing { () throws(StorageError) in
            try store.partitions(under: try codec.searchTag(username: text.span(terms.account)))
        }
        let own = try usernamePartition(terms)
        if !partitions.contains(own) { partitions.append(own) }
        var found: [PartitionFacts] = []
        for partition in partitions {
            let facts = try facts(of: partition, freshness)
            let username = facts.symbol(text.span(terms.account))
            if facts.rows.contains(where: { $0.kind.isAccount && $0.username == username }) { found.append(facts) }
        }
        guard found.count > 1 else { return found }
        let signedIn = found.filter { !$0.isSignedOut(client: foldedClientID) }
        return signedIn.isEmpty ? [found[0]] : signedIn
    }
}

extension Freshness {
    /// Whether facts that are read now may be kept.
    var isSettled: Bool {
        if case .unsettled = self { false } else { true }
    }
}

extension PartitionFacts {
    /// Whether nothing at all is known of the partition.
    var isEmpty: Bool { rows.isEmpty && damagedCount == 0 }

    /// Whether the client, folded, was signed out of the account.
    func isSignedOut(client: [UInt8]) -> Bool {
        let client = symbol(client.rawSpan)
        return rows.contains { $0.marks.contains(.signedOut) && $0.client == client }
    }

    /// By what tables inside this process find an account.
    static func accountHash(_ homeAccountID: RawSpan) -> UInt64 {
        homeAccountID.processHash(seed: hashSeed)
    }

    /// The hash of these facts' account; nil where they have none.
    var accountHash: UInt64? {
        homeAccountID.isNone ? nil : PartitionFacts.accountHash(span(homeAccountID))
    }

    /// Another one in each process, so that nobody can choose accounts that collide.
    private static let hashSeed = UInt64.random(in: .min ... .max)
}
