// SPDX-License-Identifier: Apache-2.0

import Programs
import SeededRandom
import Testing
import UnifiedSchema

@testable import TokenCaching
@testable import TokenCachingTestSupport

/// OpenID Connect Core 5.7: a subject is unique only at its issuer.
@Suite("Accounts at issuers that are not Microsoft's")
struct AccountsAtIssuersTests {
    let group: TestGroup
    let cache: TokenCache

    init() throws {
        group = try TestGroup()
        cache = try group.cache()
    }

    private static func response(
        _ subject: String,
        at issuer: String,
        token: String,
        username: String = "alice",
        clientInfo: [String: String]? = nil
    ) -> TestResponse {
        TestResponse.signIn(
            accessToken: "at " + token,
            refreshToken: "rt " + token,
            claims: ["sub": subject, "iss": issuer, "preferred_username": username],
            clientInfo: clientInfo
        ).asked {
            $0.environment = issuer.split(separator: "/")[1].description
            $0.tenant = issuer.split(separator: "/").dropFirst(2).joined(separator: "/")
        }
    }

    private func answer(_ id: Account.ID, tenant: String? = nil, in cache: TokenCache? = nil) throws -> String {
        let query = TokenQuery(accountID: id, scopes: ["user.read"], tenant: tenant)
        return try (cache ?? self.cache).token(for: query).summary()
    }

    @Test("the same subject and username at two issuers of one host are two accounts")
    func two() throws {
        let a = try #require(try Self.response("1", at: "https://id.example/a", token: "a").save(in: cache))
        #expect(a.id == "1@https://id.example/a")
        #expect(a.id.issuer == "https://id.example/a")
        #expect(a.id.homeAccountID == "1")
        #expect(try answer("1") == "valid at a")
        let b = try #require(try Self.response("1", at: "https://id.example/b", token: "b").save(in: cache))
        #expect(try cache.accounts().map(\.id) == [a.id, b.id])
        for _ in 0..<2 {
            #expect(try answer(a.id) == "valid at a")
            #expect(try answer(b.id) == "valid at b")
            #expect(try answer("1") == "interaction severalAccounts")
            #expect(try answer("1", tenant: "b") == "valid at b")
        }
        let named = try cache.token(for: TokenQuery(username: "alice", scopes: ["user.read"]))
        #expect(try named.summary() == "interaction severalAccounts")
        #expect(throws: TokenCacheError.self) { try cache.signOut(accountID: "1") }
        #expect(throws: TokenCacheError.self) { try cache.wipe(accountID: "1") }
        try cache.signOut(a)
        #expect(try answer(a.id) == "interaction signedOut")
        #expect(try answer(b.id) == "valid at b")
        #expect(try answer("1") == "interaction severalAccounts")
        try cache.wipe(a)
        #expect(try answer("1") == "valid at b")
        try cache.signOut(accountID: "1")
        #expect(try answer(b.id) == "interaction signedOut")
    }

    @Test("a username at two issuers of one host is that of the issuer that is named")
    func username() throws {
        for realm in ["a", "b"] {
            try Self.response(realm, at: "https://id.example/realms/\(realm)", token: realm).save(in: cache)
        }
        for (tenant, answer) in [("realms/a", "valid at a"), ("realms/b", "valid at b"), ("realms/c", nil), (nil, nil)]
        {
            let query = TokenQuery(
                username: "alice",
                scopes: ["user.read"],
                tenant: tenant,
                environment: "id.example"
            )
            #expect(try cache.token(for: query).summary() == answer ?? "interaction severalAccounts")
        }
    }

    @Test(
        "issuers and subjects that differ in one byte are different",
        arguments: [
            ("1", "https://id.example/a/"), ("1", "https://id.example/A"), ("1", "http://id.example/a"),
            ("Q", "https://id.example/a"),
        ]
    )
    func bytes(subject: String, issuer: String) throws {
        let own = subject == "Q" ? "q" : "1"
        let one = try #require(try Self.response(own, at: "https://id.example/a", token: "one").save(in: cache))
        let other = try #require(try Self.response(subject, at: issuer, token: "other").save(in: cache))
        #expect(one.id != other.id)
        #expect(Set([one.id, other.id]).count == 2)
        #expect(try answer(one.id) == "valid at one")
        #expect(try answer(other.id) == "valid at other")
        #expect(try group.secrets { $0 == .refreshToken }.count == 2)
        try cache.signOut(other)
        #expect(try answer(one.id) == "valid at one")
    }

    @Test("an account of AD FS is its subject at the server's issuer")
    func adfs() throws {
        let account = try Self.response("1", at: "https://adfs.contoso.example/adfs", token: "a").save(in: cache)
        #expect(account?.id == "1@https://adfs.contoso.example/adfs")
        #expect(account?.tenantProfiles.map(\.tenant) == ["adfs"])
        #expect(try answer("1") == "valid at a")
    }

