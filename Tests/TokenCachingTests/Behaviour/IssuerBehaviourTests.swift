// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Policies and issuers distinguish accounts and tokens")
struct IssuerBehaviourTests {
    let group: TestGroup
    let cache: TokenCache

    init() throws {
        group = try TestGroup()
        cache = try group.cache()
    }

    private func signIn(policy: String, secret: String, tid: String? = nil) throws -> Account {
        var claims = ["oid": "o", "sub": "s", "name": "Ann"]
        claims["tid"] = tid
        let saved = try TestResponse.signIn(
            accessToken: secret,
            refreshToken: "refresh " + secret,
            claims: claims,
            clientInfo: ["uid": "o-\(policy)", "utid": "t"]
        ).asked {
            $0.environment = "contoso.b2clogin.com"
            $0.tenant = "contoso.onmicrosoft.com/" + policy
        }.save(in: cache)
        return try #require(saved)
    }

    private func summary(_ account: Account, policy: String?) throws -> String {
        let tenant = policy.map { "contoso.onmicrosoft.com/" + $0 }
        return try cache.token(for: TokenQuery(accountID: account.id, scopes: ["user.read"], tenant: tenant)).summary()
    }

    @Test("each policy of Azure AD B2C has an account and tokens of its own")
    func policies() throws {
        let signedUp = try signIn(policy: "b2c_1_susi", secret: "susi")
        let edited = try signIn(policy: "b2c_1_edit", secret: "edit")
        #expect([signedUp.id, edited.id] == ["o-b2c_1_susi.t", "o-b2c_1_edit.t"])
        #expect(try summary(signedUp, policy: "B2C_1_susi") == "valid susi")
        #expect(try summary(edited, policy: "b2c_1_edit") == "valid edit")
        #expect(try summary(signedUp, policy: nil) == "valid susi")
        #expect(try summary(signedUp, policy: "b2c_1_edit") == "renew refresh susi")
        try cache.signOut(signedUp)
        #expect(try summary(signedUp, policy: "b2c_1_susi") == "interaction signedOut")
        #expect(try summary(edited, policy: "b2c_1_edit") == "valid edit")
    }

    @Test("a refresh token of one issuer is not spent at another one of the same host")
    func issuers() throws {
        for realm in ["a", "b"] {
            try TestResponse.signIn(
                accessToken: nil,
                refreshToken: "rt " + realm,
                claims: ["sub": "ann", "iss": "https://idp.example.com/realms/\(realm)"],
                clientInfo: nil
            ).asked {
                $0.environment = "idp.example.com"
                $0.tenant = ""
            }.save(in: cache)
        }
        for realm in ["a", "b"] {
            let query = TokenQuery(accountID: "ann", scopes: ["user.read"], tenant: "realms/" + realm)
            #expect(try cache.token(for: query).summary() == "renew rt " + realm)
        }
        let nowhere = TokenQuery(accountID: "ann", scopes: ["user.read"], tenant: "realms/c")
        #expect(try cache.token(for: nowhere).summary() == "interaction severalAccounts")
    }

    @Test("an account entry without authority_type, or of an unknown one, is listed and found like any other")
    func authorityType() throws {
        for type in [nil, "Wonderland"] {
            let group = try TestGroup()
            try group.put(TestEntry.account().with("authority_type", type), .accessToken())
            let cache = try group.cache()
            #expect(try cache.accounts().map(\.id) == ["uid.utid"])
            let query = TokenQuery(username: "ann@contoso.com", scopes: ["user.read"])
            #expect(try cache.token(for: query).summary() == "valid at")
        }
    }
}
