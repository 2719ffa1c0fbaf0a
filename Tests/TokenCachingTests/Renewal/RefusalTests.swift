// SPDX-License-Identifier: Apache-2.0

import RecordStorage
import Testing
import UnifiedSchema

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("A refusal by the server has the consequences that it calls for, and no others")
struct RefusalTests {
    let group: TestGroup
    let cache: TokenCache
    let query = MatchingCase.query("a")

    init() throws {
        group = try TestGroup()
        cache = try group.cache()
    }

    private func refreshToken(_ cache: TokenCache? = nil) throws -> RefreshToken {
        try (cache ?? self.cache).refreshToken(for: query)
    }

    private func secrets() throws -> [String] { try group.secrets(\.isRefreshToken) }

    static let refusals: [(String, String?, RefusalConsequence)] = [
        ("invalid_grant", nil, .kept), ("Invalid_Grant", "", .kept), ("invalid_grant", "bad_token", .removed),
        (" Invalid_Grant", "Token_Expired ", .removed), ("invalid_grant", "consent_required", .kept),
        ("invalid_grant", "basic_action", .kept), ("interaction_required", nil, .kept),
        ("interaction_required", "bad_token", .kept), ("temporarily_unavailable", nil, .kept),
        ("invalid_client", nil, .kept), ("invalid_scope", nil, .kept), ("", nil, .kept),
        ("invalid_grant", "protection_policy_required", .kept), ("invalid_grant", "client_mismatch", .kept),
        ("interaction_required", "user_account_deleted", .kept),
    ]

