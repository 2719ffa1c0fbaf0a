// SPDX-License-Identifier: Apache-2.0

import Testing
import UnifiedSchema

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Whose a token without a home account id is, in lists and removals")
struct ApplicationTokenTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let entries: [TestEntry]
        let isApplicationToken: Bool
        var testDescription: String { name }

        init(_ name: String, _ entries: [TestEntry], isApplicationToken: Bool) {
            self.name = name
            self.entries = entries
            self.isApplicationToken = isApplicationToken
        }
    }

    /// The token in question, whose secret is "it".
    private static func token(_ scopes: String, client: String = TestGroup.client, realm: String = "utid") -> TestEntry
    {
        .accessToken("it", scopes: scopes, client: client, account: nil, realm: realm)
    }

    private static let accountWithoutUsername = TestEntry(
        .account,
        [
            ("environment", "login.windows.net"), ("realm", "utid"), ("client_id", TestGroup.client),
            ("local_account_id", "local"), ("authority_type", "MSSTS"),
        ]
    )

    static let cases: [Case] = [
        Case(
            "an application's beside what a person has of it",
            [token("user.read"), .account(), .refreshToken(), .accessToken("person's")],
            isApplicationToken: true
        ),
        Case("client credentials with what Keycloak grants", [token("api profile email")], isApplicationToken: true),
        Case(
            "a managed identity's",
            [token("https://vault.azure.net", client: "SYSTEM_ASSIGNED_MANAGED_IDENTITY", realm: "managed_identity")],
            isApplicationToken: true
        ),
        Case(
            "one obtained on behalf of a user",
            [token("user.read").with("user_assertion_hash", "h")],
            isApplicationToken: false
        ),
        Case("a person's who was identified", [token("user.read openid")], isApplicationToken: false),
        Case(
            "a person's beside a refresh token of another partition",
            [token("user.read"), .refreshToken(account: nil, environment: "login.windows.net")],
            isApplicationToken: false
        ),
        Case(
            "a person's beside an account without an id",
            [token("user.read"), .account(account: nil)],
            isApplicationToken: false
        ),
        Case(
            "an application's beside an account without an id in another cloud",
            [token("user.read"), .account(account: nil, environment: "login.microsoftonline.us")],
            isApplicationToken: true
        ),
        Case(
            "an application's by its own member, beside an account without id and username",
            [token("user.read openid").with("application_token", json: "true"), accountWithoutUsername],
            isApplicationToken: true
        ),
        Case(
            "an application's beside a blank refresh token",
            [token("user.read"), .refreshToken(" ", account: nil)],
            isApplicationToken: true
        ),
    ]

    private func entries(_ group: TestGroup, _ filter: EntryFilter = EntryFilter()) throws -> [EntrySummary] {
        var entries: [EntrySummary] = []
        try group.whole.forEachEntry(matching: filter) { (entry) throws(TokenCacheError) in entries.append(entry) }
        return entries
    }

    @Test(
        "a list shows a token without an account id as a person's or an application's, as lookups decide",
        arguments: cases
    )
    func list(_ rule: Case) throws {
        let group = try TestGroup()
        try group.put(rule.entries)
        let entry = try #require(try entries(group).first { $0.kind == .accessToken && $0.accountID == nil })
        #expect(entry.isApplicationToken == rule.isApplicationToken)
        #expect(entry.username == nil)
        let query = TokenQuery(applicationScopes: [entry.scopes[0]], tenant: entry.tenant ?? "")
        let answer = try group.cache(client: entry.clientID ?? "").token(for: query).summary()
        #expect(answer == (rule.isApplicationToken ? "valid it" : "interaction applicationTokenMissing"))
        #expect(try entries(group).count { $0.isApplicationToken } == (rule.isApplicationToken ? 1 : 0))
    }

    @Test("an application's token is not listed as an account's, and stays if that is cleared", arguments: cases)
    func clear(_ rule: Case) throws {
        let group = try TestGroup()
        try group.put(rule.entries)
        let handles = Set(try entries(group).compactMap(\.accountHandle?.description))
        for account in handles {
            #expect(try entries(group, EntryFilter(account: account)).allSatisfy { !$0.isApplicationToken })
            let plan = try group.whole.clear(matching: EntryFilter(account: account), isDryRun: true)
            #expect(try group.whole.clear(matching: EntryFilter(account: account)) == plan)
            #expect(plan.accountCount == 1)
        }
        #expect(try entries(group).count { $0.isApplicationToken } == (rule.isApplicationToken ? 1 : 0))
    }

    @Test("clearing an account without an id takes the tokens of every client that name no account, in its cloud")
    func unnamed() throws {
        let group = try TestGroup()
        try group.put([
            .account(account: nil), .refreshToken("a", account: nil),
            .refreshToken("b", client: "client-b", account: nil),
            Self.token("user.read", client: "client-c", realm: "another"),
            Self.token("mail.read").with("application_token", json: "true").with("secret", "own"),
            .refreshToken("other cloud", account: nil, environment: "login.microsoftonline.us"),
            .refreshToken("other account"),
        ])
        let filter = EntryFilter(account: "ann@contoso.com")
        #expect(try entries(group, filter).count == 4)
        #expect(try group.whole.clear(matching: filter, isDryRun: true).entryCount == 4)
        #expect(try group.whole.clear(matching: filter).entryCount == 4)
        #expect(Set(try group.secrets { $0.isCredential }) == ["own", "other cloud", "other account"])
    }

    @Test(
        "a token that is a person's because of another entry goes with the last such entry",
        arguments: [
            EntryFilter(kinds: [.refreshToken, .account, .idToken]), EntryFilter(kinds: [.refreshToken, .account]),
            EntryFilter(kinds: [.refreshToken]),
        ]
    )
    func witnesses(filter: EntryFilter) throws {
        let group = try TestGroup()
        let isLast = filter.kinds?.contains(.idToken) == true
        try group.put([
            .refreshToken("rt", account: nil), .account(account: nil), .idToken(account: nil),
            Self.token("user.read").with("secret", "person's"),
            Self.token("mail.read", client: "client-b").with("secret", "of another client"),
            Self.token("files.read").with("application_token", json: "true").with("secret", "own"),
            Self.token("calendars.read").with("environment", "login.microsoftonline.us").with("secret", "other cloud"),
        ])
        let plan = try group.whole.clear(matching: filter, isDryRun: true)
        #expect(try group.whole.clear(matching: filter) == plan)
        // The account shows that those of other clients may be a person's too.
        let isAccountRemoved = filter.kinds?.contains(.account) == true
        let gone = (isLast ? ["person's"] : []) + (isAccountRemoved ? ["of another client"] : [])
        let left = Set(["person's", "of another client", "own", "other cloud"]).subtracting(gone)
        #expect(Set(try group.secrets { $0.isAccessToken }) == left)
        #expect(plan.entryCounts[.accessToken] ?? 0 == gone.count)
        let query = TokenQuery(applicationScopes: ["user.read"], tenant: "utid")
        #expect(try group.cache().token(for: query).summary() == "interaction applicationTokenMissing")
    }

    @Test(
        "clearing an account with an id takes the tokens of its part that has only a username",
        arguments: [
            [TestEntry.account(), .account(account: nil)], [.account(account: nil), .account()],
            [.account(), .refreshToken("by name", account: nil).with("username", "ann@contoso.com")],
        ]
    )
    func part(entries: [TestEntry]) throws {
        let group = try TestGroup()
        try group.put(entries + [Self.token("user.read"), .refreshToken()])
        let filter = EntryFilter(account: TestGroup.account)
        #expect(try group.whole.clear(matching: filter, isDryRun: true) == group.whole.clear(matching: filter))
        #expect(try group.entries().isEmpty)
    }

    @Test("an account without an id is found by its username, and no other account with it")
    func accounts() throws {
        let group = try TestGroup()
        try group.put([.account(account: nil), .account("bob@contoso.com", account: "bob.utid")])
        var names: [String?] = []
        try group.whole.forEachAccount(named: "ann@contoso.com") { (account) throws(TokenCacheError) in
            names.append(account.account.username)
        }
        #expect(names == ["ann@contoso.com"])
    }
}
