// SPDX-License-Identifier: Apache-2.0

import Testing
import UnifiedSchema

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("A refresh token knows which tenant to ask")
struct RequestTenantTests {
    private static let personal = "9188040d-6c67-4c5b-b112-36a304b66dad"

    let group: TestGroup
    let cache: TokenCache

    init() throws {
        group = try TestGroup()
        cache = try group.cache()
    }

    private func tenant(_ query: TokenQuery) throws -> String {
        guard case .renew(let token, _) = try cache.token(for: query) else { throw Unexpected() }
        #expect(TokenRequest(renewing: token, scopes: ["a"]).tenant == token.requestTenant)
        return token.requestTenant
    }

    @Test(
        "in a known cloud: the one asked for, else the account's home",
        arguments: [
            ("uid.utid", nil, "utid"), ("uid.utid", "common", "utid"), ("uid.utid", "Organizations", "utid"),
            ("uid.utid", "consumers", "consumers"), ("uid.utid", " Contoso.com ", "Contoso.com"),
            ("subject", nil, "common"),
            ("subject", "organizations", "organizations"), ("u." + personal, nil, personal),
            ("u." + personal, "organizations", "organizations"),
        ] as [(String, String?, String)]
    )
    func knownCloud(account: String, asked: String?, expected: String) throws {
        try group.put(.refreshToken(account: account), .account(account: account, realm: "common"))
        #expect(try tenant(MatchingCase.query("a", account: account, tenant: asked)) == expected)
    }

    @Test(
        "on Microsoft's other hosts: the one asked for, else that of the client's newest token",
        arguments: ["contoso.b2clogin.com", "contoso.ciamlogin.com"]
    )
    func tenantHost(host: String) throws {
        try group.put(.refreshToken(environment: host).with("realm", "old"))
        #expect(try tenant(MatchingCase.query("a", tenant: nil, environment: nil)) == "")
        try group.put(.account(environment: host, realm: "first").under("a"))
        try group.put(.accessToken(scopes: "b", client: "other", environment: host, realm: "others").under("b"))
        #expect(try tenant(MatchingCase.query("a", tenant: nil, environment: nil)) == "others")
        try group.put(.accessToken(scopes: "b", environment: host, realm: "contoso/B2C_1_a").under("c"))
        try group.put(.accessToken(scopes: "b", environment: "elsewhere.b2clogin.com", realm: "elsewhere").under("d"))
        #expect(try tenant(MatchingCase.query("a", tenant: nil, environment: nil)) == "contoso/b2c_1_a")
        #expect(try tenant(MatchingCase.query("a", tenant: "Other", environment: host)) == "Other")
    }

    @Test("of another issuer: the one asked for, else the realm of the refresh token")
    func otherIssuer() throws {
        try group.put(.refreshToken(account: "ann", environment: "idp.example.com").with("realm", "realms/MyRealm"))
        #expect(try tenant(MatchingCase.query("a", account: "ann", tenant: nil, environment: nil)) == "realms/MyRealm")
        let query = MatchingCase.query("a", account: "ann", tenant: "realms/myREALM", environment: "idp.example.com")
        #expect(try tenant(query) == "realms/myREALM")
    }

    @Test("of another issuer: case counts in every round of renewals", arguments: [nil, "realms/MyRealm"] as [String?])
    func rounds(asked: String?) throws {
        let claims = ["sub": "ann", "iss": "https://idp.example.com/realms/MyRealm"]
        func response(_ refreshToken: String, accessToken: String? = "at") -> TestResponse {
            .signIn(accessToken: accessToken, refreshToken: refreshToken, claims: claims, clientInfo: nil)
        }
        try response("rt", accessToken: nil).asked {
            $0.environment = "idp.example.com"
            $0.tenant = "realms/MyRealm"
        }.save(in: cache)
        let query = MatchingCase.query("user.read", account: "ann", tenant: asked, environment: "idp.example.com")
        for round in 0..<3 {
            #expect(try tenant(query) == "realms/MyRealm")
            let result = try group.cache().renewSynchronously(query) { token in
                #expect(token.requestTenant == "realms/MyRealm")
                return .response(try TokenResponse(json: response("rt\(round)").body))
            }
            #expect(try result.summary() == "valid at")
            group.clock.advance(by: 4000)
        }
        let realms = try group.entries().filter { $0.fields.kind.isRefreshToken }.map { $0.facts.text(.realm)?.string }
        #expect(realms == ["realms/MyRealm"])
    }

    @Test(
        "a renewal on one of Microsoft's hosts is saved, whatever names the tenant",
        arguments: [
            (["sub": "s"], ""), (["iss": "https://contoso.b2clogin.com/T1/v2.0/"], "T1"),
            (["iss": "https://contoso.b2clogin.com/tfp/T1/b2c_1_a/v2.0/"], "T1"), (["tid": "T2"], "T2"),
        ]
    )
    func withoutTenant(claims: [String: String], realm: String) throws {
        try group.put(.refreshToken(environment: "contoso.b2clogin.com"))
        let query = MatchingCase.query("a", tenant: nil, environment: nil)
        guard case .renew(let token, _) = try cache.token(for: query) else { throw Unexpected() }
        var response = TestResponse.signIn(refreshToken: "new", scope: "a", claims: claims)
        response.request = TokenRequest(renewing: token, scopes: ["a"])
        try response.save(in: cache)
        #expect(try cache.token(for: query).summary() == "valid at")
        let stored = try group.entries()
        #expect(stored.filter { $0.fields.kind == .refreshToken }.map(\.token) == ["new"])
        #expect(
            stored.first { $0.fields.kind == .accessToken }?.fields.realm?.string
                == (realm.isEmpty ? nil : realm.lowercased())
        )
    }

    @Test(
        "a refresh token of a host of Microsoft's serves every tenant, whatever realm an SDK wrote down",
        arguments: ["login.microsoftonline.com", "contoso.b2clogin.com", "contoso.ciamlogin.com"]
    )
    func anyTenant(host: String) throws {
        try group.put(.refreshToken(environment: host).with("realm", "a"))
        #expect(try cache.token(for: MatchingCase.query("a", tenant: "b", environment: host)).summary() == "renew rt")
    }

    @Test(
        "another host is not Microsoft's because it is named like one",
        arguments: ["b2clogin.com.example", "xb2clogin.com"]
    )
    func otherHost(host: String) throws {
        try group.put(.refreshToken(environment: host).with("realm", "a"))
        let query = MatchingCase.query("a", tenant: "b", environment: host)
        #expect(try cache.token(for: query).summary() == "interaction refreshTokenMissing")
    }

    @Test("a renewal takes the place of the refresh token of another tenant", arguments: ["contoso.b2clogin.com"])
    func replacement(host: String) throws {
        try group.put(.refreshToken("old", environment: host).with("realm", "a"))
        try TestResponse.signIn(refreshToken: "new").asked {
            $0.environment = host
            $0.tenant = "b"
        }.save(in: cache)
        #expect(try group.entries().filter { $0.fields.kind == .refreshToken }.map(\.token) == ["new"])
    }
}
