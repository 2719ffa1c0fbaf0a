// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Foundation
import GroupRecords
import RecordStorage
import SeededRandom
import Testing
import UnifiedSchema

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Fields of tokens that a save takes from lookups")
struct CachedFieldsTests {
    let fixture = GroupFixture()
    let group: OpenedGroup

    init() throws {
        group = try fixture.create(.file(unlockedBy: .keyFile))
    }

    /// The entries of a partition as a save reads them: with everything opened, and as far as rows do not tell.
    private func entries(
        of partition: PartitionTag,
        knowing rows: PartitionFacts
    ) throws -> (opened: PartitionEntries, told: PartitionEntries) {
        var found: (PartitionEntries, PartitionEntries)?
        try group.store.commit(until: .standard) { (context, batch) throws(StorageError) in
            let transaction = Transaction(context, batch, store: group.store, codec: group.codec)
            found = (try transaction.entries(of: partition), try transaction.entries(of: partition, rows: rows))
        }
        return try #require(found)
    }

    private func put(_ entries: [EntryFacts]) throws {
        try group.store.commit(until: .standard) { (context, batch) throws(StorageError) in
            for facts in entries { try batch.put(try group.codec.seal(facts, secret: [1].rawSpan, in: context)) }
        }
    }

    /// What becomes of tokens that are saved one after the other: where each goes, and what is left.
    private func locations(
        of tokens: [NewCredential],
        among stored: PartitionEntries,
        _ partition: PartitionTag
    ) throws -> ([String], [RecordTag]) {
        var slots = ReplacementPlan(
            stored,
            partition: partition,
            codec: group.codec,
            clouds: CloudKnowledge.builtIn.table
        )
        slots.freeExpiredTokens(of: UTF8Text(TestGroup.client), now: TestEntry.start)
        var locations: [String] = []
        for token in tokens {
            do throws(StorageError) {
                let location = try slots.take(token.fields) { (format) throws(SchemaError) in try token.facts(format) }
                locations.append("\(location.facts) \(location.address) \(location.replaced)")
            } catch {
                locations.append("\(error.code)")
            }
        }
        return (locations, slots.remaining.map(\.record.tag))
    }

    @Test(
        "equal the opened ones: the same entries are replaced, in the same form, under the same keys",
        arguments: 0..<6
    )
    func property(part: UInt64) throws {
        var tokens = GeneratedTokens(stream: 20 + part)
        var (openedCount, toldCount, replacedCount) = (0, 0, 0)
        for number in 0..<60 {
            tokens.account = "uid\(number).utid"
            try put((0..<Int.random(in: 1...9, using: &tokens.random)).compactMap { _ in tokens.stored() })
            let account = try TestEntry.account(account: tokens.account).parsed().facts
            try put([account])
            let partition = try group.codec.address(of: account).partition
            let rows = try group.loader().load(partition, from: group.store, until: .standard, knowing: nil)
            // Some versions are newer than the rows.
            if tokens.random.once(in: 3) { try put([tokens.stored()].compactMap { $0 }) }
            let (opened, told) = try entries(of: partition, knowing: rows)
            #expect(told.entries.map(\.record) == opened.entries.map(\.record))
            openedCount += opened.openedCount
            toldCount += told.openedCount
            for (entry, same) in zip(told.entries, opened.entries) {
                #expect(Self.compared(entry.fields) == Self.compared(same.fields))
                #expect(try entry.facts() == same.facts())
            }
            for _ in 0..<8 {
                let saved = (0..<3).map { _ in tokens.saved() }
                let (locations, left) = try locations(of: saved, among: opened, partition)
                let toldLocations = try self.locations(of: saved, among: told, partition)
                #expect(toldLocations.0 == locations)
                #expect(toldLocations.1 == left)
                replacedCount += opened.entries.count - left.count
            }
        }
        #expect(toldCount < openedCount * 2 / 3)
        #expect(replacedCount > 30)
    }

    /// Whatever a change compares: rows have the scopes of access tokens only.
    private static func compared(_ fields: CredentialFields) -> CredentialFields {
        var fields = fields
        if !fields.kind.isAccessToken { fields.target = nil }
        return fields
    }

    @Test("do not stop a save from passing over entries damaged since")
    func damagedSince() throws {
        let old = TestEntry.accessToken("old").under("some key")
        try group.put([.account(), old])
        let cache = try TokenCache(
            group: "group",
            clientID: TestGroup.client,
            root: fixture.scratch.path,
            storage: .file(unlockedBy: .keyFile)
        )
        let query = TokenQuery(accountID: TestGroup.accountID, scopes: ["User.Read"], tenant: "utid")
        _ = try cache.token(for: query)
        // Until the rows are all that is left of it in memory.
        for number in 0..<16 {
            let account = "uid\(number).utid"
            try group.put([.account(account: account), .accessToken(account: account)])
            _ = try cache.token(for: TokenQuery(accountID: Account.ID(account), scopes: ["User.Read"], tenant: "utid"))
        }
        let address = try group.codec.address(of: try old.parsed().facts)
        let contents = try group.store.contents(of: address.partition)
        let location = try #require(contents.records.first { $0.tag == address.tag }).facts
        let file = try #require(FileHandle(forWritingAtPath: fixture.path("journal")))
        try file.seek(toOffset: location.offset + 30)
        try file.write(contentsOf: Array(repeating: 0xA5, count: 8))
        try TestResponse.signIn(accessToken: "new").save(in: cache)
        guard case .valid(let token) = try cache.token(for: query) else {
            Issue.record("the saved token is not found")
            return
        }
        #expect(try token.withSecret { String(copying: $0) } == "new")
    }
}