    @Test("the client's own token goes only where the answer says that it is dead", arguments: refusals)
    func consequences(error: String, suberror: String?, expected: RefusalConsequence) throws {
        try group.put(.refreshToken(), .accessToken())
        #expect(
            try cache.noteRefusal(
                of: try refreshToken(),
                response: TokenErrorResponse(error: error, suberror: suberror)
            )
                == expected
        )
        #expect(try secrets() == (expected == .removed ? [] : ["rt"]))
        #expect(try group.entries().contains { $0.fields.kind == .accessToken })
    }

    @Test("a dead token goes wherever it is stored for the account, and only there")
    func everySpelling() throws {
        try group.put(
            .refreshToken("dead").under("1"),
            .refreshToken("dead", family: "1").under("2"),
            .refreshToken("dead", client: "other", family: "1").under("3"),
            .refreshToken("good", client: "other").under("4"),
            .refreshToken("dead", account: "x.y").under("5")
        )
        #expect(
            try cache.noteRefusal(
                of: try refreshToken(),
                response: TokenErrorResponse(error: "invalid_grant", suberror: "bad_token")
            ) == .removed
        )
        #expect(try secrets() == ["dead", "good"])
        #expect(try cache.token(for: query).summary() == "interaction refreshTokenLost")
    }

    @Test("a token that took the place of the dead one stays")
    func outdated() throws {
        try group.put(TestEntry.refreshToken("old").under("k"))
        let token = try refreshToken()
        try group.put(TestEntry.refreshToken("new").under("k"))
        #expect(
            try cache.noteRefusal(
                of: token,
                response: TokenErrorResponse(error: "invalid_grant", suberror: "bad_token")
            )
                == .superseded
        )
        #expect(try cache.token(for: query).summary() == "renew new")
    }

    @Test("a token that was removed in the meantime is not an error")
    func gone() throws {
        let entry = TestEntry.refreshToken()
        try group.put(entry)
        let token = try refreshToken()
        try group.remove(entry)
        #expect(
            try cache.noteRefusal(
                of: token,
                response: TokenErrorResponse(error: "invalid_grant", suberror: "bad_token")
            )
                == .superseded
        )
    }

    @Test("the secret of a dead token is overwritten: tokens handed out before cannot be opened any more")
    func erased() throws {
        try group.put(.refreshToken())
        let token = try refreshToken()
        try cache.noteRefusal(of: token, response: TokenErrorResponse(error: "invalid_grant", suberror: "bad_token"))
        let error = #expect(throws: TokenCacheError.self) { try token.secretString }
        #expect(error?.code == .tokenGone)
    }

    @Test("a client that is not in the family leaves it, and the token stays for the others")
    func clientMismatch() throws {
        try group.put(.refreshToken("family", client: "other", family: "1"), .refreshToken("x", account: "x.y"))
        let consequence = try cache.noteRefusal(
            of: try refreshToken(),
            response: TokenErrorResponse(
                error: "invalid_grant",
                suberror: "client_mismatch"
            )
        )
        #expect(consequence == .leftFamily)
        #expect(try secrets() == ["family", "x"])
        #expect(try cache.token(for: query).summary() == "interaction refreshTokenMissing")
        let other = try group.cache(client: "other")
        #expect(try other.token(for: query).summary() == "renew family")
        let metadata = try group.entries().filter { $0.fields.kind == .appMetadata }
        #expect(metadata.map(\.fields.clientID) == [UTF8Text(TestGroup.client)])
        #expect(metadata.map(\.fields.environment) == ["login.windows.net"])
        #expect(metadata[0].facts.text(.familyID) == "")
    }

    @Test("leaving a family keeps the other members of the metadata, and is written once")
    func metadataIsMerged() throws {
        try group.put(
            .refreshToken(client: "other", family: "2"),
            TestEntry.appMetadata(family: "2").with("x-unknown", "kept")
        )
        let token = try refreshToken()
        try cache.noteRefusal(of: token, response: TokenErrorResponse(error: "client_mismatch"))
        let before = MemoryStore(group.backing).revision.load()
        try cache.noteRefusal(of: token, response: TokenErrorResponse(error: "client_mismatch"))
        #expect(MemoryStore(group.backing).revision.load() == before)
        let metadata = try group.entries().filter { $0.fields.kind == .appMetadata }
        #expect(metadata.count == 1)
        #expect(metadata[0].fields.familyID == nil)
        #expect(metadata[0].facts.encoded().firstRange(of: Array("x-unknown".utf8)) != nil)
    }

    @Test("in another cloud the client stays in its family")
    func otherCloud() throws {
        try group.put(
            .refreshToken("public", client: "b", family: "1"),
            .refreshToken("government", client: "b", environment: "login.microsoftonline.us", family: "1")
        )
        try cache.noteRefusal(of: try refreshToken(), response: TokenErrorResponse(error: "client_mismatch"))
        let query = MatchingCase.query("a", environment: "login.microsoftonline.us")
        #expect(try cache.token(for: query).summary() == "renew government")
    }

    @Test("a dead token leaves the account signed in, and a renewal in progress may store its tokens")
    func noSignOut() throws {
        try TestResponse.signIn(accessToken: nil).save(in: cache)
        try cache.noteRefusal(
            of: try refreshToken(),
            response: TokenErrorResponse(error: "invalid_grant", suberror: "bad_token")
        )
        #expect(try cache.accounts().map(\.isSignedIn) == [true])
        try TestResponse.signIn(refreshToken: "newer").renewal.save(in: cache)
        #expect(try cache.token(for: MatchingCase.query("user.read")).summary() == "valid at")
    }

    @Test("a client that only lost a token it shared is as unknown after a wipe as one that was never there")
    func lossAndWipe() throws {
        let other = try group.cache(client: "other")
        try TestResponse.signIn(family: "1").save(in: other)
        let shared = MatchingCase.query("user.read")
        let token = try cache.refreshToken(for: shared)
        try cache.noteRefusal(of: token, response: TokenErrorResponse(error: "invalid_grant", suberror: "bad_token"))
        #expect(try cache.token(for: shared).summary() == "interaction refreshTokenLost")
        try other.wipe(accountID: TestGroup.accountID)
        #expect(try cache.token(for: shared).summary() == "interaction accountUnknown")
        #expect(try other.token(for: shared).summary() == "interaction signedOut")
    }

    @Test("a token of another cache is refused as an argument")
    func foreignToken() throws {
        try group.put(.refreshToken())
        let other = try group.cache()
        let token = try refreshToken(other)
        let error = #expect(throws: TokenCacheError.self) {
            try cache.noteRefusal(
                of: token,
                response: TokenErrorResponse(error: "invalid_grant", suberror: "bad_token")
            )
        }
        #expect(error?.code == .invalidRequest)
    }
}
