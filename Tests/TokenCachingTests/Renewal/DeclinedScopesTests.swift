// SPDX-License-Identifier: Apache-2.0

import GroupRecords
import RecordStorage
import Testing
import UnifiedSchema

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Notes of declined scopes", .timeLimit(.minutes(10)))
struct DeclinedScopesTests: RefusalScene {
    let group: TestGroup
    let cache: TokenCache

    init() throws {
        group = try TestGroup()
        cache = try group.cache()
    }

    @Test("declined scopes are not requested again while the token with the others is valid")
    func declined() throws {
        try signIn()
        let both = MatchingCase.query("user.read", "mail.send")
        #expect(try renew(both, renewed("new")) == "declined mail.send with new")
        #expect(try unasked(both) == "declined mail.send with new")
        group.clock.advance(by: 3299)
        #expect(try unasked(both) == "declined mail.send with new")
        group.clock.advance(by: 1)
        #expect(try renew(both, renewed("newer")) == "declined mail.send with newer")
    }

    @Test("while a server asks clients to wait, a token with the other scopes is still returned")
    func declinedMeanwhile() throws {
        try signIn()
        let both = MatchingCase.query("user.read", "mail.send")
        #expect(try renew(both, renewed("new")) == "declined mail.send with new")
        #expect(throws: TokenCacheError.self) { _ = try renew(mail, .httpResponse(status: 429, body: [])) }
        #expect(try unasked(both) == "declined mail.send with new")
    }

    @Test("if the token with the other scopes was removed, the request is sent")
    func declinedAndGone() throws {
        try signIn()
        let both = MatchingCase.query("user.read", "mail.send")
        #expect(try renew(both, renewed("new")) == "declined mail.send with new")
        #expect(try unasked(both) == "declined mail.send with new")
        try removeAccessTokens()
        #expect(try renew(both, renewed("newer")) == "declined mail.send with newer")
    }

    private func removeAccessTokens() throws {
        for entry in try group.entries() where entry.facts.kind == .accessToken { try group.remove(entry) }
    }

    @Test("requests that are granted the same part of their scopes do not replace each other's tokens")
    func alternating() throws {
        try signIn()
        let queries = ["mail.send", "calendars.read"].map { ($0, MatchingCase.query("user.read", $0)) }
        var count = 0
        for lifetime in 1...3 {
            for _ in 0..<5 {
                for (declined, query) in queries {
                    let decision = try group.cache().renewSynchronously(query) { _ in
                        count += 1
                        return try renewed("new\(count)", refreshToken: "rt\(count)")
                    }
                    #expect(try decision.summary() == "declined \(declined) with new\(count)")
                }
            }
            #expect(count == 2 * lifetime)
            group.clock.advance(by: 3600)
        }
    }

    @Test("a request that names its tenant in another way is the same request")
    func spellings() throws {
        let domain = "contoso.onmicrosoft.com"
        try TestResponse.signIn(tenant: domain).with("access_token", nil).save(in: cache)
        let tenants = [nil, domain, "utid", "common", "UTID"]
        let queries = tenants.map { MatchingCase.query("user.read", "mail.send", tenant: $0) }
        #expect(try renew(queries[0], renewed("new")) == "declined mail.send with new")
        for query in queries + queries { #expect(try unasked(query) == "declined mail.send with new") }
    }

    @Test("a token that was requested with other scopes is used if it covers the granted ones")
    func covered() throws {
        try signIn()
        let asked = MatchingCase.query("user.read", "mail.send")
        #expect(try renew(asked, renewed("new")) == "declined mail.send with new")
        #expect(
            try renew(MatchingCase.query("files.read"), renewed("wider", scope: "Files.Read USER.READ"))
                == "valid wider"
        )
        #expect(try unasked(asked) == "declined mail.send with wider")
        #expect(
            try renew(MatchingCase.query("mail.read"), renewed("other", scope: "Files.Read Mail.Read"))
                == "valid other"
        )
        #expect(try isAsked(asked))
    }

    @Test(
        "a token of another kind is not returned instead",
        arguments: ["realm", "client", "host", "type", "apart", "ended"]
    )
    func otherSort(difference: String) throws {
        try signIn()
        let asked = MatchingCase.query("user.read", "mail.send", environment: nil)
        #expect(try renew(asked, renewed("new")) == "declined mail.send with new")
        try removeAccessTokens()
        func put(_ difference: String) throws {
            let entry = TestEntry.accessToken(
                "other",
                client: difference == "client" ? "client-b" : TestGroup.client,
                environment: difference == "host" ? "login.microsoftonline.us" : "login.microsoftonline.com",
                realm: difference == "realm" ? "guest" : "utid",
                expiresOn: group.clock.now + (difference == "ended" ? 1 : 1000)
            )
            try group.put(
                entry.with("token_type", difference == "type" ? "pop" : nil)
                    .with("requested_claims", difference == "apart" ? "{}" : nil)
            )
        }
        try put(difference)
        #expect(try isAsked(asked))
        try put("none")
        #expect(try unasked(asked) == "declined mail.send with other")
    }

    @Test("a note that ends later than can be meant, or begins later than now, does not count")
    func improbable() throws {
        try signIn()
        let asked = MatchingCase.query("user.read", "mail.send")
        let partition = try group.codec.partition(ofAccount: UTF8Text(TestGroup.account).bytes)
        let key = RefusalKey.scopes(self.asked(asked).token, by: Self.server)
        let now = group.clock.now
        try group.put(.accessToken("good", scopes: "User.Read"))
        for (madeOn, until, counts) in [
            (now, .max, false), (now + 1, now + 100, false), (now - 7200, now, false), (now - 7200, now + 7200, true),
        ] as [(Int64, Int64, Bool)] {
            let note = RefusalNote(
                declining: TestGroup.client,
                period: RefusalPeriod(madeOn: madeOn, until: until),
                granted: "user.read"
            )
            try put(note.encoded() ?? [], key, in: partition)
            if counts {
                #expect(try unasked(asked) == "declined mail.send with good")
            } else {
                #expect(try isAsked(asked))
            }
        }
    }

    @Test("for an application, too")
    func declinedApplication() throws {
        let query = TokenQuery(
            applicationScopes: ["a/.default"],
            tenant: "utid",
            environment: "login.microsoftonline.com"
        )
        let body = Array(#"{"token_type":"Bearer","expires_in":3600,"access_token":"x","scope":"b"}"#.utf8)
        for count in 0..<3 {
            let decision = try group.cache().acquireApplicationTokenSynchronously(query) {
                if count > 0 { Issue.record("the server was asked") }
                return .response(try TokenResponse(json: body))
            }
            #expect(try decision.summary() == "declined a/.default with x")
        }
        let other = TokenQuery(applicationScopes: ["c"], tenant: "utid", environment: "login.microsoftonline.com")
        #expect(throws: TokenCacheError.self) {
            _ = try cache.acquireApplicationTokenSynchronously(other) { try .httpResponse(status: 429, body: []) }
        }
        let meanwhile = try cache.acquireApplicationTokenSynchronously(query) { .unavailable }
        #expect(try meanwhile.summary() == "declined a/.default with x")
    }
}