    @Test("Google's two forms of an issuer are one")
    func google() throws {
        for (issuer, token) in [("https://accounts.google.com", "old"), ("accounts.google.com", "new")] {
            try Self.response("1", at: "https://accounts.google.com", token: token)
                .with(
                    "id_token",
                    TestResponse.idToken(["sub": "1", "iss": issuer])
                ).save(in: cache)
        }
        #expect(try cache.accounts().map(\.id) == ["1@https://accounts.google.com"])
        #expect(try answer("1") == "valid at new")
    }

    @Test(
        "nothing changes where the server names the account, and at Microsoft's issuers under any host",
        arguments: [
            ("https://id.example/a", ["uid": "u", "utid": "t"], "u.t"),
            ("https://contoso.b2clogin.com/t/v2.0/", nil, "1"),
            ("https://sts.windows.net/t/", nil, "1"),
        ] as [(String, [String: String]?, Account.ID)]
    )
    func unchanged(issuer: String, clientInfo: [String: String]?, id: Account.ID) throws {
        let response = Self.response("1", at: "https://login.contoso.example/t", token: "a", clientInfo: clientInfo)
            .with("id_token", TestResponse.idToken(["sub": "1", "iss": issuer]))
        #expect(try response.save(in: cache)?.id == id)
        #expect(try answer(id) == "valid at a")
    }

    @Test(
        "a server cannot name another server's user by a subject or a client_info that looks like an id with an issuer",
        arguments: [
            (["sub": "1@https://id.example/a"], nil),
            (["sub": "1@https://id.example/a", "iss": "urn:evil"], nil),
            (["sub": "1@https://id.example/a", "iss": "https://id.example/evil"], nil),
            (["sub": "2"], ["uid": "1@https://id", "utid": "example/a"]),
        ] as [([String: String], [String: String]?)]
    )
    func lookalike(claims: [String: String], clientInfo: [String: String]?) throws {
        let account = try #require(try Self.response("1", at: "https://id.example/a", token: "a").save(in: cache))
        let evil = try Self.response("1", at: "https://id.example/a", token: "evil", clientInfo: clientInfo)
            .with("id_token", TestResponse.idToken(claims)).save(in: cache)
        #expect(evil?.id != account.id)
        #expect(try answer(account.id) == "valid at a")
        if let evil { try cache.wipe(evil) }
        #expect(try answer(account.id) == "valid at a")
    }

    @Test("a renewal that is answered with another issuer's account stores nothing")
    func answeredByOther() throws {
        let a = try #require(try Self.response("1", at: "https://id.example/a", token: "a").save(in: cache))
        let other = Self.response("1", at: "https://id.example/b", token: "b").asked {
            $0.grant = .renewal
            $0.accountID = a.id
            $0.tenant = "a"
        }
        #expect(try other.saveAll(in: cache).belongsToAnotherAccount)
        #expect(try cache.accounts().map(\.id) == [a.id])
    }

    @Test("a renewal may name the account by its subject, with or without an id token", arguments: [true, false])
    func renewal(hasIDToken: Bool) throws {
        try Self.response("1", at: "https://id.example/a", token: "a").save(in: cache)
        var renewal = Self.response("1", at: "https://id.example/a", token: "new").asked {
            $0.grant = .renewal
            $0.accountID = "1"
        }
        if !hasIDToken { renewal = renewal.with("id_token", nil) }
        try renewal.save(in: cache)
        #expect(try cache.accounts().map(\.id) == ["1@https://id.example/a"])
        #expect(try answer("1") == "valid at new")
        #expect(try group.secrets { $0 == .refreshToken } == ["rt new"])
    }

    private static func earlier(
        _ name: String,
        client: String = TestGroup.client,
        host: String = "id.example",
        issuer: String? = nil
    ) -> [TestEntry] {
        let tokens = [
            TestEntry.accessToken(name, account: "1", realm: "a").with("client_id", client),
            TestEntry.refreshToken("rt " + name, client: client, account: "1"),
        ]
        let idToken = issuer.map { issuer in
            TestEntry.idToken(account: "1", realm: "a").with("client_id", client)
                .with("secret", TestResponse.idToken(["sub": "1", "iss": issuer]))
        }
        return (tokens + [idToken].compactMap(\.self)).map { $0.with("environment", host) }
    }

    @Test("a sign-in replaces what the application stored at the issuer before ids named it, and nothing of others")
    func earlier() throws {
        let issuer = "https://id.example/a"
        try group.put(.account("alice", account: "1", realm: "a").with("environment", "id.example"))
        try group.put(
            Self.earlier("mine", issuer: issuer) + Self.earlier("elsewhere", host: "other.example")
                + Self.earlier("theirs", client: "other", issuer: issuer)
        )
        try Self.response("1", at: issuer, token: "new").save(in: cache)
        let left = ["at new", "elsewhere", "rt elsewhere", "rt new", "rt theirs", "theirs"]
        #expect(try group.secrets { $0.isAccessToken || $0 == .refreshToken }.sorted() == left)
        #expect(try answer("1@https://id.example/a") == "valid at new")
        #expect(try answer("1", in: group.cache(client: "other")) == "interaction severalAccounts")
    }

