// SPDX-License-Identifier: Apache-2.0

import RecordStorage
import Testing
import UnifiedSchema

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Which server's requests a note is about", .timeLimit(.minutes(10)))
struct RefusalServerTests: RefusalScene {
    let group: TestGroup
    let cache: TokenCache

    init() throws {
        group = try TestGroup()
        cache = try group.cache()
    }

    @Test(
        "a server that asks for time does not get the same request of the account for so long, from any process",
        arguments: [(429, "30", 30), (429, nil, 60), (503, nil, 10), (500, "99999", 3600), (429, "7200", 3600)]
            as [(Int, String?, Int64)]
    )
    func server(status: Int, retryAfter: String?, seconds: Int64) throws {
        try signIn()
        try group.put(.refreshToken("theirs", account: "x.y"))
        let error = #expect(throws: TokenCacheError.self) {
            _ = try renew(query, .httpResponse(status: status, body: [], retryAfter: retryAfter))
        }
        #expect(error?.code == .renewalUnavailable)
        #expect(error?.detail?.contains("answered \(status), and it is not asked again before ") == true)
        for passed in [0, seconds - 1] {
            group.clock.now = TestClock().now + passed
            let error = #expect(throws: TokenCacheError.self) { _ = try unasked(query) }
            #expect(error?.code == .renewalUnavailable)
            #expect(error?.errorResponse?.status == status)
            #expect(error?.errorResponse?.retryAfter == .seconds(seconds - passed))
            let end = CalendarTime.text(of: TestClock().now + seconds)
            #expect(error?.detail == "the server answered \(status), and it is not asked again before \(end)")
            for other in [mail, MatchingCase.query("a", account: "x.y")] { #expect(try isAsked(other)) }
        }
        group.clock.now = TestClock().now + seconds
        #expect(try renew(query, renewed("new")) == "valid new")
    }

    @Test("a server with a problem is left alone twice as long each time, up to a minute, until it answers")
    func doubling() throws {
        try signIn()
        for seconds in [10, 20, 40, 60, 60] as [Int64] {
            #expect(throws: TokenCacheError.self) { _ = try renew(query, .httpResponse(status: 500, body: [])) }
            group.clock.advance(by: seconds - 1)
            #expect(throws: TokenCacheError.self) { _ = try unasked(query) }
            group.clock.advance(by: 1)
            #expect(try isAsked(query))
        }
        #expect(try renew(query, renewed("new")) == "valid new")
        group.clock.advance(by: 4_000)
        #expect(throws: TokenCacheError.self) { _ = try renew(query, .httpResponse(status: 500, body: [])) }
        group.clock.advance(by: 10)
        #expect(try isAsked(query))
    }

