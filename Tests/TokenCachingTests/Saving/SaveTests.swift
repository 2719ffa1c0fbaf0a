// SPDX-License-Identifier: Apache-2.0

import RecordStorage
import Testing
import UnifiedSchema

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("A token response becomes entries")
struct SaveTests {
    let group: TestGroup
    let cache: TokenCache
    let now = TestEntry.start

    init() throws {
        group = try TestGroup()
        cache = try group.cache()
    }

    private func entry(_ kind: EntryKind) throws -> StoredTestEntry {
        try #require(try group.entries().first { $0.facts.kind == kind })
    }

    @Test("the access token is found at the next lookup, also by another cache")
    func roundTrip() throws {
        let other = try group.cache()
        let query = MatchingCase.query("user.read")
        _ = try other.token(for: query)
        try TestResponse.signIn().save(in: cache)
        #expect(try cache.token(for: query).summary() == "valid at")
        #expect(try other.token(for: query).summary() == "valid at")
    }

    @Test("entries have the keys and hosts of the common form")
    func keys() throws {
        try TestResponse.signIn().save(in: cache)
        let keys = Set(try group.entries().compactMap(\.key))
        #expect(
            keys == [
                "uid.utid-login.windows.net-accesstoken-client-a-utid-user.read openid profile",
                "uid.utid-login.windows.net-refreshtoken-client-a--",
                "uid.utid-login.windows.net-idtoken-client-a-utid-",
                "uid.utid-login.windows.net-utid",
                "appmetadata-login.windows.net-client-a",
            ]
        )
    }

    @Test("the access token's entry has the response's members")
    func accessToken() throws {
        try TestResponse.signIn().with("ext_expires_in", 7200).with("refresh_in", "1800").save(in: cache)
        let fields = try entry(.accessToken).fields
        #expect(fields.cachedAt == now)
        #expect(fields.expiresOn == now + 3600)
        #expect(fields.extendedExpiresOn == now + 7200)
        #expect(fields.refreshOn == now + 1800)
        #expect(fields.target?.text == "User.Read openid profile")
        #expect(fields.tokenType == "bearer")
    }

    @Test(
        "how long a token lives",
        arguments: [
            (nil, 3600), (60, 60), (0, 3600), (-5, 3600),
        ] as [(Int?, Int64)]
    )
    func lifetime(expiresIn: Int?, expected: Int64) throws {
        try TestResponse.signIn().with("expires_in", expiresIn).save(in: cache)
        #expect(try entry(.accessToken).fields.expiresOn == now + expected)
    }

    @Test("an absolute expiry in the response is used if there is no other")
    func expiresOn() throws {
        try TestResponse.signIn().with("expires_in", nil).with("expires_on", "\(now + 77)").save(in: cache)
        #expect(try entry(.accessToken).fields.expiresOn == now + 77)
    }

    @Test("scopes that the response does not name are those that were asked for")
    func scopes() throws {
        try TestResponse.signIn(scope: nil).save(in: cache)
        #expect(try entry(.accessToken).fields.target == "User.Read")
    }

    @Test("a token bound to a key is recognised by its type")
    func boundToken() throws {
        try TestResponse.signIn().with("token_type", "pop").asked { $0.keyID = "K" }.save(in: cache)
        let options = TokenQueryOptions(tokenType: "pop", keyID: "K")
        #expect(try cache.token(for: MatchingCase.query("user.read", options: options)).summary() == "valid at")
    }

    @Test("a bearer token that answers a request for a bound one is not bound, and serves requests for bearer tokens")
    func bearerInsteadOfBound() throws {
        try TestResponse.signIn().asked { $0.keyID = "K" }.save(in: cache)
        #expect(try group.entries().compactMap(\.fields.keyID).isEmpty)
        #expect(try cache.token(for: MatchingCase.query("user.read")).summary() == "valid at")
    }

    @Test("the family of a refresh token is kept, and known of the client")
    func family() throws {
        try TestResponse.signIn(family: "1").save(in: cache)
        #expect(try entry(.refreshToken).fields.familyID == "1")
        #expect(try entry(.appMetadata).fields.familyID == "1")
    }

    @Test("the account's entry has the id token's claims")
    func account() throws {
        let account = try TestResponse.signIn().save(in: cache)
        let facts = try entry(.account).facts
        #expect(facts.text(.localAccountID) == "uid")
        #expect(facts.text(.username) == "Ann@Contoso.com")
        #expect(facts.text(.name) == "Ann")
        #expect(facts.text(.authorityType) == "MSSTS")
        #expect(facts.has(.clientInfo))
        #expect(account?.id == "uid.utid")
        #expect(account?.username == "Ann@Contoso.com")
        #expect(account?.isSignedIn == true)
        #expect(account?.tenantProfiles.map(\.tenant) == ["utid"])
    }

    @Test("a guest keeps the home account id and gets a profile of the tenant")
    func guest() throws {
        try TestResponse.signIn().save(in: cache)
        let claims = ["tid": "guest", "oid": "other", "preferred_username": "ann#EXT#"]
        let account = try TestResponse.signIn(claims: claims, tenant: "guest").save(in: cache)
        #expect(account?.id == "uid.utid")
        #expect(account?.username == "Ann@Contoso.com")
        #expect(account?.tenantProfiles.map(\.tenant) == ["utid", "guest"])
        #expect(account?.tenantProfiles.map(\.isHome) == [true, false])
    }

    @Test("without client_info the subject is the account, and the tenant asked for the realm")
    func federationService() throws {
        let response = TestResponse.signIn(claims: ["sub": "s-1", "upn": "ann@corp"], clientInfo: nil)
            .asked {
                $0.environment = "adfs.contoso.com"
                $0.tenant = "adfs"
            }
        let account = try response.save(in: cache)
        #expect(account?.id == "s-1")
        #expect(account?.username == "ann@corp")
        let facts = try entry(.account).facts
        #expect(facts.text(.realm) == "adfs")
        #expect(facts.text(.authorityType) == "ADFS")
        let query = TokenQuery(accountID: "s-1", scopes: ["user.read"], environment: "adfs.contoso.com")
        #expect(try cache.token(for: query).summary() == "valid at")
    }

    @Test("an issuer outside the known clouds is distinguished by its path")
    func issuerPath() throws {
        let claims = ["sub": "s-1", "iss": "https://idp.example.com/realms/blue/"]
        let response = TestResponse.signIn(claims: claims, clientInfo: nil)
            .asked {
                $0.environment = "idp.example.com"
                $0.tenant = ""
            }
        try response.save(in: cache)
        #expect(try entry(.accessToken).fields.realm == "realms/blue")
        #expect(try entry(.refreshToken).fields.realm == "realms/blue")
    }

    @Test(
        "an issuer without a path has the empty realm",
        arguments: ["https://accounts.google.com", "http://localhost:9400", "https://dev-1.okta.com/"]
    )
    func emptyRealm(issuer: String) throws {
        for secret in ["old", "new"] {
            let response = TestResponse.signIn(
                accessToken: secret,
                claims: ["sub": "s-1", "iss": issuer, "email": "ann@example.com"],
                clientInfo: nil
            ).asked {
                $0.environment = "idp.example.com"
                $0.tenant = ""
            }
            try response.save(in: cache)
        }
        #expect(try group.entries().count { $0.facts.kind == .accessToken } == 1)
        #expect(try cache.accounts().map(\.id.text) == ["s-1@\(issuer)"])
        let query = TokenQuery(username: "ann@example.com", scopes: ["user.read"])
        #expect(try cache.token(for: query).summary() == "valid new")
        let elsewhere = TokenQuery(accountID: "s-1", scopes: ["user.read"], tenant: "realms/blue")
        #expect(try cache.token(for: elsewhere).summary() == "renew rt")
    }

    @Test(
        "on a host of Microsoft's a response has to belong to a tenant",
        arguments: ["login.microsoftonline.com", "contoso.b2clogin.com", "contoso.ciamlogin.com"]
    )
    func missingTenant(host: String) {
        let response = TestResponse.signIn(claims: ["sub": "s-1", "iss": "https://\(host)"]).asked {
            $0.environment = host
            $0.tenant = ""
        }
        let error = #expect(throws: TokenCacheError.self) { try response.save(in: cache) }
        #expect(error?.code == .invalidRequest)
    }

    @Test("client_info with a uid alone names the account by it twice")
    func uidAlone() throws {
        try TestResponse.signIn(clientInfo: ["uid": "only"]).save(in: cache)
        #expect(try cache.accounts().map(\.id) == ["only.only"])
    }

    @Test("a person whom only the claim emails names is found by the first of them")
    func emails() throws {
        let claims: [String: Any] = [
            "sub": "s", "tid": "utid", "emails": ["", "ann@example.com", "second@example.com"],
        ]
        try TestResponse.signIn().with("id_token", TestResponse.idToken(claims)).save(in: cache)
        let query = TokenQuery(username: "ann@example.com", scopes: ["user.read"])
        #expect(try cache.token(for: query).summary() == "valid at")
    }

    @Test("an application's own token has no account")
    func application() throws {
        let response = TestResponse.signIn(refreshToken: nil, claims: nil, clientInfo: nil)
            .with("scope", nil)
            .asked {
                $0.grant = .application
                $0.scopes = ["https://graph.microsoft.com/.default"]
                $0.tenant = "Contoso"
            }
        #expect(try response.save(in: cache) == nil)
        let query = TokenQuery(applicationScopes: ["https://graph.microsoft.com/.default"], tenant: "contoso")
        #expect(try cache.token(for: query).summary() == "valid at")
        #expect(try group.entries().count == 1)
    }

    @Test("a response without an access token keeps the others")
    func noAccessToken() throws {
        try TestResponse.signIn(accessToken: nil).save(in: cache)
        #expect(try cache.token(for: MatchingCase.query("user.read")).summary() == "renew rt")
    }

    @Test("an id token that cannot be read is kept all the same")
    func unreadableIDToken() throws {
        try TestResponse.signIn(claims: nil).with("id_token", "no token at all").save(in: cache)
        #expect(try entry(.idToken).token == "no token at all")
        #expect(try entry(.account).facts.text(.username) == "")
    }

    @Test("tokens with escapes in their JSON come back as they were meant")
    func escapes() throws {
        var body = String(decoding: TestResponse.signIn().body, as: UTF8.self)
        body = body.replacing("\"at\"", with: #""a\u0041\/""#)
        try cache.save(try TokenResponse(json: Array(body.utf8)), for: TestResponse.signIn().request)
        #expect(try cache.token(for: MatchingCase.query("user.read")).summary() == "valid aA/")
    }

    @Test(
        "an invalid token response is refused",
        arguments: [
            "", "null", "[]", "{}", #"{"error":"invalid_grant","access_token":"x"}"#, #"{"access_token":5}"#,
            #"{"access_token":""}"#, #"{"access_token":"x","access_token":"y"}"#, #"{"access_token":"x"} more"#,
        ]
    )
    func improperResponse(body: String) throws {
        let error = #expect(throws: TokenCacheError.self) { _ = try TokenResponse(json: Array(body.utf8)) }
        #expect(error?.code == .invalidResponse)
        #expect(error?.description.contains("invalid_grant") == false)
    }

    @Test(
        "a token with other characters than tokens have is not saved",
        arguments: ["access_token", "refresh_token", "id_token"],
        ["x\n", "x\u{0}y", "\u{1b}[2J", "x\u{7f}", "tökenökenöken", "line\u{2028}"]
    )
    func characters(name: String, token: String) throws {
        let error = #expect(throws: TokenCacheError.self) {
            try TestResponse.signIn().with(name, token).save(in: cache)
        }
        #expect(error?.code == .invalidResponse)
        #expect(try group.entries().isEmpty)
    }

    @Test(
        "a response that does not identify its account is refused",
        arguments: [
            ("login.microsoftonline.com", nil), ("idp.example.com", " s"), ("idp.example.com", "s "),
        ] as [(String, String?)]
    )
    func nobody(host: String, subject: String?) throws {
        let claims = subject.map { ["sub": $0, "iss": "https://\(host)"] }
        let error = #expect(throws: TokenCacheError.self) {
            try TestResponse.signIn(claims: claims, clientInfo: nil).asked { $0.environment = host }.save(in: cache)
        }
        #expect(error?.code == .invalidResponse)
        #expect(try group.entries().isEmpty)
    }

    @Test("of a renewal that is answered with another account nothing is stored, and nothing of either account changes")
    func otherAccount() throws {
        try TestResponse.signIn(accessToken: "one", refreshToken: "rt one").save(in: cache)
        let answer = TestResponse.signIn(
            accessToken: "two",
            refreshToken: "rt two",
            clientInfo: ["uid": "x", "utid": "utid"]
        )
        #expect(try answer.renewal.saveAll(in: cache).belongsToAnotherAccount)
        #expect(try cache.token(for: MatchingCase.query("user.read")).summary() == "valid one")
        #expect(try cache.accounts().map(\.id) == [TestGroup.accountID])
        #expect(try group.entries().compactMap(\.token).filter { $0.contains("two") } == [])
    }

    /// The account that is stored, and what `client_info` of its renewal says, of a host of Azure AD B2C.
    static let policies: [(stored: String, uid: String, utid: String)] = [
        ("oid.tid-b2c_1_susi", "oid", "tid"), ("oid-b2c_1_susi.tid-b2c_1_susi", "oid-b2c_1_susi", "tid"),
        ("OID-B2C_1A_sign-in.tid", "oid", "TID"), ("oid.tid", "oid-b2c_1_susi", "tid"),
        ("oid-b2c_1_susi.tid", "oid-b2c_1_edit", "tid"),
    ]

    @Test("ids that differ by a policy are one account, under the stored id", arguments: 0..<policies.count)
    func policy(index: Int) throws {
        let (stored, uid, utid) = Self.policies[index]
        let host = "contoso.b2clogin.com"
        try group.put(
            .refreshToken("old", account: stored, environment: host),
            .accessToken(account: stored, environment: host, realm: "tid").with("expires_on", "1")
        )
        let query = MatchingCase.query("user.read", account: stored, tenant: nil, environment: nil)
        let decision = try cache.renewSynchronously(query) { _ in
            let response = TestResponse.signIn(
                accessToken: "new",
                refreshToken: "rotated",
                clientInfo: ["uid": uid, "utid": utid]
            )
            return .response(try TokenResponse(json: response.body))
        }
        #expect(try decision.summary() == "valid new")
        #expect(try group.entries().filter { $0.fields.kind == .refreshToken }.map(\.token) == ["rotated"])
        #expect(try cache.accounts().map(\.id) == [Account.ID(stored)])
    }

    /// A response of a server outside of the known clouds, which sends no client_info, for an account that is named.
    private func elsewhere(_ host: String, asked account: String?, subject: String?) -> TestResponse {
        TestResponse.signIn(claims: subject.map { ["sub": $0] }, clientInfo: nil)
            .asked {
                $0.environment = host
                $0.tenant = "blue"
                $0.accountID = account.map { Account.ID($0) }
            }
    }

    @Test("outside the known clouds, the id token identifies the user, not the request")
    func otherPerson() throws {
        let account = try elsewhere("idp.example.com", asked: "alice", subject: "bob").save(in: cache)
        #expect(account?.id == "bob")
        #expect(try cache.accounts(matching: AccountFilter(id: "alice", includesSignedOut: true)).isEmpty)
    }

    static let tenantID = "72f988bf-86f1-41af-91ab-2d7cd011db47"

    /// The host, the account that is renewed, and whether a response for the subject "bob" is of that.
    static let subjects: [(String, String, Bool)] = [
        ("idp.example.com", "bob", true),
        ("idp.example.com", "BOB", true),
        ("idp.example.com", "alice", false),
        ("idp.example.com", "alice.smith", false),
        ("contoso.b2clogin.com", "alice-b2c_1_policy.tenant", true),
        ("login.contoso.com", "alice-b2c_1_policy.\(tenantID)", true),
        ("login.microsoftonline.com", "uid.utid", true),
    ]

    @Test("a renewal whose id token is of another subject is of another account", arguments: 0..<subjects.count)
    func otherSubject(index: Int) throws {
        let (host, account, isSame) = Self.subjects[index]
        try group.put(.refreshToken("old", account: account, environment: host))
        let renewal = elsewhere(host, asked: account, subject: "bob").asked { $0.grant = .renewal }
        #expect(try renewal.saveAll(in: cache).belongsToAnotherAccount != isSame)
        let owners = try group.entries().filter { $0.fields.kind == .accessToken }.map(\.fields.homeAccountID)
        #expect(owners == (isSame ? [UTF8Text(account).normalized()] : []))
    }

    @Test("a renewal where neither request nor response names the account cannot be meant")
    func renewalOfNobody() throws {
        let renewal = TestResponse.signIn(claims: nil, clientInfo: nil).asked { $0.grant = .renewal }
        let error = #expect(throws: TokenCacheError.self) { try renewal.save(in: cache) }
        #expect(error?.code == .invalidRequest)
        #expect(try group.entries().isEmpty)
    }

    @Test("a request without environment, tenant or scope cannot be meant", arguments: 0..<3)
    func improperRequest(index: Int) throws {
        let response = TestResponse.signIn(scope: nil, claims: ["sub": "s"], clientInfo: nil)
            .asked {
                if index == 0 { $0.environment = " " }
                if index == 1 { $0.tenant = "" }
                if index == 2 { $0.scopes = [] }
            }
        let error = #expect(throws: TokenCacheError.self) { try response.save(in: cache) }
        #expect(error?.code == .invalidRequest)
    }

    @Test("a store that cannot be written says so")
    func readOnly() throws {
        let store = MemoryStore(group.backing, readOnlyReason: StorageError(.readOnly))
        let error = #expect(throws: TokenCacheError.self) {
            try TestResponse.signIn().save(in: try group.cache(store: store))
        }
        #expect(error?.code == .readOnly)
    }
}