    @Test(
        "a sign-in at another issuer of the host, or one without proof, removes nothing that was stored before",
        arguments: [nil, "https://id.example/A", "https://id.example/b"]
    )
    func earlierOfOthers(issuer: String?) throws {
        try group.put(Self.earlier("mine", issuer: issuer))
        let evil = Self.response("1", at: "https://id.example/a", token: "evil")
        try evil.save(in: cache)
        #expect(
            try group.secrets { $0.isAccessToken || $0 == .refreshToken }.sorted() == [
                "at evil", "mine", "rt evil", "rt mine",
            ]
        )
        #expect(try answer("1@https://id.example/a") == "valid at evil")
    }

    @Test(
        "a renewal of what was stored before is saved there, also beside an account at an issuer",
        arguments: [true, false]
    )
    func renewalOfEarlier(hasIDToken: Bool) throws {
        try group.put(Self.earlier("mine"))
        try Self.response("1", at: "https://id.example/b", token: "other").save(in: cache)
        var renewal = Self.response("1", at: "https://id.example/a", token: "new").asked {
            $0.grant = .renewal
            $0.accountID = "1"
        }
        if !hasIDToken { renewal = renewal.with("id_token", nil) }
        try renewal.save(in: cache)
        #expect(try group.secrets { $0 == .refreshToken }.sorted() == ["rt new", "rt other"])
        #expect(try answer("1@https://id.example/b") == "valid at other")
    }

    @Test("a subject that looks like another server's account undoes no sign-out there")
    func signOutBesideLookalike() throws {
        let victim = try #require(try Self.response("1", at: "https://id.example/a", token: "a").save(in: cache))
        try Self.response("1", at: "https://id.example/a", token: "b").save(in: group.cache(client: "other"))
        try cache.signOut(victim)
        try Self.response(victim.id.text, at: "https://evil.example", token: "evil").save(in: cache)
        #expect(try answer(victim.id) == "interaction signedOut")
    }

    @Test("a subject that ends like the id of a tenant is not Microsoft's account")
    func tenantLikeSubject() throws {
        let id = "00000000-0000-0000-0000-0000000000aa.72f988bf-86f1-41af-91ab-2d7cd011db47"
        let evil = try Self.response(id, at: "https://evil.example", token: "evil").save(in: cache)
        #expect(evil?.id.text == id + "@https://evil.example")
        #expect(try answer(Account.ID(id)) == "interaction accountUnknown")
    }

    @Test("of three people with one subject and one username at issuers of two hosts, each gets only their own tokens")
    func people() throws {
        var random = SeededGenerator(for: "people at issuers")
        let issuers = ["https://id.example/a", "https://id.example/b", "https://other.example"]
        let caches = [cache, try group.cache(client: "other")]
        /// The newest token of each application and person; nil if signed out.
        var newest = [[String?]](repeating: [nil, nil, nil], count: 2)
        for number in 0..<Scale.pick(2_000, release: 10_000) {
            let (app, person) = (Int.random(in: 0..<2, using: &random), Int.random(in: 0..<3, using: &random))
            let (cache, issuer) = (caches[app], issuers[person])
            let id = Account.ID("1@" + issuer)
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                try Self.response("1", at: issuer, token: "\(number)").save(in: cache)
                newest[app][person] = "\(number)"
            case 1 where newest[app][person] != nil:
                let renewal = Self.response("1", at: issuer, token: "\(number)").asked {
                    $0.grant = .renewal
                    $0.accountID = id
                }
                try renewal.save(in: cache)
                newest[app][person] = "\(number)"
            case 2:
                try cache.signOut(accountID: id)
                newest[app][person] = nil
            default:
                let tenant = issuer.split(separator: "/").dropFirst(2).joined(separator: "/")
                let asked = TokenQuery(
                    accountID: Bool.random(using: &random) ? id : "1",
                    scopes: ["user.read"],
                    tenant: tenant,
                    environment: issuer.split(separator: "/")[1].description
                )
                let answer = try cache.token(for: asked).summary()
                if let token = newest[app][person] {
                    let isAllowed =
                        answer == "valid at " + token
                        || asked.terms.mayNameSubject && answer.hasSuffix("severalAccounts")
                    #expect(isAllowed, "\(number): \(answer), not \(token)")
                } else {
                    #expect(answer.hasPrefix("interaction"), "\(number): \(answer)")
                }
            }
        }
    }
}