    @Test("after a sign-in by another process, the waiting times begin again")
    func signInElsewhere() throws {
        try signIn()
        #expect(throws: TokenCacheError.self) {
            _ = try renew(query, .httpResponse(status: 429, body: [], retryAfter: "7200"))
        }
        try TestResponse.signIn(accessToken: nil).save(in: try group.cache())
        #expect(throws: TokenCacheError.self) { _ = try renew(query, .httpResponse(status: 500, body: [])) }
        group.clock.advance(by: 10)
        #expect(try isAsked(query))
    }

    @Test("a server that asks for time until a date is left alone from the given time until then")
    func date() throws {
        try signIn()
        let (until, now) = ("Thu, 01 Jan 1970 00:01:30 GMT", Timestamp(secondsSince1970: 60))
        let error = #expect(throws: TokenCacheError.self) {
            _ = try renew(query, .httpResponse(status: 429, body: [], retryAfter: until, date: now))
        }
        #expect(error?.errorResponse?.retryAfter == .seconds(30))
        #expect(throws: TokenCacheError.self) { _ = try unasked(query) }
        group.clock.now = TestClock().now + 30
        #expect(try renew(query, renewed("new")) == "valid new")
    }

    @Test("other clients, other tenants and other clouds ask")
    func otherServers() throws {
        try signIn(family: "1")
        try group.put(.refreshToken("gov", environment: "login.microsoftonline.us"))
        #expect(throws: TokenCacheError.self) { _ = try renew(query, .httpResponse(status: 429, body: [])) }
        #expect(throws: TokenCacheError.self) { _ = try unasked(query) }
        let other = try group.cache(client: "client-b")
        #expect(try renew(query, in: other, .refused(error: "x")) == "interaction renewalRefused")
        #expect(
            try renew(MatchingCase.query("a", tenant: "guest"), .refused(error: "x")) == "interaction renewalRefused"
        )
        let government = MatchingCase.query("a", environment: "login.microsoftonline.us")
        #expect(try renew(government, .refused(error: "x")) == "interaction renewalRefused")
    }

    @Test("the same holds for tokens of the application itself")
    func application() throws {
        let query = TokenQuery(
            applicationScopes: ["a/.default"],
            tenant: "utid",
            environment: "login.microsoftonline.com"
        )
        for count in 0..<3 {
            let error = #expect(throws: TokenCacheError.self) {
                _ = try group.cache().acquireApplicationTokenSynchronously(query) {
                    if count > 0 { Issue.record("the server was asked") }
                    return try .httpResponse(status: 503, body: [])
                }
            }
            #expect(error?.code == .renewalUnavailable && error?.errorResponse?.status == 503)
        }
    }

    @Test("a server that cannot be reached leaves no note")
    func unreachable() throws {
        try signIn()
        #expect(throws: TokenCacheError.self) { _ = try renew(query, .unavailable) }
        #expect(try renew(query, renewed("new")) == "valid new")
    }

    // MARK: - One server, and not another

    static let pairs = [
        ("idp-a.example.org", "idp-b.example.org"), ("login.microsoftonline.com", "login.microsoftonline.us"),
        ("contoso.b2clogin.com", "fabrikam.b2clogin.com"),
    ]

    @Test("a request that one server refused is sent to another, whose account has the same id", arguments: pairs)
    func otherIssuer(one: String, other: String) throws {
        try group.put(.refreshToken("one", environment: one), .refreshToken("other", environment: other))
        let asked = MatchingCase.query("a", environment: one)
        #expect(try renew(asked, .refused(Self.interaction)) == "interaction renewalRefused")
        #expect(try unasked(asked) == "interaction renewalRefused")
        let elsewhere = MatchingCase.query("a", environment: other)
        #expect(try renew(elsewhere, renewed("theirs", scope: "a")) == "valid theirs")
        #expect(try unasked(asked) == "interaction renewalRefused")
    }

    @Test("a token for a part of the scopes is handed out by the name of its issuer only", arguments: pairs)
    func declinedElsewhere(one: String, other: String) throws {
        try group.put(.refreshToken("one", environment: one), .refreshToken("other", environment: other))
        let asked = MatchingCase.query("user.read", "mail.send", environment: one)
        #expect(try renew(asked, renewed("new")) == "declined mail.send with new")
        #expect(try unasked(asked) == "declined mail.send with new")
        let elsewhere = MatchingCase.query("user.read", "mail.send", environment: other)
        #expect(try isAsked(elsewhere))
        #expect(try renew(elsewhere, renewed("theirs")) == "declined mail.send with theirs")
        #expect(try unasked(asked) == "declined mail.send with new")
        #expect(try unasked(elsewhere) == "declined mail.send with theirs")
    }

    @Test("two paths of one host are two servers")
    func paths() throws {
        let host = "idp.example.org"
        let asked = MatchingCase.query("a", tenant: nil, environment: host)
        try group.put(TestEntry.refreshToken("one", environment: host).with("realm", "one"))
        #expect(try renew(asked, .refused(Self.interaction)) == "interaction renewalRefused")
        #expect(try unasked(asked) == "interaction renewalRefused")
        try group.put(TestEntry.refreshToken("other", environment: host).with("realm", "two"))
        #expect(try isAsked(asked))
    }

    @Test("a request is the same however it names the server", arguments: [nil, "common", "UTID"])
    func sameServer(tenant: String?) throws {
        try signIn()
        #expect(try renew(mail, .refused(Self.interaction)) == "interaction renewalRefused")
        let same = MatchingCase.query("mail.send", tenant: tenant, environment: "sts.windows.net")
        #expect(try unasked(same) == "interaction renewalRefused")
    }
}
