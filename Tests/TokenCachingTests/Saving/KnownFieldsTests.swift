import Foundation
import RecordStorage
import SeededRandom
import Testing
import UnifiedSchema

@testable import TokenCaching

@Suite("What lookups know of tokens, told to a save")
struct KnownFieldsTests {
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
            for facts in entries { try batch.put(try group.codec.seal(facts, secret: RawSpan(), in: context)) }
        }
    }

    /// What becomes of tokens that are saved one after the other: where each goes, and what is left.
    private func places(
        of tokens: [NewCredential],
        among stored: PartitionEntries,
        _ partition: PartitionTag
    ) throws -> ([String], [RecordTag]) {
        var slots = EntrySlots(stored, partition: partition, codec: group.codec, clouds: CloudKnowledge.builtIn.table)
        slots.freeExpiredTokens(of: UTF8Text(TestGroup.client), now: TestEntry.start)
        var places: [String] = []
        for token in tokens {
            do throws(TokenCacheError) {
                let place = try slots.take(token.fields) { (format) throws(SchemaError) in try token.facts(format) }
                places.append("\(place.facts) \(place.address) \(place.replaced)")
            } catch {
                places.append("\(error.code)")
            }
        }
        return (places, slots.remaining.map(\.record.tag))
    }

    @Test("is what opening them tells: the same is replaced, in the same form, under the same key", arguments: 0..<6)
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
            for (entry, same) in zip(told.entries, opened.entries) { #expect(try entry.facts() == same.facts()) }
            for _ in 0..<8 {
                let saved = (0..<3).map { _ in tokens.saved() }
                let (places, left) = try places(of: saved, among: opened, partition)
                let toldPlaces = try self.places(of: saved, among: told, partition)
                #expect(toldPlaces.0 == places)
                #expect(toldPlaces.1 == left)
                replacedCount += opened.entries.count - left.count
            }
        }
        #expect(toldCount < openedCount * 2 / 3)
        #expect(replacedCount > 150)
    }

    @Test("does not keep a save from passing over what is damaged by now")
    func damagedSince() throws {
        let old = TestEntry.accessToken("old").under("some key")
        try group.put([.account(), old])
        let cache = try TokenCache(
            group: "group",
            clientID: TestGroup.client,
            root: fixture.scratch.path,
            storage: .file(unlockedBy: .keyFile)
        )
        let query = TokenQuery(account: TestGroup.account, scopes: ["User.Read"], tenant: "utid")
        _ = try cache.token(for: query)
        // Until the rows are all that is left of it in memory.
        for number in 0..<16 {
            let account = "uid\(number).utid"
            try group.put([.account(account: account), .accessToken(account: account)])
            _ = try cache.token(for: TokenQuery(account: account, scopes: ["User.Read"], tenant: "utid"))
        }
        let address = try group.codec.address(of: try old.parsed().facts)
        let contents = try group.store.contents(of: address.partition)
        let place = try #require(contents.records.first { $0.tag == address.tag }).facts
        let file = try #require(FileHandle(forWritingAtPath: fixture.path("journal")))
        try file.seek(toOffset: place.offset + 30)
        try file.write(contentsOf: Array(repeating: 0xA5, count: 8))
        try TestResponse.signIn(accessToken: "new").save(in: cache)
        guard case .valid(let token) = try cache.token(for: query) else {
            Issue.record("the saved token is not found")
            return
        }
        #expect(try token.withSecret { String(copying: $0) } == "new")
    }
}

/// Tokens of one account as any SDK may have stored them, and as a save would write them.
private struct GeneratedTokens {
    var random: SeededGenerator
    var account = ""

    init(stream: UInt64) {
        random = SeededGenerator(stream: stream)
    }

    /// Nil where the SDK would not write such a token.
    mutating func stored() -> EntryFacts? {
        var token = saved()
        token.kind = random.pick(token.kind, token.kind, .familyRefreshToken, .v1IDToken, .accessTokenWithAuthScheme)
        let scopes: UTF8Text = random.pick("a b", "Mail.Read", "openid User.Read", "")
        if random.once(in: 3) { token.target = ScopeSet(scopes) }
        if random.once(in: 4) { token.clientInfo = UTF8Text("info") }
        if random.once(in: 4) { token.homeAccountID = UTF8Text(" \(account.uppercased())") }
        if random.once(in: 3) { token.lastModificationTime = random.pick(nil, TestEntry.start - 5) }
        let facts = try? token.facts(random.pick(KeyFormat.allCases + [.standard, .standard, .standard]))
        let other = saved()
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return facts?.under(random.pick("key 0", "key 1", "key 2"))
        case 1: return facts?.under(random.pick("key \"quoted\"", "key \\"))
        // Under a key that is meant for another one.
        case 2: return (try? other.facts())?.key.flatMap { facts?.under($0) }
        default: return facts
        }
    }

    private mutating func rarely(_ text: UTF8Text) -> UTF8Text? {
        random.once(in: 12) ? text : nil
    }

    mutating func saved() -> NewCredential {
        var token = NewCredential(
            kind: random.pick(.accessToken, .accessToken, .refreshToken, .refreshToken, .idToken),
            environment: random.pick(
                "login.microsoftonline.com",
                "login.windows.net",
                "login.windows.net",
                "Login.Windows.Net",
                "login.microsoftonline.us",
                "adfs.contoso.com"
            ),
            clientID: random.pick("client-a", "client-a", "client-a", "Client-A", "client-b")
        )
        token.homeAccountID = UTF8Text(account)
        token.realm =
            token.kind == .refreshToken
            ? random.pick(nil, nil, "utid") : random.pick("utid", "utid", "utid", "common", "guest")
        if token.kind == .accessToken {
            let scopes: UTF8Text = random.pick("User.Read Mail.Read", "mail.read", "Files.Read openid", "openid")
            token.target = ScopeSet(scopes)
            token.tokenType = random.pick(nil, nil, nil, nil, nil, "Bearer", "pop")
            token.keyID = token.tokenType == "pop" ? random.pick(nil, "K", "k") : nil
            token.cachedAt = TestEntry.start - 600
            token.expiresOn = TestEntry.start + random.pick(-5, 0, 3000)
            token.extendedExpiresOn = random.pick(nil, TestEntry.start + 1, TestEntry.start + 4000)
            token.requestedClaims = rarely("{}")
            token.extCacheKey = rarely("x")
            token.applicationIdentifier = rarely("app")
        }
        if token.kind == .refreshToken {
            token.familyID = random.pick(nil, nil, "1", "2")
            token.lastModificationTime = TestEntry.start
        }
        if token.kind != .idToken { token.userAssertionHash = rarely(random.pick("hash", "HASH=")) }
        return token
    }
}
