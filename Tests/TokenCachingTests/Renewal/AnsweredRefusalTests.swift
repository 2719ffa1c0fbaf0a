// SPDX-License-Identifier: Apache-2.0

import GroupRecords
import RecordStorage
import Testing
import UnifiedSchema

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Requests that a note of a refusal answers", .timeLimit(.minutes(10)))
struct AnsweredRefusalTests: RefusalScene {
    let group: TestGroup
    let cache: TokenCache
    private let store: WatchedStore
    private let theirs = MatchingCase.query("mail.send", account: "x.y")

    init() throws {
        group = try TestGroup()
        (store, cache) = try group.watchedCache()
    }

    @Test("an interactive sign-in clears the client's notes of the account")
    func interactive() throws {
        try signIn()
        #expect(try renew(mail, .refused(Self.interaction)) == "interaction renewalRefused")
        try signIn("again")
        #expect(try notes().isEmpty)
        #expect(try renew(mail, renewed("new", scope: "Mail.Send")) == "valid new")
    }

    @Test(
        "a newer refresh token of the family is tried, whoever got it",
        arguments: ["a member's sign-in", "a member's renewal", "another process's renewal"]
    )
    func familyToken(deed: String) throws {
        try signIn(family: "1")
        let other = try group.cache(client: "client-b")
        #expect(try renew(mail, .refused(Self.interaction)) == "interaction renewalRefused")
        #expect(try renew(mail, in: other, .refused(Self.interaction)) == "interaction renewalRefused")
        #expect(try unasked(mail, in: other) == "interaction renewalRefused")
        let response = TestResponse.signIn(accessToken: "new", refreshToken: "newer", scope: "a", family: "1")
        switch deed {
        case "a member's sign-in": try response.save(in: cache)
        default:
            let asker = try deed == "a member's renewal" ? cache : group.cache()
            let outcome = RenewalOutcome.response(try TokenResponse(json: response.body))
            #expect(try renew(MatchingCase.query("a"), in: asker, outcome) == "valid new")
        }
        #expect(try isAsked(mail, in: other))
        #expect(try isAsked(mail))
    }

    @Test("a client's own token that was refused does not keep it from the family's, once that is newer")
    func ownToken() throws {
        // Whether the client is in a family is unknown, so it tries the first one.
        try group.put(.refreshToken())
        #expect(try renew(mail, .refused(Self.interaction)) == "interaction renewalRefused")
        let member = try group.cache(client: "client-b")
        try TestResponse.signIn(refreshToken: "family", family: "1").save(in: member)
        #expect(try isAsked(mail))
        #expect(try renew(mail, renewed("new", scope: "Mail.Send")) == "valid new")
    }

    @Test("the same refresh token, stored again, stays refused")
    func sameToken() throws {
        try signIn()
        #expect(try renew(mail, .refused(Self.interaction)) == "interaction renewalRefused")
        let response = try renewed("other", refreshToken: "rt")
        #expect(try renew(query, response) == "valid other")
        #expect(try unasked(mail) == "interaction renewalRefused")
    }

    @Test("a token that another process got for it clears the note")
    func answered() throws {
        try signIn()
        let token = try cache.refreshToken(for: mail)
        try cache.noteRefusal(of: token, response: Self.interaction)
        #expect(try unasked(mail) == "interaction renewalRefused")
        let response = TestResponse.signIn(accessToken: "new", refreshToken: "rt2", scope: "Mail.Send")
        try cache.save(TokenResponse(json: response.body), for: TokenRequest(renewing: token, scopes: ["Mail.Send"]))
        #expect(try notes().isEmpty)
        #expect(try cache.token(for: mail).summary() == "valid new")
    }

    @Test("a sign-out takes the client's notes along")
    func signOut() throws {
        try signIn()
        #expect(try renew(mail, .refused(Self.interaction)) == "interaction renewalRefused")
        try cache.signOut(accountID: TestGroup.accountID)
        #expect(try notes().isEmpty)
    }

    // MARK: - What could not be written

    /// A refusal that only this process remembers.
    private func refuseUnwritten(_ query: TokenQuery, _ outcome: RenewalOutcome = .refused(Self.interaction)) throws {
        store.order { $0.refusal = StorageError(.full) }
        _ = try? renew(query, outcome)
        store.order { $0.refusal = nil }
        #expect(try notes().isEmpty)
    }

