// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupRecords
internal import RecordStorage
internal import Synchronization
internal import UnifiedSchema

extension Engine {
    /// The facts of a partition, cached or read from the store.
    func facts(of partition: PartitionTag, _ freshness: Freshness) throws(StorageError) -> PartitionFacts {
        let (known, last, moment) = state.withLock { state in
            (state.facts(of: partition), state.lastFacts(of: partition), state.moment)
        }
        if let known, freshness.isSettled { return known }
        let read = try facts.load(partition, from: store, until: freshness.deadline, knowing: last)
        guard freshness.isSettled else { return read }
        return state.withLock { $0.keep(read, readAt: moment) }
    }

    /// The facts of a partition as last read, even if it changed since; nil if none are cached.
    func lastFacts(of partition: PartitionTag) -> PartitionFacts? {
        state.withLock { $0.lastFacts(of: partition) }
    }

    /// The facts of the account whose home account id the query gives.
    func accountFacts(
        _ terms: PreparedQuery,
        freshness: Freshness,
        knownPartition: PartitionTag?
    ) throws(StorageError) -> PartitionFacts {
        if let knownPartition { return try facts(of: knownPartition, freshness) }
        if freshness.isSettled {
            let hash = PartitionFacts.accountHash(terms.span(terms.account))
            let known = state.withLock { $0.facts(ofAccount: terms.span(terms.account), hash: hash) }
            if let known { return known }
        }
        let partition = try codec.partition(ofAccount: terms.span(terms.account))
        return try facts(of: partition, freshness)
    }

    func usernamePartition(_ terms: PreparedQuery) throws(StorageError) -> PartitionTag {
        try codec.partition(ofUsername: terms.span(terms.account))
    }

    func applicationPartition(_ terms: PreparedQuery) throws(StorageError) -> PartitionTag {
        let realm = terms.tenant.map { Array(String(copying: terms.span($0)).utf8) } ?? []
        return try codec.partition(ofApplication: Array(foldedClient.utf8), realm: realm)
    }

    func searchTag(ofUsername terms: PreparedQuery) throws(StorageError) -> SearchTag {
        try codec.searchTag(username: terms.span(terms.account))
    }

    /// The partitions that may contain accounts found under `tag`, in ascending order.
    func partitions(under tag: SearchTag, _ freshness: Freshness) throws(StorageError) -> [PartitionTag] {
        try store.partitions(under: tag, until: freshness.deadline).sorted()
    }

    /// The accounts at issuers whose subject a query gives as the id, in an order that is the same in every group.
    func accounts(
        ofSubject terms: PreparedQuery,
        in partitions: [PartitionTag],
        _ freshness: Freshness
    ) throws(StorageError) -> [PartitionFacts] {
        guard let subject = UTF8Text(utf8: terms.span(terms.account)) else { return [] }
        var found: [PartitionFacts] = []
        for partition in partitions {
            let facts = try facts(of: partition, freshness)
            if HomeAccountID.isSubject(subject, of: facts.accountText) { found.append(facts) }
        }
        return found.sorted { $0.accountText < $1.accountText }
    }

    /// The accounts with a username in `partitions`, or in the username's own partition; usually one.
    func candidates(
        for terms: PreparedQuery,
        in partitions: [PartitionTag],
        _ own: PartitionTag,
        _ freshness: Freshness
    ) throws(StorageError) -> [PartitionFacts] {
        var found: [PartitionFacts] = []
        for partition in partitions {
            let facts = try facts(of: partition, freshness)
            if facts.hasAccount(username: terms.span(terms.account)) { found.append(facts) }
        }
        if found.isEmpty {
            let items = try facts(of: own, freshness)
            if items.hasLegacyTokens { return [items] }
        }
        // In an order that is the same in every group.
        return found.sorted { $0.accountText < $1.accountText }
    }
}

extension PartitionFacts {
    /// Whether the partition has no known content.
    var isEmpty: Bool { rows.isEmpty && damagedCount == 0 && cloudMetadataSequence == nil }

    /// Whether the client, folded, signed out of the account.
    func isSignedOut(client: RawSpan) -> Bool {
        let client = symbol(client)
        for index in rows.indices where rows[index].flags.contains(.signedOut) {
            if rows[index].client == client { return true }
        }
        return false
    }

    /// The home account id, to compare; empty for an account without one.
    var accountText: UTF8Text { UTF8Text(string(homeAccountID) ?? "") }

    /// Whether a query names the account by its whole id.
    func isOfAccount(namedBy terms: PreparedQuery) -> Bool {
        let name = terms.span(terms.account)
        return span(homeAccountID).isEqual(to: name)
    }

    /// Whether an account entry, or one of its tenant profiles, has this username, which is folded.
    func hasAccount(username: RawSpan) -> Bool {
        let symbol = symbol(username)
        for index in rows.indices where rows[index].kind.isAccount {
            if rows[index].username == symbol || span(rows[index].scopes).hasLine(username) { return true }
        }
        return false
    }

    /// The hash by which in-memory tables find an account.
    static func accountHash(_ homeAccountID: RawSpan) -> UInt64 {
        homeAccountID.processHash(seed: hashSeed)
    }

    /// The hash of these facts' account; nil if they have none.
    var accountHash: UInt64? {
        homeAccountID.isNone ? nil : PartitionFacts.accountHash(span(homeAccountID))
    }

    /// Per-process random seed, to prevent hash flooding.
    private static let hashSeed = UInt64.random(in: .min ... .max)
}

extension RawSpan {
    /// Whether one of the lines, each of which ends with a line feed, is equal to `line`.
    fileprivate func hasLine(_ line: RawSpan) -> Bool {
        var start = 0
        for end in 0..<byteCount where byte(at: end) == UInt8(ascii: "\n") {
            if extracting(start..<end).isEqual(to: line) { return true }
            start = end + 1
        }
        return false
    }
}
