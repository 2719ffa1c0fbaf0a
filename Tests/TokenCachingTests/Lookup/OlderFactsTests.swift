// SPDX-License-Identifier: Apache-2.0

import FileStorage
import GroupRecords
import RecordStorage
import Sealing
import Testing
import UnifiedSchema

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Facts that are read after a change")
struct OlderFactsTests {
    let fixture = GroupFixture()
    let group: OpenedGroup

    init() throws {
        group = try fixture.create(.file(unlockedBy: .keyFile))
    }

    private func remove(_ entry: TestEntry) throws {
        let address = try group.codec.address(of: try entry.parsed().facts)
        try group.store.commit(until: .standard) { (_, batch) throws(StorageError) in
            try batch.remove(Removal(tag: address.tag, partition: address.partition, erasesSecret: true))
        }
    }

    /// All that facts say, with the texts in the place of symbols.
    private func description(_ facts: PartitionFacts) throws -> [String] {
        let texts = [facts.homeAccountID, facts.homeTenant].map { facts.string($0) ?? "-" }
        return try ["\(texts) \(facts.damagedCount)"]
            + facts.rows.indices.map { index in
                let row = facts.row(index)
                // Whatever properties a row has.
                let fields = Mirror(reflecting: row).children.map { name, value in
                    "\(name ?? ""): \((value as? Symbol).map { facts.string($0) ?? "-" } ?? "\(value)")"
                }
                let isolation = facts.isolation(of: row).map { "\($0.map { facts.string($0) ?? "" })" } ?? "-"
                var secretByteCount = 0
                if let secret = try openSecret(of: row, facts) { secretByteCount = secret.byteCount }
                return "\(fields) \(isolation) \(secretByteCount)"
            }
    }

    private func openSecret(of row: FactsRow, _ facts: PartitionFacts) throws(StorageError) -> SecretBytes? {
        try RecordCodec.openSecret(
            at: row.secret,
            tag: row.tag,
            kind: row.kind,
            sequence: row.sequence,
            reader: facts.reader,
            sealer: facts.sealer
        )
    }

    @Test(
        "are those that are read without older ones",
        arguments: ["uid.utid", "uid-of-nothing"]
    )
    func same(account: String) throws {
        let token = TestEntry.accessToken(account: account)
        let isolated = TestEntry.accessToken("isolated", account: account).with("requested_claims", "{\"a\":1}")
        let ownServer = TestEntry.refreshToken("own", account: account, environment: "sts.contoso.example")
        let steps: [() throws -> Void] = [
            { try group.put([.account(account: account), token, .refreshToken(account: account)]) },
            { try group.put([.accessToken("newer", account: account, expiresOn: TestEntry.start + 9000)]) },
            { try group.put([isolated, .idToken(account: account)]) },
            { try group.put([.accessToken("guest", account: account, realm: "other"), isolated]) },
            { try group.put([.account("other@contoso.com", account: account, realm: "other")]) },
            { try remove(token) },
            { try group.put([.refreshToken("family", account: account, family: "1")]) },
            { try group.put([ownServer.with("realm", "Policy")]) },
            { try remove(.account(account: account)) },
            { try remove(.account(account: account, realm: "other")) },
            { try group.put([token]) },
        ]
        let partition = try group.codec.address(of: try token.parsed().facts).partition
        var older: PartitionFacts?
        for step in steps {
            try step()
            let facts = try group.loader().load(partition, from: group.store, until: .standard, knowing: older)
            let expected = try group.loader().load(partition, from: group.store, until: .standard, knowing: nil)
            #expect(try description(facts) == description(expected))
            older = facts
        }
    }

    @Test("translate every symbol of a row")
    func symbols() {
        let tag = RecordTag(first: 1, second: 2)
        var row = FactsRow(tag: tag, sequence: 1, secret: .none, kind: RecordCodec.kind(.refreshToken))
        row.mapSymbols { _ in Symbol(index: 7) }
        let symbols = Mirror(reflecting: row).children.compactMap { $0.value as? Symbol }
        #expect(symbols.count >= 10)
        #expect(symbols.allSatisfy { $0 == Symbol(index: 7) })
    }

    @Test("are not opened again where the record did not change, and only where it lies in the same file")
    func unread() throws {
        try group.put([.account(), .accessToken()])
        let partition = try group.codec.address(of: try TestEntry.accessToken().parsed().facts).partition
        let contents = try group.store.contents(of: partition)
        #expect(contents.records.count == 2)
        let tag = contents.records[0].tag
        let part = try group.store.contents(of: partition, until: .standard, reader: contents.reader) { $0.tag == tag }
        #expect(part.facts.map { $0 == nil } == [true, false])
        try group.fileStore?.compact(until: .standard)
        _ = try group.store.refresh(until: .standard)
        let all = try group.store.contents(of: partition, until: .standard, reader: contents.reader) { _ in true }
        #expect(all.facts.allSatisfy { $0 != nil })
    }

    @Test("are found by the first lookup of a cache that was opened before them")
    func openedBefore() throws {
        func open() throws -> TokenCache {
            try TokenCache(
                group: "group",
                clientID: TestGroup.client,
                root: fixture.scratch.path,
                storage: .file(unlockedBy: .keyFile)
            )
        }
        let query = TokenQuery(accountID: TestGroup.accountID, scopes: ["User.Read"])
        let (before, writer) = (try open(), try open())
        let signIn = TestResponse.signIn()
        _ = try writer.save(TokenResponse(json: signIn.body), for: signIn.request)
        guard case .valid(let token) = try before.token(for: query) else {
            Issue.record("the token is not found")
            return
        }
        #expect(try token.secretString == "at")
        guard case .valid = try open().token(for: query) else {
            Issue.record("the token is not found at once")
            return
        }
        let renewal = signIn.renewal.with("access_token", "new")
        _ = try writer.save(TokenResponse(json: renewal.body), for: renewal.request)
        guard case .valid(let newer) = try before.token(for: query) else {
            Issue.record("the newer token is not found")
            return
        }
        #expect(try newer.secretString == "new")
    }
}
