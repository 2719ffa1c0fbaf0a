// SPDX-License-Identifier: Apache-2.0

import Programs
import RecordStorage
import Testing

@testable import SecretServiceStorage
@testable import TokenCaching
@testable import TokenCachingTestSupport

/// How often a group in the keyring asks the service, as the bus hears it. What `Documentation/Formats/KeyringItems.md` says.
@Suite("Calls to the keyring", .serialized, .timeLimit(.minutes(Scale.pick(10, release: 240))))
struct KeyringCallTests {
    private let fixture: KeyringFixture
    private let monitor: BusMonitor

    private static let client = "client"
    private static let host = "login.microsoftonline.com"

    init() throws {
        fixture = try KeyringFixture()
        monitor = try BusMonitor(fixture.keyring)
    }

    private func cache(access: GroupAccess = .readWrite) throws -> TokenCache {
        let group = try fixture.opener(.keyring, access: access).open()
        return try TokenCache(store: group.store, unlockedKeys: group.unlockedKeys, clientID: Self.client)
    }

    private func save(
        _ number: Int,
        in cache: TokenCache,
        round: Int = 0
    ) throws {
        let request = TokenRequest(
            environment: Self.host,
            tenant: "tenant",
            scopes: ["read"],
            grant: .interactive,
            accountID: Account.ID("user\(number).tenant")
        )
        let json = """
            {"token_type":"Bearer","scope":"read","expires_in":3600,"access_token":"token-\(number)-\(round)",\
            "refresh_token":"refresh-\(number)-\(round)"}
            """
        _ = try cache.save(TokenResponse(json: Array(json.utf8)), for: request)
    }

    private func find(_ number: Int, in cache: TokenCache) throws {
        let query = TokenQuery(
            accountID: Account.ID("user\(number).tenant"),
            scopes: ["read"],
            tenant: "tenant",
            environment: Self.host
        )
        guard case .valid(let token) = try cache.token(for: query) else {
            Issue.record("no token of user \(number)")
            return
        }
        #expect(try token.withSecret { $0.byteCount } > 0)
    }

    /// A group with so many accounts.
    private func fill(_ count: Int) throws {
        let cache = try cache(access: .create)
        for number in 0..<count { try save(number, in: cache) }
        cache.close()
    }

    /// What finding the service takes, which is done once for a connection.
    private static let session = ["OpenSession", "ReadAlias"]

    @Test(
        "an open group and the first token take four calls beside the session, however many accounts there are",
        arguments: [2, 40]
    )
    func opening(count: Int) throws {
        try fill(count)
        var cache: TokenCache?
        let opening = try monitor.calls { cache = try self.cache() }
        #expect(opening == Self.session + ["SearchItems", "GetSecrets"])
        let opened = try #require(cache)
        #expect(try monitor.calls { try find(1, in: opened) } == ["SearchItems", "GetSecrets"])
        #expect(try monitor.calls { for _ in 0..<20 { try find(1, in: opened) } } == [])
    }

    @Test("a change by another takes two, and only where the account is asked for that was changed")
    func foreignChange() throws {
        try fill(3)
        let (reader, writer) = (try cache(), try cache())
        for number in 0..<3 { try find(number, in: reader) }
        try save(1, in: writer, round: 1)
        #expect(try monitor.calls { try find(0, in: reader) } == [])
        #expect(try monitor.calls { try find(1, in: reader) } == ["SearchItems", "GetSecrets"])
        #expect(try monitor.calls { for number in 0..<3 { try find(number, in: reader) } } == [])
    }

    @Test("a save of an account that is known takes three, of a new one two, and the first of a cache two more")
    func saving() throws {
        try fill(3)
        let cache = try cache()
        try find(1, in: cache)
        // What belongs to no account is read once.
        let first = try monitor.calls { try save(1, in: cache, round: 1) }
        #expect(first == ["Get", "SearchItems", "GetSecrets", "SearchItems", "SetSecret"])
        let known = try monitor.calls { try save(1, in: cache, round: 2) }
        #expect(known == ["Get", "SearchItems", "SetSecret"])
        let new = try monitor.calls { try save(9, in: cache) }
        #expect(new == ["Get", "CreateItem"])
    }

    @Test("a sign-out takes nine, however many accounts there are", arguments: [2, 20])
    func signingOut(count: Int) throws {
        try fill(count)
        let cache = try cache()
        let calls = try monitor.calls { try cache.signOut(accountID: "user1.tenant") }
        // The account, and the note of who signed out, which is everybody's.
        let reading = ["SearchItems", "GetSecrets", "SearchItems", "GetSecrets"]
        #expect(calls == ["Get"] + reading + ["SearchItems", "SetSecret", "SearchItems", "SetSecret"])
    }

    @Test("a list of all accounts takes one search, and few calls for dozens of them")
    func listing() throws {
        try fill(40)
        let cache = try cache()
        var count = 0
        let calls = try monitor.calls { count = try cache.accounts().count }
        #expect(count == 40)
        // What belongs to no account is among them: 8 and 16 items, and of what is left halves.
        #expect(calls == ["SearchItems"] + Array(repeating: "GetSecrets", count: 5))
    }
}
