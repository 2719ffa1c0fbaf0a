// SPDX-License-Identifier: Apache-2.0

import RecordStorage
import Testing
import UnifiedSchema

@testable import TokenCaching
@testable import TokenCachingTestSupport

/// The app spends the refresh token of one account, and the server answers with the tokens of another one.
@Suite("A renewal that is answered with another account", .timeLimit(.minutes(10)))
struct OtherAccountTests: RefusalScene {
    let group: TestGroup
    let cache: TokenCache
    let theirs = MatchingCase.query("user.read", account: "x.y")

    init() throws {
        group = try TestGroup()
        cache = try group.cache()
        try signIn()
    }

    private static var answer: TestResponse {
        TestResponse.signIn(accessToken: "theirs", refreshToken: "their rt", clientInfo: ["uid": "x", "utid": "y"])
    }

    /// As a program does that spends refresh tokens by itself.
    private func saveByHand(in cache: TokenCache? = nil) throws -> SavedTokens {
        let cache = cache ?? self.cache
        let token = try cache.refreshToken(for: query)
        return try cache.save(
            try TokenResponse(json: Self.answer.body),
            for: TokenRequest(renewing: token, scopes: ["User.Read"])
        )
    }

    private func renew() throws -> String { try renew(query, Self.answer.outcome) }

    @Test("stores that account's tokens, and a save hands none of them out")
    func saved() throws {
        let saved = try saveByHand()
        #expect(saved.belongsToAnotherAccount)
        #expect(try saved.accessToken() == nil)
        #expect(saved.grantedScopes.isEmpty)
        #expect(saved.account?.id == "x.y")
        #expect(try cache.token(for: theirs).summary() == "valid theirs")
        #expect(try cache.token(for: query).summary() == "renew rt")
    }

    @Test("is not reported for a renewal of the requested account, nor for a sign-in")
    func same() throws {
        let token = try cache.refreshToken(for: query)
        let saved = try cache.save(
            try TokenResponse(
                json: TestResponse.signIn(accessToken: "new", clientInfo: ["uid": "UID", "utid": "utid"]).body
            ),
            for: TokenRequest(renewing: token, scopes: ["User.Read"])
        )
        #expect(try saved.accessToken()?.secretString == "new")
        #expect(!saved.belongsToAnotherAccount)
        let signIn = Self.answer.asked { $0.accountID = TestGroup.accountID }
        #expect(try !signIn.saveAll(in: cache).belongsToAnotherAccount)
    }

    @Test(
        "keeps the client from redeeming the same token again, in all processes",
        arguments: [true, false]
    )
    func blocked(byHand: Bool) throws {
        if byHand {
            #expect(try saveByHand().belongsToAnotherAccount)
        } else {
            #expect(try renew() == "interaction accountMismatch")
        }
        #expect(try notes().map(\.kind) == [.mismatch])
        #expect(try unasked(query, in: cache) == "interaction accountMismatch")
        #expect(try unasked(query) == "interaction accountMismatch")
        group.clock.advance(by: 100_000)
        #expect(try unasked(query) == "interaction accountMismatch")
        try TestResponse.signIn(accessToken: "back", refreshToken: "newer").save(in: cache)
        #expect(try unasked(query) == "valid back")
        #expect(try notes().isEmpty)
    }

    @Test("is noted in the transaction that stores the tokens")
    func atOnce() throws {
        let (store, renewing) = try group.watchedCache()
        store.order { orders in
            orders.afterCommit = { [self] in
                do { #expect(try notes().map(\.kind) == [.mismatch]) } catch { Issue.record(error) }
            }
        }
        #expect(try saveByHand(in: renewing).belongsToAnotherAccount)
        #expect(store.order { $0.afterCommit == nil })
    }

    @Test("does not touch a token that was stored in the meantime")
    func replaced() throws {
        let token = try cache.refreshToken(for: query)
        try signIn("newer", in: group.cache())
        let request = TokenRequest(renewing: token, scopes: ["User.Read"])
        #expect(try cache.save(try TokenResponse(json: Self.answer.body), for: request).belongsToAnotherAccount)
        #expect(try notes().isEmpty)
        #expect(try renew(query, renewed("new")) == "valid new")
    }

    @Test(
        "stores nothing if the client signed out of that account, but is reported and noted",
        arguments: [true, false]
    )
    func signedOut(byHand: Bool) throws {
        try Self.answer.save(in: cache)
        try cache.signOut(accountID: "x.y")
        if byHand {
            let saved = try saveByHand()
            #expect(saved.belongsToAnotherAccount && saved.account == nil)
            #expect(try saved.accessToken() == nil)
        } else {
            #expect(try renew() == "interaction accountMismatch")
        }
        #expect(try cache.token(for: theirs).summary() == "interaction signedOut")
        #expect(try !group.entries().contains { $0.token == "theirs" || $0.token == "their rt" })
        #expect(try unasked(query) == "interaction accountMismatch")
    }

    @Test("does not take a token away that only ages")
    func ageing() throws {
        try TestResponse.signIn().with("refresh_in", 1).save(in: cache)
        group.clock.advance(by: 1)
        #expect(try renew() == "valid at renew")
        #expect(try unasked(query) == "valid at renew")
    }
}
