// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Id tokens are found for accounts and queries")
struct IDTokenTests {
    let group: TestGroup
    let cache: TokenCache

    init() throws {
        group = try TestGroup()
        cache = try group.cache()
    }

    private static func idToken(
        _ secret: String,
        client: String = TestGroup.client,
        environment: String = "login.microsoftonline.com",
        realm: String = "utid"
    ) -> TestEntry {
        TestEntry.idToken(client: client, environment: environment, realm: realm).with("secret", secret)
    }

    private func secret(tenant: String? = nil, environment: String? = nil) throws -> String? {
        let query = TokenQuery(accountID: TestGroup.accountID, scopes: ["a"], tenant: tenant, environment: environment)
        return try cache.idToken(for: query)?.secretString
    }

    @Test("by tenant, cloud and client; without a tenant that of the home tenant")
    func choice() throws {
        try group.put(
            Self.idToken("home"),
            Self.idToken("guest", realm: "g"),
            Self.idToken("theirs", client: "other"),
            Self.idToken("government", environment: "login.microsoftonline.us", realm: "h")
        )
        #expect(try secret() == "home")
        #expect(try secret(tenant: "common", environment: "sts.windows.net") == "home")
        #expect(try secret(tenant: "G") == "guest")
        #expect(try secret(tenant: "h") == "government")
        #expect(try secret(tenant: "h", environment: "login.microsoftonline.com") == nil)
        #expect(try secret(tenant: "nowhere") == nil)
    }

    @Test("the newest of several; one of the older form only where there is no other")
    func newest() throws {
        try group.put(Self.idToken("one").under("1"))
        try group.put(Self.idToken("two").under("2"))
        try group.put(Self.idToken("old form").with("credential_type", "V1IdToken").under("3"))
        #expect(try secret() == "two")
        try group.put(Self.idToken("old form").with("credential_type", "V1IdToken").with("realm", "g").under("4"))
        #expect(try secret(tenant: "g") == "old form")
    }

    @Test("for a listed account, also after its access tokens have ended")
    func account() throws {
        let account = try #require(try TestResponse.signIn().save(in: cache))
        group.clock.advance(by: 1_000_000)
        let token = try #require(try cache.idToken(for: account))
        #expect(try token.secretString == TestResponse.idToken(TestResponse.defaultClaims))
        #expect(token.tenant == "utid")
        #expect(token.accountID == "uid.utid")
        #expect(token.environment == "login.windows.net")
    }

    @Test("the claims come decoded; a token of another shape has none")
    func claims() throws {
        let account = try #require(try TestResponse.signIn(claims: ["tid": "utid", "sub": "s"]).save(in: cache))
        let token = try #require(try cache.idToken(for: account))
        #expect(try token.withClaims { String(copying: $0) } == #"{"sub":"s","tid":"utid"}"#)
        try group.put(Self.idToken("no dots", realm: "g"), Self.idToken("a.!.c", realm: "h"))
        for tenant in ["g", "h"] {
            let odd = try #require(try cache.idToken(for: account, tenant: tenant))
            #expect(try odd.withClaims { $0.byteCount } == nil)
        }
    }

    @Test("claims are typed; a missing, blank or otherwise typed one is nil")
    func typedClaims() throws {
        let claims: [String: Any] = [
            "iss": "https://login.microsoftonline.com/utid/v2.0", "sub": "s", "aud": "client-a", "tid": "utid",
            "oid": "o", "preferred_username": "Ann@Contoso.com", "email": " ", "name": "Ann", "given_name": 5,
            "iat": 1_700_000_000, "exp": "1700003600", "roles": ["reader", 7, "writer"], "acct": 0,
            "address": ["city": "Bern"],
        ]
        let saved = try TestResponse.signIn().with("id_token", TestResponse.idToken(claims)).save(in: cache)
        let account = try #require(saved)
        let found = try #require(try cache.idToken(for: account)?.claims)
        #expect(found.issuer == "https://login.microsoftonline.com/utid/v2.0")
        #expect([found.subject, found.tenantID, found.objectID, found.name] == ["s", "utid", "o", "Ann"])
        #expect(found.audience == ["client-a"])
        #expect(found.username == "Ann@Contoso.com")
        #expect([found.email, found.givenName, found.familyName, found.text("nobody")] == [nil, nil, nil, nil])
        #expect(found.issuedAt == Timestamp(secondsSince1970: 1_700_000_000))
        #expect(found.expiresOn == Timestamp(secondsSince1970: 1_700_003_600))
        #expect(found.texts("roles") == ["reader", "writer"])
        #expect(found.text("acct") == nil)
        #expect(found.json("acct") == "0")
        #expect(found.json("address") == #"{"city":"Bern"}"#)
        #expect("\(found)" == "IDTokenClaims")
    }

