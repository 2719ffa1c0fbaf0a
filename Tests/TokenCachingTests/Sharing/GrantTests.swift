// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("A renewal is judged by its response", .timeLimit(.minutes(10)))
struct GrantTests {
    let group: TestGroup
    let cache: TokenCache

    init() throws {
        group = try TestGroup()
        cache = try group.cache()
    }

    private func renew(_ query: TokenQuery, _ response: TestResponse) throws -> TokenResult {
        try cache.renewSynchronously(query) { _ in .response(try TokenResponse(json: response.body)) }
    }

    private static var new: TestResponse { TestResponse.signIn(accessToken: "new", refreshToken: "rt2") }

    private func signIn() throws {
        try TestResponse.signIn(accessToken: nil).save(in: cache)
    }

    @Test("a tenant that is named by its domain gets the token that the server issued for the tenant's id")
    func domain() throws {
        try signIn()
        let query = MatchingCase.query("user.read", tenant: "contoso.onmicrosoft.com")
        let decision = try renew(query, Self.new)
        #expect(try decision.summary() == "valid new")
        guard case .valid(let token) = decision else { return }
        #expect(token.tenant == "utid" && token.scopes == ["User.Read", "openid", "profile"])
    }

    @Test(
        "a token that lives no longer than the buffer is handed out, and the next lookup finds it",
        arguments: [2, 60, 3600]
    )
    func buffer(lifetime: Int) throws {
        try signIn()
        let query = MatchingCase.query("user.read", options: TokenQueryOptions(expirationMargin: .seconds(7_200)))
        #expect(try renew(query, Self.new.with("expires_in", lifetime)).summary() == "valid new")
        #expect(try cache.token(for: query).summary() == "valid new")
        group.clock.advance(by: Int64(lifetime / 2))
        #expect(try cache.token(for: query).summary() == "renew rt2")
    }

    /// Members of a response whose times cannot be meant.
    static let absurdTimes: [[String: Int64]] = [
        ["expires_in": 0], ["expires_in": -5], ["expires_in": .min], ["expires_in": 1_000_000_000_000],
        ["expires_in": .max], ["expires_on": 0], ["expires_on": TestEntry.start - 1],
        ["expires_on": (TestEntry.start + 3600) * 1000], ["refresh_in": 0], ["refresh_in": -5], ["refresh_in": .max],
        ["expires_in": 0, "refresh_in": 0], ["ext_expires_in": -1, "refresh_in": 3600],
    ]

    @Test("of 1,000 silent requests one renews, whatever times the server sends", arguments: absurdTimes)
    func lifetime(times: [String: Int64]) throws {
        try signIn()
        var response = Self.new
        if times["expires_on"] != nil { response = response.with("expires_in", nil) }
        for (name, seconds) in times { response = response.with(name, seconds) }
        let (query, body) = (MatchingCase.query("user.read"), response.body)
        var renewals = 0
        for number in 0..<1000 {
            group.clock.advance(by: number.isMultiple(of: 4) ? 1 : 0)
            let result = try cache.renewSynchronously(query) { _ in
                renewals += 1
                return .response(try TokenResponse(json: body))
            }
            #expect(try result.summary() == "valid new")
        }
        #expect(renewals == 1)
    }

    @Test("scopes that the response does not name count as granted")
    func unnamed() throws {
        try signIn()
        #expect(try renew(MatchingCase.query("mail.send"), Self.new.with("scope", nil)).summary() == "valid new")
        #expect(try cache.token(for: MatchingCase.query("mail.send")).summary() == "valid new")
    }

    @Test("if the server grants less, the token comes with the granted and the declined scopes")
    func less() throws {
        try signIn()
        let query = TokenQuery(
            accountID: TestGroup.accountID,
            scopes: ["Mail.Send", "user.read", "calendars.read openid"]
        )
        guard case .scopesDeclined(let grant) = try renew(query, Self.new) else { throw Unexpected() }
        #expect(try grant.accessToken.secretString == "new")
        #expect(grant.grantedScopes == ["User.Read", "openid", "profile"])
        #expect(grant.declinedScopes == ["mail.send", "calendars.read"])
        #expect(try cache.token(for: MatchingCase.query("user.read")).summary() == "valid new")
    }

    @Test("a user who was renamed meanwhile gets the token all the same, even if the query names the old username")
    func renamed() throws {
        try signIn()
        let query = TokenQuery(username: "ann@contoso.com", scopes: ["user.read"])
        var claims = TestResponse.defaultClaims
        claims["preferred_username"] = "ann.newname@contoso.com"
        let response = TestResponse.signIn(accessToken: "new", refreshToken: "rt2", claims: claims)
        #expect(try renew(query, response).summary() == "valid new")
    }

    @Test("a response without an access token grants nothing, and its refresh token is kept")
    func nothing() throws {
        try signIn()
        let response = TestResponse.signIn(accessToken: nil, refreshToken: "rt2")
        #expect(try renew(MatchingCase.query("user.read"), response).summary() == "interaction scopesNotGranted")
        #expect(try cache.token(for: MatchingCase.query("user.read")).summary() == "renew rt2")
    }

    @Test(
        "a response without an access token does not bring back the token that was passed over",
        arguments: [TokenQueryOptions(claimsChallenge: #"{"a":1}"#), TokenQueryOptions(forceRefresh: true)]
    )
    func nothingNew(options: TokenQueryOptions) throws {
        try TestResponse.signIn().save(in: cache)
        let response = TestResponse.signIn(accessToken: nil, refreshToken: "rt2")
        let query = MatchingCase.query("user.read", options: options)
        #expect(try renew(query, response).summary() == "interaction scopesNotGranted")
        #expect(try renew(MatchingCase.query("user.read"), response).summary() == "valid at")
    }

    @Test(
        "a save returns the account, the token and the granted scopes, whatever the token's lifetime",
        arguments: [1, 3600]
    )
    func saved(lifetime: Int) throws {
        let saved = try TestResponse.signIn().with("expires_in", lifetime).saveAll(in: cache)
        #expect(saved.account?.username == "Ann@Contoso.com")
        #expect(saved.grantedScopes == ["User.Read", "openid", "profile"])
        let token = try #require(try saved.accessToken())
        #expect(try token.secretString == "at")
        #expect(token.expiresOn.secondsSince1970 == group.clock.now + Int64(lifetime))
    }

    @Test("a save does not return a token that another save replaced")
    func replaced() throws {
        let saved = try TestResponse.signIn().saveAll(in: cache)
        try TestResponse.signIn(accessToken: "newer").save(in: group.cache())
        #expect(try saved.accessToken() == nil)
    }

    @Test("a save without an access token grants nothing")
    func savedWithout() throws {
        let saved = try TestResponse.signIn(accessToken: nil).saveAll(in: cache)
        #expect(saved.grantedScopes.isEmpty)
        #expect(try saved.accessToken() == nil)
    }
}