    @Test(
        "what could not be written of one account is remembered whatever another does",
        arguments: ["signs in", "signs out", "is wiped", "renews", "was deleted, by a token that is there no more"]
    )
    func ofAnother(deed: String) throws {
        try signIn()
        try group.put(.refreshToken("theirs", account: "x.y"))
        try refuseUnwritten(theirs)
        switch deed {
        case "signs in": try signIn("again")
        case "signs out": try cache.signOut(accountID: TestGroup.accountID)
        case "is wiped": try cache.wipe(accountID: TestGroup.accountID)
        case "renews": #expect(try renew(query, renewed("new")) == "valid new")
        default:
            let token = try cache.refreshToken(for: mail)
            try signIn("again", in: group.cache())
            let deleted = TokenErrorResponse(error: "invalid_grant", suberror: "user_account_deleted")
            #expect(try cache.noteRefusal(of: token, response: deleted) == .superseded)
        }
        #expect(try unasked(theirs, in: cache) == "interaction renewalRefused")
    }

    @Test(
        "what could not be written is forgotten where a note of it would be removed",
        arguments: ["signs in", "signs out", "is wiped", "renews"]
    )
    func ofTheSame(deed: String) throws {
        try signIn()
        try refuseUnwritten(mail)
        #expect(try unasked(mail, in: cache) == "interaction renewalRefused")
        switch deed {
        case "signs in": try signIn("again")
        case "signs out": try cache.signOut(accountID: TestGroup.accountID)
        case "is wiped": try cache.wipe(accountID: TestGroup.accountID)
        default:
            let response = TestResponse.signIn(accessToken: "new", scope: "Mail.Send").with("expires_in", 1)
            let request = TokenRequest(renewing: try cache.refreshToken(for: mail), scopes: ["Mail.Send"])
            try cache.save(TokenResponse(json: response.body), for: request)
            group.clock.advance(by: 1)
        }
        // Somebody else brings the account back.
        if deed == "signs out" || deed == "is wiped" { try signIn("back", in: group.cache()) }
        #expect(try isAsked(mail, in: cache))
    }

    @Test("a sign-in at one host says nothing of another, which wants to be left alone")
    func otherHost() throws {
        let government = MatchingCase.query("a", environment: "login.microsoftonline.us")
        try signIn()
        try group.put(.refreshToken("gov", environment: "login.microsoftonline.us"))
        let busy = try RenewalOutcome.httpResponse(status: 429, body: [])
        try refuseUnwritten(government, busy)
        try refuseUnwritten(mail, busy)
        try signIn("again")
        let error = #expect(throws: TokenCacheError.self) { _ = try unasked(government, in: cache) }
        #expect(error?.code == .renewalUnavailable && error?.errorResponse?.status == 429)
        #expect(try isAsked(mail, in: cache))
    }

    // MARK: - Tokens of the application itself

    private func acquire(_ query: TokenQuery, _ outcome: () throws -> RenewalOutcome) throws -> String {
        try group.cache().acquireApplicationTokenSynchronously(query, requesting: outcome).summary()
    }

    private func ofApplication(tenant: String = "utid", isForced: Bool = false) -> TokenQuery {
        TokenQuery(
            applicationScopes: ["a/.default"],
            tenant: tenant,
            environment: "login.microsoftonline.com",
            options: TokenQueryOptions(forceRefresh: isForced)
        )
    }

    private func granted(_ scope: String) throws -> RenewalOutcome {
        let text = #"{"token_type":"Bearer","expires_in":3600,"access_token":"app","scope":"\#(scope)"}"#
        return .response(try TokenResponse(json: Array(text.utf8)))
    }

    @Test("a token of the application clears the note that its scopes were declined")
    func applicationScopes() throws {
        let partition = try group.codec.partition(
            ofApplication: Array(TestGroup.client.utf8),
            realm: Array("utid".utf8)
        )
        #expect(try acquire(ofApplication()) { try granted("b") } == "declined a/.default with app")
        #expect(try notes(partition).map(\.kind) == [.scopes])
        #expect(try acquire(ofApplication(isForced: true)) { try granted("a/.default") } == "valid app")
        #expect(try notes(partition).isEmpty)
    }

    @Test("a token of the application clears the note that the server wants to be left alone")
    func applicationServer() throws {
        let first = try acquire(ofApplication()) {
            // Another one was told so meanwhile.
            let other = TokenQuery(
                applicationScopes: ["b/.default"],
                tenant: "utid",
                environment: "login.microsoftonline.com"
            )
            _ = try? acquire(other) { try .httpResponse(status: 429, body: []) }
            #expect(try notes(cache.engine.groupPartition).map(\.kind) == [.server])
            return try granted("a/.default")
        }
        #expect(first == "valid app")
        #expect(try notes(cache.engine.groupPartition).isEmpty)
    }

    @Test("notes of servers that have ended leave with the next token of the application")
    func applicationEnded() throws {
        _ = try? acquire(ofApplication(tenant: "other")) { try .httpResponse(status: 429, body: []) }
        group.clock.advance(by: 120)
        #expect(try notes(cache.engine.groupPartition).count == 1)
        #expect(try acquire(ofApplication()) { try granted("a/.default") } == "valid app")
        #expect(try notes(cache.engine.groupPartition).isEmpty)
    }
}
