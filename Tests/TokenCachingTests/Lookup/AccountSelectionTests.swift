// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("A username that several accounts have")
struct AccountSelectionTests {
    /// Two accounts of one name, both signed in to the client: at home in different tenants, the second in another cloud
    /// too.
    static let both: [TestEntry] = [
        .account(account: "uid.t1", realm: "t1"), .refreshToken("rt1", account: "uid.t1"),
        .accessToken("at1", account: "uid.t1", realm: "t1"),
        .account(account: "x.t2", realm: "t2"), .refreshToken("rt2", account: "x.t2"),
        .account(account: "x.t2", environment: "login.microsoftonline.us", realm: "t2"),
    ]

    static let cases: [MatchingCase] = [
        MatchingCase("is narrowed by the tenant", both, query(tenant: "t1"), "valid at1"),
        MatchingCase("is narrowed by the other tenant", both, query(tenant: "t2"), "renew rt2"),
        MatchingCase(
            "is narrowed by the cloud",
            both + [.refreshToken("us", account: "x.t2", environment: "login.microsoftonline.us")],
            query(environment: "login.usgovcloudapi.net"),
            "renew us"
        ),
        MatchingCase("is narrowed by nothing that fits none", both, query(tenant: "t3"), "interaction severalAccounts"),
        MatchingCase("is ambiguous where nothing tells them apart", both, query(), "interaction severalAccounts"),
        MatchingCase(
            "is narrowed by the tenant of a profile",
            [
                .account(account: "uid.t1", realm: "t1"), .refreshToken("rt1", account: "uid.t1"),
                .account(account: "x.t2", realm: "t2").with("tenantProfiles", json: #"[{"tenantId":"T3"}]"#),
                .refreshToken("rt2", account: "x.t2"),
            ],
            query(tenant: "t3"),
            "renew rt2"
        ),
        MatchingCase(
            "is that of the account that the client is signed in to",
            [
                .account(account: "uid.t1", realm: "t1"), .refreshToken("mine", account: "uid.t1"),
                .account(account: "x.t2", realm: "t2"), .refreshToken("theirs", client: "client-b", account: "x.t2"),
            ],
            query(),
            "renew mine"
        ),
        MatchingCase(
            "is ambiguous where the client's family is signed in to both",
            [
                .account(account: "uid.t1", realm: "t1"), .refreshToken("mine", account: "uid.t1"),
                .account(account: "x.t2", realm: "t2"),
                .refreshToken("shared", client: "client-b", account: "x.t2", family: "1"),
            ],
            query(),
            "interaction severalAccounts"
        ),
    ]

    private static func query(tenant: String? = nil, environment: String? = nil) -> TokenQuery {
        TokenQuery(username: "ann@contoso.com", scopes: ["user.read"], tenant: tenant, environment: environment)
    }

    @Test("selects one by what the query says, or asks for a choice", arguments: cases)
    func selection(_ rule: MatchingCase) throws { try rule.check() }

    @Test("is ambiguous whether or not all tokens have expired, and the diagnosis says what tells the accounts apart")
    func ambiguous() throws {
        let group = try TestGroup()
        try group.put([
            .account(account: "uid.t1", realm: "t1"), .accessToken("at1", account: "uid.t1", realm: "t1"),
            .account(account: "x.t2", environment: "login.microsoftonline.us", realm: "t2"),
            .accessToken("at2", account: "x.t2", environment: "login.microsoftonline.us", realm: "t2"),
            .account(account: "y.t3", realm: "t3"),
        ])
        let cache = try group.cache()
        func expectChoice() throws {
            #expect(try cache.token(for: Self.query()).summary() == "interaction severalAccounts")
            let diagnosis = try cache.diagnosis(of: Self.query())
            #expect(diagnosis.nearestToken == nil && diagnosis.refreshToken == nil)
            // The client is not signed in to the third one.
            #expect(diagnosis.accounts.map(\.id) == ["uid.t1", "x.t2"])
            #expect(diagnosis.accounts.map(\.username) == ["ann@contoso.com", "ann@contoso.com"])
            #expect(diagnosis.accounts.map { $0.tenantProfiles.map(\.tenant) } == [["t1"], ["t2"]])
            #expect(
                diagnosis.accounts.map(\.environment) == ["login.microsoftonline.com", "login.microsoftonline.us"]
            )
        }
        try expectChoice()
        group.clock.advance(by: 100_000)
        try expectChoice()
        #expect(try cache.diagnosis(of: Self.query(tenant: "t1")).accounts.isEmpty)
    }

