// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Accounts are listed")
struct AccountListTests {
    let group: TestGroup
    let cache: TokenCache

    init() throws {
        group = try TestGroup()
        cache = try group.cache()
    }

    private func ids(_ filter: AccountFilter = .signedIn) throws -> [String] {
        try cache.accounts(matching: filter).map(\.id.text)
    }

    /// What is stored beside the account's entry, and whether that makes it signed in.
    static let evidence: [(String, [TestEntry], Bool)] = [
        ("nothing", [], false),
        ("own refresh token", [.refreshToken()], true),
        ("another client's refresh token", [.refreshToken(client: "other")], false),
        ("family's refresh token, nothing known", [.refreshToken(client: "other", family: "1")], true),
        (
            "family's refresh token, client in no family",
            [.refreshToken(client: "other", family: "1"), .appMetadata(family: "")], false
        ),
        (
            "family's refresh token, client of it",
            [.refreshToken(client: "other", family: "7"), .appMetadata(family: "7")], true
        ),
        ("live access token", [.accessToken()], true),
        ("ended access token", [.accessToken(expiresOn: TestEntry.start)], false),
        ("another client's access token", [.accessToken(client: "other")], false),
        ("id token", [.idToken()], false),
    ]

    @Test("entries that make an account signed in", arguments: 0..<evidence.count)
    func signedIn(index: Int) throws {
        let (rule, entries, isSignedIn) = Self.evidence[index]
        try group.put([.account()] + entries)
        #expect(try ids() == (isSignedIn ? ["uid.utid"] : []), Comment(rawValue: rule))
        let all = try cache.accounts(matching: .all)
        #expect(all.map(\.id) == ["uid.utid"])
        #expect(all[0].isSignedIn == isSignedIn)
    }

    @Test("one account for each home account id, with a profile for each tenant and cloud, home first")
    func profiles() throws {
        try group.put(
            .account("guest", realm: "guest", local: "g"),
            .account("ann", local: "h"),
            .account("gov", environment: "login.microsoftonline.us", realm: "x", local: "u"),
            .refreshToken()
        )
        let accounts = try cache.accounts()
        #expect(accounts.count == 1)
        #expect(accounts[0].username == "ann")
        #expect(accounts[0].tenantProfiles.first?.tenant == "utid")
        #expect(Set(accounts[0].tenantProfiles.map(\.username)) == ["ann", "guest", "gov"])
        #expect(accounts[0].tenantProfiles.map(\.isHome) == [true, false, false])
    }

    @Test(
        "one entry with a profile for each tenant, as MSAL.js writes it, shows them all, and none for a word",
        arguments: [false, true]
    )
    func profilesInOneEntry(areObjects: Bool) throws {
        let profiles = [
            #"{"tenantId":"utid","localAccountId":"h","isHomeTenant":true}"#,
            #"{"tenantId":"guest","localAccountId":"g","name":"Guest","isHomeTenant":false}"#,
            #"{"tenantId":"organizations","localAccountId":"h"}"#,
        ]
        let json = "[" + profiles.map { areObjects ? $0 : TestEntry.quoted($0) }.joined(separator: ",") + "]"
        try group.put(TestEntry.account().with("tenantProfiles", json: json), .refreshToken())
        let account = try #require(try cache.accounts().first)
        #expect(account.tenantProfiles.map(\.tenant) == ["utid", "guest"])
        #expect(account.tenantProfiles.map(\.localAccountID) == ["uid", "g"])
    }

    @Test("a profile has the fields of the account's entry")
    func names() throws {
        try group.put(
            TestEntry.account().with("name", "Ann Lee").with("given_name", "Ann").with("family_name", "Lee")
                .with("middle_name", "B")
        )
        let profile = try #require(try cache.accounts(matching: .all).first?.tenantProfiles.first)
        #expect(profile.name == "Ann Lee" && profile.givenName == "Ann" && profile.familyName == "Lee")
        #expect(profile.middleName == "B")
    }

    @Test("several entries of one tenant make one profile: the newest takes precedence")
    func newestProfile() throws {
        try group.put(TestEntry.account("old").under("1"), .refreshToken())
        try group.put(TestEntry.account("new").under("2"))
        #expect(try cache.accounts().first?.tenantProfiles.map(\.username) == ["new"])
    }

    @Test("members missing in the newest entry of a tenant come from older ones")
    func filledProfile() throws {
        let old = TestEntry.account("old").with("name", "Old").with("given_name", "Ann").under("1")
        try group.put(old, .refreshToken())
        try group.put(TestEntry.account("").with("name", "New").with("local_account_id", nil).under("2"))
        let account = try #require(try cache.accounts(matching: AccountFilter(username: "OLD")).first)
        let profile = try #require(account.tenantProfiles.first)
        #expect(account.tenantProfiles.count == 1)
        #expect(account.username == "old")
        #expect([profile.name, profile.givenName, profile.localAccountID] == ["New", "Ann", "uid"])
    }