    @Test("each profile of an account has the claims of its tenant's id token, of this application alone")
    func profileClaims() throws {
        try TestResponse.signIn(claims: ["tid": "utid", "oid": "home", "dept": "9"]).save(in: cache)
        try TestResponse.signIn(claims: ["tid": "g", "oid": "guest", "dept": "7"], tenant: "g").save(in: cache)
        let account = try #require(try cache.accounts().first)
        #expect(try account.tenantProfiles.map { try cache.claims(for: $0)?.text("dept") } == ["9", "7"])
        // Another application of the group knows the account, but not what was said to this one.
        let other = try group.cache(client: "other")
        let known = try #require(try other.accounts(matching: .all).first)
        #expect(known.tenantProfiles.count == 2)
        #expect(try known.tenantProfiles.allSatisfy { try other.claims(for: $0) == nil })
        #expect(known.tenantProfiles == account.tenantProfiles)
        try cache.signOut(account)
        #expect(try account.tenantProfiles.allSatisfy { try cache.claims(for: $0) == nil })
    }

    @Test("a profile whose id token is of no known shape has no claims")
    func shapelessClaims() throws {
        try group.put(.account(), .refreshToken(), Self.idToken("no dots"))
        let account = try #require(try cache.accounts().first)
        #expect(try cache.claims(for: account.tenantProfiles[0]) == nil)
    }

    @Test("an account that was signed out has none, and one that is unknown or unclear neither")
    func none() throws {
        try group.put(
            .account(),
            Self.idToken("mine"),
            .account("Bob", account: "b.b", realm: "b"),
            .account("bob", account: "c.c"),
            .idToken(account: "b.b", realm: "b"),
            .idToken(account: "c.c", realm: "c")
        )
        #expect(try cache.idToken(for: TokenQuery(username: "bob", scopes: ["a"])) == nil)
        #expect(try cache.idToken(for: TokenQuery(accountID: "no.one", scopes: ["a"])) == nil)
        #expect(try secret() == "mine")
        let account = try #require(try cache.accounts(matching: .all).first { $0.id == TestGroup.accountID })
        try cache.signOut(account)
        try group.put(Self.idToken("imported later"))
        #expect(try secret() == nil)
    }

    @Test("errors of a body come through as they are, from every kind of token")
    func bodyErrors() throws {
        struct Refused: Error, Equatable {}
        try group.put(.accessToken(), .refreshToken(), Self.idToken("h.e30.s"))
        let forced = MatchingCase.query("user.read", options: TokenQueryOptions(forceRefresh: true))
        guard case .renew(let refreshToken, let accessToken?) = try cache.token(for: forced) else { throw Unexpected() }
        let idToken = try #require(try cache.idToken(for: forced))
        func fail(_ bytes: RawSpan) throws(Refused) -> Int { throw Refused() }
        #expect(throws: Refused()) { try accessToken.withSecret(fail) }
        #expect(throws: Refused()) { try refreshToken.withSecret(fail) }
        #expect(throws: Refused()) { try idToken.withSecret(fail) }
        #expect(throws: Refused()) { try idToken.withClaims(fail) as Int? }
        #expect(try idToken.withClaims { bytes throws(TokenCacheError) in bytes.byteCount } == 2)
        #expect(try accessToken.withSecret { $0.byteCount } == 2)
        #expect(try refreshToken.withSecret { bytes throws(TokenCacheError) in bytes.byteCount } == 2)
        #expect(try idToken.withSecret { bytes in bytes.byteCount } == 7)
    }
}
