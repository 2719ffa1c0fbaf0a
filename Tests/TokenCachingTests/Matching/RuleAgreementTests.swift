// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import GroupRecords
import RecordStorage
import SeededRandom
import Testing
import UnifiedSchema

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Lookups, saves and imports go by the same rules")
struct RuleAgreementTests {
    let fixture = GroupFixture()
    let group: OpenedGroup

    init() throws {
        group = try fixture.create(.file(unlockedBy: .keyFile))
    }

    /// An entry as a lookup compares it, and as a change does.
    private struct Entry {
        let row: FactsRow
        let stored: StoredEntry
        var fields: CredentialFields { stored.fields }
    }

    /// The entries of a partition, both ways.
    private struct Partition {
        let facts: PartitionFacts
        let entries: PartitionEntries
        let pairs: [Entry]
    }

    private func put(_ entries: [EntryFacts]) throws {
        try group.store.commit(until: .standard) { (context, batch) throws(StorageError) in
            for facts in entries { try batch.put(try group.codec.seal(facts, secret: [1].rawSpan, in: context)) }
        }
    }

    private func read(_ partition: PartitionTag) throws -> Partition {
        let facts = try group.loader().load(partition, from: group.store, until: .standard, knowing: nil)
        let entries = try PartitionEntries(try group.store.contents(of: partition), codec: group.codec)
        let pairs = entries.entries.compactMap { entry in
            facts.rows.indices.first { facts.row($0).tag == entry.record.tag }
                .map { Entry(row: facts.row($0), stored: entry) }
        }
        return Partition(facts: facts, entries: entries, pairs: pairs)
    }

    /// What generated accounts have, one account after the other. Some are personal ones.
    private func forEachAccount(
        _ count: Int,
        stream: UInt64,
        _ body: (inout GeneratedTokens, Partition) throws -> Void
    ) throws {
        var tokens = GeneratedTokens(stream: stream)
        tokens.realms = ["utid", "utid", "common", "organizations", "consumers", "guest", TenantWord.consumersTenant]
        for number in 0..<count {
            let tenant = tokens.random.once(in: 3) ? TenantWord.consumersTenant.string : "utid"
            tokens.account = "uid\(number).\(tenant)"
            let account = try TestEntry.account(account: tokens.account).parsed().facts
            // Several transactions, so that entries differ in age.
            try put([account])
            for _ in 0..<3 { try put((0..<4).compactMap { _ in tokens.stored() }) }
            let partition = try read(try group.codec.address(of: account).partition)
            #expect(partition.pairs.count == partition.entries.entries.count)
            try body(&tokens, partition)
        }
    }

    @Test("kinds of credentials, and their times")
    func views() throws {
        try forEachAccount(40, stream: 46) { _, partition in
            for entry in partition.pairs {
                #expect(entry.row.entryKind == entry.fields.entryKind)
                #expect(entry.row.namesFamily == entry.fields.namesFamily)
                #expect(entry.row.times == entry.fields.times)
            }
        }
    }

    @Test("which refresh tokens a family shares, and which clients are in it")
    func families() throws {
        var (sharedCount, foreignCount) = (0, 0)
        try forEachAccount(40, stream: 41) { tokens, partition in
            let metadata = try (0..<3).map { _ in
                try TestEntry.appMetadata(
                    client: tokens.random.pick("client-a", "client-b"),
                    environment: tokens.random.pick("login.microsoftonline.com", "login.microsoftonline.us"),
                    family: tokens.random.pick(nil, "1", "2")
                ).parsed().facts
            }
            try put(tokens.random.once(in: 4) ? [] : metadata)
            let shared = try read(group.codec.groupPartition())
            for client in ["client-a", "client-b", "client-c"] {
                let families = ClientFamilies(group: shared.facts, client: client.rawSpan)
                let session = FamilySession(
                    partition.entries,
                    group: shared.entries,
                    client: UTF8Text(client),
                    clouds: .builtIn
                )
                for entry in partition.pairs where entry.row.kind.isPlainRefreshToken {
                    #expect(entry.row.isFamilyToken == entry.fields.isFamilyToken)
                    guard entry.row.isFamilyToken, entry.fields.clientID.string != client else { continue }
                    let (family, cloud) = (
                        partition.facts.span(entry.row.family), partition.facts.span(entry.row.cloud)
                    )
                    let isMember = families.isMember(of: family, cloud: cloud)
                    #expect(isMember == session.shares(entry.fields), "\(entry.fields) \(client)")
                    if isMember { sharedCount += 1 } else { foreignCount += 1 }
                }
            }
            let group = group
            try group.store.commit(until: .standard) { (_, batch) throws(StorageError) in
                for entry in shared.pairs {
                    let tag = entry.row.tag
                    try batch.remove(Removal(tag: tag, partition: shared.facts.partition, erasesSecret: false))
                }
            }
        }
        #expect(sharedCount > 10 && foreignCount > 10)
    }