    static let filters: [(AccountFilter, [String])] = [
        (AccountFilter(id: "UID.UTID"), ["uid.utid"]),
        (AccountFilter(id: "nobody"), []),
        (AccountFilter(username: "ANN@contoso.com"), ["uid.utid"]),
        (AccountFilter(username: "bob@contoso.com"), ["x.y"]),
        (AccountFilter(username: "ann"), []),
        (AccountFilter(localAccountID: "UID"), ["uid.utid"]),
        (AccountFilter(tenant: "Y"), ["x.y"]),
        (AccountFilter(localAccountID: "b", tenant: "y"), ["x.y"]),
        (AccountFilter(localAccountID: "b", tenant: "utid"), []),
        (AccountFilter(id: "x.y", username: "ann@contoso.com"), []),
        (AccountFilter(id: "uid.utid", username: "Ann@contoso.com", localAccountID: "uid"), ["uid.utid"]),
        (AccountFilter(), ["uid.utid", "x.y"]),
    ]

    @Test("filters must all fit, whatever the case", arguments: 0..<filters.count)
    func filter(index: Int) throws {
        try group.put(
            .account(),
            .refreshToken(),
            .account("bob@contoso.com", account: "x.y", realm: "y", local: "b"),
            .refreshToken(account: "x.y")
        )
        #expect(try ids(Self.filters[index].0) == Self.filters[index].1)
    }

    @Test("a list that was read once sees changes by others")
    func changes() throws {
        #expect(try ids().isEmpty)
        try group.put(.account(), .refreshToken())
        #expect(try ids() == ["uid.utid"])
        try group.put(.account("bob", account: "a.b", realm: "b"), .refreshToken(account: "a.b"))
        #expect(try ids() == ["a.b", "uid.utid"])
        try group.cache().clearAll()
        #expect(try ids().isEmpty)
    }

    @Test("a list sees the cache's own changes")
    func ownChanges() throws {
        #expect(try ids().isEmpty)
        try TestResponse.signIn().save(in: cache)
        #expect(try ids() == ["uid.utid"])
    }

    @Test("an account without a home account id is known by its username")
    func usernameOnly() throws {
        try group.put(.account("ann@corp", account: nil))
        let account = try #require(try cache.accounts(matching: .all).first)
        #expect(account.id == "ann@corp")
        #expect(!account.hasHomeAccountID)
        #expect(try ids(AccountFilter(username: "ANN@corp", includesSignedOut: true)) == ["ann@corp"])
    }

    @Test("values of an account that was signed out in between are not equal")
    func equality() throws {
        try group.put(.account(), .refreshToken())
        let before = try #require(try cache.accounts(matching: .all).first)
        #expect(try cache.accounts(matching: .all) == [before])
        try cache.signOut(before)
        let after = try #require(try cache.accounts(matching: .all).first)
        #expect(after.id == before.id && after != before)
    }

    @Test("a query by username finds the account's tokens")
    func queryByUsername() throws {
        try group.put(.account(), .accessToken())
        let query = TokenQuery(username: "Ann@Contoso.com", scopes: ["user.read"])
        #expect(try cache.token(for: query).summary() == "valid at")
    }

    @Test("a query by a username that several accounts have asks for a choice")
    func ambiguousUsername() throws {
        try group.put(.account(), .accessToken(), .account(account: "x.y", realm: "y"), .accessToken(account: "x.y"))
        let query = TokenQuery(username: "ann@contoso.com", scopes: ["user.read"])
        #expect(try cache.token(for: query).summary() == "interaction severalAccounts")
        let other = try #require(try cache.accounts().first { $0.id == "x.y" })
        try cache.signOut(other)
        #expect(try cache.token(for: query).summary() == "valid at")
    }

    @Test("a username of one account with an id and of one without asks for no choice, signed in or not")
    func usernameWithoutID() throws {
        try group.put(.account(), .account(account: nil, realm: "other"))
        let query = TokenQuery(username: "ann@contoso.com", scopes: ["user.read"])
        #expect(try cache.token(for: query).summary() == "interaction refreshTokenMissing")
        try group.put(.accessToken())
        #expect(try cache.token(for: query).summary() == "valid at")
    }

    @Test("a query by a username that another account gets later sees it")
    func usernameAppears() throws {
        try group.put(.account(), .accessToken())
        let query = TokenQuery(username: "ann@contoso.com", scopes: ["user.read"])
        #expect(try cache.token(for: query).summary() == "valid at")
        try group.put(.account(account: "x.y", realm: "y"), .refreshToken(account: "x.y"))
        #expect(try cache.token(for: query).summary() == "interaction severalAccounts")
    }

    @Test("a query by an unknown username says so")
    func unknownUsername() throws {
        let query = TokenQuery(username: "nobody", scopes: ["user.read"])
        #expect(try cache.token(for: query).summary() == "interaction accountUnknown")
    }
}
