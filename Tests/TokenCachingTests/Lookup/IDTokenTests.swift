import Testing

@testable import TokenCaching

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
        let query = TokenQuery(account: TestGroup.account, scopes: ["a"], tenant: tenant, environment: environment)
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

    @Test("an account that was signed out has none, and one that is unknown or unclear neither")
    func none() throws {
        try group.put(
            .account(),
            Self.idToken("mine"),
            .account("Bob", account: "b.b"),
            .account("bob", account: "c.c")
        )
        #expect(try cache.idToken(for: TokenQuery(username: "bob", scopes: ["a"])) == nil)
        #expect(try cache.idToken(for: TokenQuery(account: "no.one", scopes: ["a"])) == nil)
        #expect(try secret() == "mine")
        let account = try #require(try cache.accounts(matching: .all).first { $0.id == TestGroup.account })
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
        #expect(try accessToken.withSecret { $0.byteCount } == 2)
        #expect(try refreshToken.withSecret { bytes throws(TokenCacheError) in bytes.byteCount } == 2)
        #expect(try idToken.withSecret { bytes in bytes.byteCount } == 7)
    }
}