    @Test("the members that isolate tokens")
    func isolation() throws {
        var (sameCount, otherCount) = (0, 0)
        try forEachAccount(40, stream: 42) { _, partition in
            let facts = partition.facts
            for one in partition.pairs {
                var options = TokenQueryOptions()
                options.isolation = one.fields.isolation.map { $0?.string }
                let terms = PreparedQuery(
                    .homeAccountID,
                    account: "",
                    scopes: ["a"],
                    tenant: nil,
                    environment: nil,
                    options: options
                )
                let match = IsolationMatch(terms, facts)
                for other in partition.pairs {
                    let isSame = other.fields.isIsolated(like: one.fields)
                    #expect(match.isExact(other.row, of: facts) == isSame, "\(one.fields) \(other.fields)")
                    #expect((facts.isolation(of: one.row) == facts.isolation(of: other.row)) == isSame)
                    guard one.row.isIsolated || other.row.isIsolated else { continue }
                    if isSame { sameCount += 1 } else { otherCount += 1 }
                }
            }
        }
        #expect(sameCount > 10 && otherCount > 100)
    }

    @Test("which realms a word in place of a tenant means")
    func realms() throws {
        var (meantCount, otherCount) = (0, 0)
        try forEachAccount(40, stream: 43) { tokens, partition in
            let id = UTF8Text(tokens.account)
            for word in TenantWord.allCases {
                guard let realm = word.realm(homeAccountID: id) else { continue }
                let terms = PreparedQuery(
                    .homeAccountID,
                    account: tokens.account,
                    scopes: ["a"],
                    tenant: word.rawValue,
                    environment: nil,
                    options: nil
                )
                let match = RealmMatch(terms, partition.facts)
                for entry in partition.pairs where entry.fields.kind.isAccessToken {
                    // The same token as if it was saved for what the word means.
                    var saved = entry.fields
                    (saved.homeAccountID, saved.realm, saved.target) = (id, realm, "a")
                    var stored = entry.fields
                    stored.target = "a"
                    let isMeant = match.contains(entry.row)
                    let isReplaced = SameCredential(saved: saved, clouds: .builtIn).isReplaced(stored)
                    #expect(isMeant == isReplaced, "\(id) \(word) \(entry.fields)")
                    if isMeant { meantCount += 1 } else { otherCount += 1 }
                }
            }
        }
        #expect(meantCount > 30 && otherCount > 30)
    }

    @Test("which of two entries is newer")
    func ages() throws {
        var count = 0
        try forEachAccount(40, stream: 44) { _, partition in
            for one in partition.pairs {
                let age = EntryAge(one.fields.times)
                for other in partition.pairs where age.isSurelyNewer(than: EntryAge(other.fields.times)) {
                    #expect(one.row.precedes(other.row) && !other.row.precedes(one.row))
                    count += 1
                }
            }
        }
        #expect(count > 50)
    }

    @Test("a save replaces entries that an import takes for one credential")
    func sameCredential() throws {
        var count = 0
        try forEachAccount(160, stream: 45) { _, partition in
            for one in partition.pairs where [.accessToken, .refreshToken].contains(one.fields.kind) {
                // A token without scopes serves nothing.
                if one.fields.kind.isAccessToken, one.fields.target?.isEmpty ?? true { continue }
                let identity = EntryIdentity(try one.stored.facts(), one.fields, clouds: .builtIn)
                for other in partition.pairs where other.row.tag != one.row.tag {
                    guard EntryIdentity(try other.stored.facts(), other.fields, clouds: .builtIn) == identity else {
                        continue
                    }
                    let isReplaced = SameCredential(saved: one.fields, clouds: .builtIn).isReplaced(other.fields)
                    #expect(isReplaced, "\(one.fields) \(other.fields)")
                    count += 1
                }
            }
        }
        #expect(count > 5)
    }
}
