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

    @Test("stores nothing, and a save hands no token out")
    func saved() throws {
        let saved = try saveByHand()
        #expect(saved.belongsToAnotherAccount)
        #expect(try saved.accessToken() == nil)
        #expect(saved.grantedScopes.isEmpty)
        #expect(saved.account == nil)
        #expect(try cache.token(for: theirs).summary() == "interaction accountUnknown")
        #expect(try cache.accounts(matching: AccountFilter(includesSignedOut: true)).map(\.id).contains("x.y") == false)
        #expect(try !group.entries().contains { $0.token == "theirs" || $0.token == "their rt" })
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

    @Test("does not touch a token that was stored in the meantime")
    func replaced() throws {
        let token = try cache.refreshToken(for: query)
        try signIn("newer", in: group.cache())
        let request = TokenRequest(renewing: token, scopes: ["User.Read"])
        #expect(try cache.save(try TokenResponse(json: Self.answer.body), for: request).belongsToAnotherAccount)
        #expect(try notes().isEmpty)
        #expect(try renew(query, renewed("new")) == "valid new")
    }

    @Test("leaves that account's own sign-in, or sign-out, as it is", arguments: [true, false])
    func known(isSignedIn: Bool) throws {
        try TestResponse.signIn(
            accessToken: "at of x",
            refreshToken: "rt of x",
            clientInfo: ["uid": "x", "utid": "y"]
        ).save(in: cache)
        if !isSignedIn { try cache.signOut(accountID: "x.y") }
        #expect(try renew() == "interaction accountMismatch")
        #expect(try cache.token(for: theirs).summary() == (isSignedIn ? "valid at of x" : "interaction signedOut"))
    }

    @Test("does not take a token away that only ages")
    func ageing() throws {
        try TestResponse.signIn().with("refresh_in", 1).save(in: cache)
        group.clock.advance(by: 1)
        #expect(try renew() == "valid at renew")
        #expect(try unasked(query) == "valid at renew")
    }
}
