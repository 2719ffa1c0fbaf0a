// SPDX-License-Identifier: Apache-2.0

import RecordStorage
import Testing
import UnifiedSchema

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Signing out, wiping and clearing")
struct SignOutTests {
    let group: TestGroup
    let cache: TokenCache
    let query = MatchingCase.query("user.read")

    init() throws {
        group = try TestGroup()
        cache = try group.cache()
    }

    private func theAccount() throws -> Account {
        try #require(
            try cache.accounts(matching: AccountFilter(id: "uid.utid", includesSignedOut: true)).first
        )
    }

    @Test("this client's tokens of the account go, in all tenants and clouds, also those kept apart")
    func ownTokens() throws {
        try group.put(
            .account(),
            .accessToken("1"),
            .accessToken("2", realm: "guest"),
            .accessToken("3", environment: "login.microsoftonline.us"),
            TestEntry.accessToken("4").with("requested_claims", "{}"),
            .refreshToken("5"),
            .idToken(),
            TestEntry.refreshToken("6").with("credential_type", "PrimaryRefreshToken").with("session_key", "k"),
            .accessToken("other client", client: "other"),
            .accessToken("other account", account: "x.y")
        )
        try cache.signOut(try theAccount())
        #expect(try group.secrets() == ["other account", "other client"])
        #expect(try group.entries().contains { $0.facts.kind == .account })
    }

    @Test("silent tokens are refused afterwards, even where a family's refresh token stays")
    func refused() throws {
        try group.put(
            .account(),
            .accessToken(),
            .refreshToken(client: "other", family: "1"),
            .appMetadata(client: "other", family: "1"),
            .idToken(client: "other")
        )
        #expect(try cache.token(for: query).summary() == "valid at")
        try cache.signOut(try theAccount())
        #expect(try cache.token(for: query).summary() == "interaction signedOut")
        #expect(try cache.accounts().isEmpty)
        #expect(try theAccount().isSignedIn == false)
        #expect(try group.cache(client: "other").token(for: query).summary() == "renew rt")
    }

    @Test("another cache of the client sees the sign-out, another client does not")
    func others() throws {
        try group.put(.account(), .accessToken(), .accessToken("b", client: "other"))
        let same = try group.cache()
        let other = try group.cache(client: "other")
        _ = try (same.token(for: query), other.token(for: TokenQuery(accountID: "uid.utid", scopes: ["user.read"])))
        try cache.signOut(try theAccount())
        #expect(try same.token(for: query).summary() == "interaction signedOut")
        #expect(try other.token(for: query).summary() == "valid b")
    }

    @Test("an interactive sign-in brings the account back")
    func signInAgain() throws {
        let account = try #require(try TestResponse.signIn().save(in: cache))
        try cache.signOut(account)
        #expect(try TestResponse.signIn(accessToken: "new").save(in: cache)?.isSignedIn == true)
        #expect(try cache.token(for: query).summary() == "valid new")
        #expect(try cache.accounts().count == 1)
    }

    @Test("a renewal that was under way is refused and stores nothing")
    func lateRenewal() throws {
        let account = try #require(try TestResponse.signIn().save(in: cache))
        try cache.signOut(account)
        let before = try group.entries().count
        let error = #expect(throws: TokenCacheError.self) {
            try TestResponse.signIn(accessToken: "new").renewal.save(in: try group.cache())
        }
        #expect(error?.code == .signedOut)
        #expect(try group.entries().count == before)
    }

    /// Family token, what else is stored, whether the token stays when client-a signs out.
    static let families: [(String, TestEntry, [TestEntry], Bool)] = [
        ("own, nobody else", .refreshToken(family: "1"), [], false),
        (
            "own, another member has an access token", .refreshToken(family: "1"),
            [.appMetadata(client: "b", family: "1"), .accessToken(client: "b")], true
        ),
        (
            "own, another member has an id token", .refreshToken(family: "1"),
            [.appMetadata(client: "b", family: "1"), .idToken(client: "b")], true
        ),
        (
            "own, the other one is of another family", .refreshToken(family: "1"),
            [.appMetadata(client: "b", family: "2"), .accessToken(client: "b")], false
        ),
        (
            "own, the other member has nothing", .refreshToken(family: "1"), [.appMetadata(client: "b", family: "1")],
            false
        ),
        ("got by another client", .refreshToken(client: "b", family: "1"), [.appMetadata(family: "1")], true),
        (
            "got by another client, this one in no family", .refreshToken(client: "b", family: "1"),
            [.appMetadata(family: "")], true
        ),
        (
            "the other member is one in another cloud", .refreshToken(family: "1"),
            [
                .appMetadata(client: "b", environment: "login.microsoftonline.us", family: "1"),
                .accessToken(client: "b", environment: "login.microsoftonline.us"),
            ], false
        ),
    ]

    @Test("a family's refresh token goes with the last of the family", arguments: 0..<families.count)
    func family(index: Int) throws {
        let (rule, token, entries, stays) = Self.families[index]
        try group.put([.account(), token] + entries)
        try cache.signOut(try theAccount())
        #expect(try group.secrets().contains("rt") == stays, Comment(rawValue: rule))
    }

    @Test("a family's refresh token goes once the other member has signed out too")
    func familyByState() throws {
        try group.put(
            .account(),
            .refreshToken(client: "b", family: "1"),
            .appMetadata(family: "1"),
            .appMetadata(client: "b", family: "1")
        )
        try cache.signOut(try theAccount())
        #expect(try group.secrets() == ["rt"])
        try group.cache(client: "b").signOut(try theAccount())
        #expect(try group.secrets().isEmpty)
    }

    @Test("a sign-out overwrites the sealed secrets: a token that was handed out cannot be opened any more")
    func erased() throws {
        try group.put(.account(), .accessToken())
        guard case .valid(let token) = try cache.token(for: query) else { throw Unexpected() }
        try cache.signOut(try theAccount())
        let error = #expect(throws: TokenCacheError.self) { try token.secretString }
        #expect(error?.code == .tokenGone)
    }

    @Test("client, scope and time of a removal are recorded in the group, and for a wiped account")
    func mark() throws {
        #expect(try cache.lastRemoval() == nil)
        try group.put(.account(), .accessToken())
        try cache.signOut(try theAccount())
        let mark = try #require(try cache.lastRemoval())
        #expect(mark.clientID == "client-a")
        #expect(mark.scope == .signOut)
        #expect(mark.removedAt.secondsSince1970 == TestEntry.start)
        #expect(try cache.lastWipe(accountID: TestGroup.accountID) == nil)
        group.clock.advance(by: 60)
        try group.cache(client: "Other").wipe(accountID: TestGroup.accountID)
        let wipe = try #require(try cache.lastWipe(accountID: "UID.utid"))
        #expect(wipe == (try cache.lastRemoval()))
        #expect(wipe.clientID == "other")
        #expect(wipe.scope == .account)
        #expect(wipe.removedAt.secondsSince1970 == TestEntry.start + 60)
        try cache.clearAll()
        #expect(try cache.lastRemoval()?.scope == .group)
        #expect(try cache.lastWipe(accountID: TestGroup.accountID) == nil)
    }

    @Test("wiping removes every client's entries of the account, and the account")
    func wipe() throws {
        try group.put(
            .account(),
            .account(realm: "guest"),
            .accessToken("1"),
            .accessToken("2", client: "other"),
            .refreshToken("3", client: "other", family: "1"),
            .account("bob", account: "x.y"),
            .accessToken("4", account: "x.y"),
            .appMetadata(family: "1")
        )
        try cache.wipe(try theAccount())
        #expect(try group.secrets() == ["4"])
        #expect(try cache.accounts(matching: .all).map(\.id) == ["x.y"])
        #expect(try group.entries().contains { $0.facts.kind == .appMetadata })
        let error = #expect(throws: TokenCacheError.self) {
            try TestResponse.signIn().renewal.save(in: try group.cache(client: "other"))
        }
        #expect(error?.code == .signedOut)
    }

    @Test("clearing removes everything")
    func clear() throws {
        try group.put(.account(), .accessToken(), .appMetadata(family: "1"), .account("bob", account: "x.y"))
        #expect(try cache.token(for: query).summary() == "valid at")
        try cache.clearAll()
        #expect(try group.entries().isEmpty)
        #expect(try cache.token(for: query).summary() == "interaction accountUnknown")
    }

    @Test("a renewal that was under way while all was cleared away is refused and stores nothing")
    func renewalAfterClear() throws {
        try TestResponse.signIn().save(in: cache)
        try group.cache(client: "other").clearAll()
        let error = #expect(throws: TokenCacheError.self) {
            try TestResponse.signIn(accessToken: "new").renewal.save(in: cache)
        }
        #expect(error?.code == .signedOut)
        #expect(try group.entries().isEmpty)
    }

    /// What is stored, and whether client-a, of whose sign-in nothing is noted, may save a renewal.
    static let spendable: [(String, [TestEntry], Bool)] = [
        ("own", [.refreshToken()], true),
        ("other client's", [.refreshToken(client: "b")], false),
        ("family's, nothing known of the client", [.refreshToken(client: "b", family: "1")], true),
        ("family's, client is a member", [.refreshToken(client: "b", family: "1"), .appMetadata(family: "1")], true),
        ("family's, client is in none", [.refreshToken(client: "b", family: "1"), .appMetadata(family: "")], false),
        ("access token only", [.accessToken()], false),
    ]

    @Test("a renewal needs a refresh token that it may have spent", arguments: 0..<spendable.count)
    func spentToken(index: Int) throws {
        let (rule, entries, isSaved) = Self.spendable[index]
        try group.put([.account()] + entries)
        let renewal = TestResponse.signIn(accessToken: "new").renewal
        if isSaved {
            try renewal.save(in: cache)
        } else {
            let error = #expect(throws: TokenCacheError.self) { try renewal.save(in: cache) }
            #expect(error?.code == .signedOut, Comment(rawValue: rule))
        }
        #expect(try group.secrets().contains("new") == isSaved, Comment(rawValue: rule))
    }

    @Test("a removal that cannot be written changes nothing, and can be repeated", arguments: 0..<3)
    func failure(which: Int) throws {
        let (store, cache) = try group.watchedCache()
        let account = try #require(try TestResponse.signIn().save(in: cache))
        let before = try group.entries().count
        func remove() throws {
            switch which {
            case 0: try cache.signOut(account)
            case 1: try cache.wipe(account)
            default: try cache.clearAll()
            }
        }
        store.order { $0.refusal = StorageError(.busy) }
        let error = #expect(throws: TokenCacheError.self) { try remove() }
        #expect(error?.code == .busy)
        #expect(try group.entries().count == before)
        #expect(try cache.token(for: MatchingCase.query("user.read")).summary() == "valid at")
        #expect(try cache.accounts().map(\.isSignedIn) == [true])
        store.order { $0.refusal = nil }
        try remove()
        #expect(try cache.accounts().isEmpty)
    }

    @Test("signing out of an unknown account is not an error")
    func unknownAccount() throws {
        let account = try #require(try TestResponse.signIn().save(in: try TestGroup().cache()))
        try cache.signOut(account)
        #expect(try cache.token(for: query).summary() == "interaction signedOut")
    }
}