    @Test("selects the account whose tenant the query names although it signed out, and no other person's token")
    func signedOut() throws {
        let group = try TestGroup()
        try group.put(
            Self.both + [
                .account(account: "x.t2", realm: "t1"), .accessToken("guest", account: "x.t2", realm: "t1"),
                .account(account: "uid.t1", realm: "t4"),
            ]
        )
        let cache = try group.cache()
        #expect(try cache.token(for: Self.query(tenant: "t4")).summary() == "renew rt1")
        try cache.signOut(accountID: "uid.t1")
        #expect(try cache.token(for: Self.query(tenant: "t4")).summary() == "interaction signedOut")
        #expect(try cache.token(for: Self.query()).summary() == "renew rt2")
        try cache.signOut(accountID: "x.t2")
        #expect(try cache.token(for: Self.query()).summary() == "interaction signedOut")
    }

    @Test("leaves out an account that signed out, although its family has a token for it")
    func signedOutOfFamily() throws {
        let group = try TestGroup()
        try group.put([
            .account(account: "uid.t1", realm: "t1"),
            .refreshToken("shared", client: "client-b", account: "uid.t1", family: "1"),
            .account(account: "x.t2", realm: "t2"), .refreshToken("rt2", account: "x.t2"),
        ])
        let cache = try group.cache()
        #expect(try cache.token(for: Self.query()).summary() == "interaction severalAccounts")
        try cache.signOut(accountID: "uid.t1")
        #expect(try cache.token(for: Self.query()).summary() == "renew rt2")
    }

    @Test("does not select the part without an id of an account that signed out")
    func partOfSignedOut() throws {
        let group = try TestGroup()
        try group.put([.account(account: "uid.t1", realm: "t1"), .accessToken("at1", account: "uid.t1", realm: "t1")])
        let cache = try group.cache()
        try cache.signOut(accountID: "uid.t1")
        try group.put([
            .account(account: nil, realm: "t1"),
            .accessToken("nameless", account: nil, realm: "t1").with("username", "ann@contoso.com"),
        ])
        for tenant in [nil, "t1"] {
            #expect(try cache.token(for: Self.query(tenant: tenant)).summary() == "interaction signedOut")
        }
    }

    @Test("selects by the tenants of profiles, and by no other tenant, after the account's records have changed, too")
    func profilesAfterChange() throws {
        let group = try TestGroup()
        try group.put([
            .account(account: "uid.t1", realm: "t1"), .refreshToken("rt1", account: "uid.t1"),
            .account(account: "x.t2", realm: "t2").with("tenantProfiles", json: #"[{"tenantId":"T3"}]"#),
            .refreshToken("rt2", account: "x.t2"),
        ])
        let cache = try group.cache()
        for round in 0..<3 {
            #expect(try cache.token(for: Self.query(tenant: "t3")).summary() == "renew rt2")
            #expect(try cache.token(for: Self.query(tenant: "t9")).summary() == "interaction severalAccounts")
            try group.put([.idToken(account: "x.t2").with("realm", "t\(round + 4)")])
        }
    }

    @Test("selects the same account after all tokens have expired")
    func expired() throws {
        let group = try TestGroup()
        try group.put([
            .account(account: "uid.t1", realm: "t1"), .accessToken("mine", account: "uid.t1", realm: "t1"),
            .account(account: "x.t2", realm: "t2"), .accessToken("theirs", client: "client-b", account: "x.t2"),
        ])
        let cache = try group.cache()
        #expect(try cache.token(for: Self.query()).summary() == "valid mine")
        group.clock.advance(by: 100_000)
        #expect(try cache.token(for: Self.query()).summary() == "interaction tokensExpired")
        #expect(try group.cache().token(for: Self.query()).summary() == "interaction tokensExpired")
    }
}
