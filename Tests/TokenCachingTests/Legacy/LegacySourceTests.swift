// SPDX-License-Identifier: Apache-2.0

import Testing
import UnifiedSchema

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

private let miss = "interaction refreshTokenMissing"

/// What stands in the group and in a cache of ADAL, and what a query by the account's id gets out of both.
struct LegacyCase: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let stored: [TestEntry]
    let items: [String]
    let query: TokenQuery
    let expected: String

    init(_ rule: String, _ stored: [TestEntry], _ items: [String], _ expected: String) {
        self.init(rule, stored, items, MatchingCase.query("a"), expected)
    }

    init(_ rule: String, _ stored: [TestEntry], _ items: [String], _ query: TokenQuery, _ expected: String) {
        testDescription = rule
        self.stored = stored
        self.items = items
        self.query = query
        self.expected = expected
    }
}

@Suite("Refresh tokens of ADAL are the last choice")
struct LegacySourceTests {
    private static let account = TestEntry.account()
    private static let item = LegacyCache.item()

    @Test("the token that is redeemed", arguments: rules)
    func rule(rule: LegacyCase) throws {
        let group = try TestGroup()
        try group.put(rule.stored)
        for item in rule.items { try group.takeLegacy(item) }
        let cache = try group.cache()
        #expect(try cache.token(for: rule.query).summary() == rule.expected)
        // Once more, from the query's memory.
        #expect(try cache.token(for: rule.query).summary() == rule.expected)
    }

    static let rules: [LegacyCase] = [
        LegacyCase("that of the account's username", [account], [item], "renew adal-rt"),
        LegacyCase("none of another username", [.account("bea@contoso.com")], [item], miss),
        LegacyCase("an own one goes first", [account, .refreshToken()], [item], "renew rt"),
        LegacyCase(
            "a family's goes first",
            [account, .refreshToken("family", client: "other", family: "1")],
            [item],
            "renew family"
        ),
        LegacyCase(
            "a good access token goes first",
            [account, .accessToken(scopes: "a")],
            [item],
            "valid at"
        ),
        LegacyCase("never an access token of ADAL", [account], [LegacyCache.item(nil)], miss),
        LegacyCase("none of another client", [account], [LegacyCache.item(client: "other")], miss),
        LegacyCase(
            "that of another client in the family",
            [account],
            [LegacyCache.item(client: "other", more: ", \"familyId\": \"1\"")],
            "renew adal-rt"
        ),
        LegacyCase(
            "not where the client is in no family",
            [account, .appMetadata(family: "")],
            [LegacyCache.item(client: "other", more: ", \"familyId\": \"1\"")],
            miss
        ),
        LegacyCase(
            "under an alias of the cloud, whatever the tenant",
            [account],
            [LegacyCache.item(authority: "https://login.windows.net/common")],
            "renew adal-rt"
        ),
        LegacyCase(
            "never of another cloud",
            [account],
            [LegacyCache.item(authority: "https://login.microsoftonline.us/utid")],
            miss
        ),
        LegacyCase(
            "of no known cloud only for its realm",
            [account],
            [LegacyCache.item(authority: "https://fs.contoso.com/adfs")],
            MatchingCase.query("a", tenant: "other", environment: "fs.contoso.com"),
            miss
        ),
        LegacyCase(
            "for one resource not for others",
            [account],
            [LegacyCache.item(isMultiResource: false)],
            MatchingCase.query("https://vault.azure.net/.default"),
            miss
        ),
        LegacyCase(
            "for one resource for its scopes",
            [account],
            [LegacyCache.item(isMultiResource: false)],
            MatchingCase.query("https://Graph.windows.net//.default", "openid"),
            "renew adal-rt"
        ),
        LegacyCase(
            "the newest one",
            [account],
            [
                LegacyCache.item("old", resource: "r1", expiresOn: "2026-11-20 10:00:00"),
                LegacyCache.item("new", resource: "r2", expiresOn: "2026-11-21 10:00:00"),
                LegacyCache.item("older", resource: "r3", expiresOn: "2026-11-19 10:00:00"),
            ],
            "renew new"
        ),
    ]

    @Test("a username is enough where only ADAL knows it")
    func username() throws {
        let group = try TestGroup()
        try group.takeLegacy(Self.item)
        let cache = try group.cache()
        let query = TokenQuery(username: "ANN@contoso.com", scopes: ["a"])
        #expect(try cache.token(for: query).summary() == "renew adal-rt")
        #expect(try group.cache(client: "other").token(for: query).summary() == miss)
    }

    @Test("a query notices imported entries, and their replacements")
    func changes() throws {
        let group = try TestGroup()
        try group.put(Self.account)
        let cache = try group.cache()
        let query = MatchingCase.query("a")
        #expect(try cache.token(for: query).summary() == miss)
        try group.takeLegacy(Self.item)
        #expect(try cache.token(for: query).summary() == "renew adal-rt")
        try group.put(.refreshToken())
        #expect(try cache.token(for: query).summary() == "renew rt")
    }

    @Test("signing out removes the client's items, and restored ones stay unused", arguments: [false, true])
    func signOut(wipes: Bool) throws {
        let group = try TestGroup()
        try group.put(Self.account)
        try group.takeLegacy(Self.item, LegacyCache.item(client: "other"))
        let cache = try group.cache()
        let account = try #require(cache.accounts(matching: AccountFilter(includesSignedOut: true)).first)
        if wipes { try cache.wipe(account) } else { try cache.signOut(account) }
        let left = try group.entries().filter { $0.fields.kind == .legacySingleResourceToken }
        #expect(left.map(\.fields.clientID) == (wipes ? [] : ["other"]))
        try group.takeLegacy(Self.item)
        #expect(try cache.token(for: MatchingCase.query("a")).summary() == "interaction signedOut")
    }

    @Test(
        "clearing an account takes every client's items along, and no other account's",
        arguments: [TestGroup.account, "u2.t"]
    )
    func clearing(account: String) throws {
        let group = try TestGroup()
        try group.put(Self.account, .account("bea@contoso.com", account: "u2.t").under("bea"))
        try group.takeLegacy(Self.item, LegacyCache.item(client: "other"), LegacyCache.item(user: "bea@contoso.com"))
        _ = try group.whole.clear(matching: EntryFilter(account: account))
        let left = try group.entries().filter { $0.fields.kind == .legacySingleResourceToken }
        #expect(left.count == (account == TestGroup.account ? 1 : 2))
    }

    @Test("signing out of an account that only ADAL knows keeps it out")
    func legacySignOut() throws {
        let group = try TestGroup()
        try group.takeLegacy(Self.item)
        let cache = try group.cache()
        try cache.signOut(try #require(cache.accounts().first))
        #expect(try group.entries().isEmpty)
        #expect(try group.takeLegacy(Self.item).counts.signedOut == 1)
        #expect(try cache.accounts().isEmpty)
    }

    // MARK: - Accounts

    @Test("accounts of ADAL are listed by username, signed in where the client has a refresh token")
    func accounts() throws {
        let group = try TestGroup()
        try group.takeLegacy(
            Self.item,
            LegacyCache.item(client: "other", resource: "r2"),
            LegacyCache.item(user: "bea@contoso.com", client: "other"),
            LegacyCache.item(user: nil)
        )
        let cache = try group.cache()
        let account = try #require(cache.accounts().first)
        #expect(try cache.accounts().count == 1)
        #expect(account.username == "Ann@contoso.com")
        #expect(!account.hasHomeAccountID)
        #expect(account.tenantProfiles.map(\.tenant) == ["utid"])
        #expect(account.tenantProfiles.first?.localAccountID == "uid")
        #expect(try cache.accounts(matching: AccountFilter(includesSignedOut: true)).count == 2)
        #expect(try cache.accounts(matching: AccountFilter(username: "ann@contoso.com")) == [account])
    }

    @Test("the unified cache goes over ADAL where both know a username, also where it knows it as signed out")
    func merging() throws {
        let group = try TestGroup()
        try group.put(Self.account, .refreshToken())
        try group.takeLegacy(Self.item)
        let cache = try group.cache()
        let account = try #require(cache.accounts().first)
        #expect(try cache.accounts().map(\.id) == [TestGroup.accountID])
        try cache.signOut(account)
        try group.takeLegacy(Self.item)
        #expect(try cache.accounts().isEmpty)
        #expect(try cache.accounts(matching: AccountFilter(username: "ann@contoso.com")).isEmpty)
    }

    // MARK: - Import and export

    @Test("importing twice changes nothing, and nothing of it is exported")
    func twice() throws {
        let group = try TestGroup()
        #expect(try group.takeLegacy(Self.item, LegacyCache.item(client: "other")).counts.new == 2)
        let again = try group.takeLegacy(Self.item, LegacyCache.item(client: "other"))
        #expect(again.counts.unchanged == 2)
        #expect(!again.hasChanges)
        #expect(try group.whole.give().text == "{}")
        let report = try group.whole.exportEntries(to: .sink { (_) throws(TokenCacheError) in })
        #expect(report.entryCount == 0)
        #expect(report.damagedCount == 0)
    }

    @Test("an older item never takes the place of a newer one", arguments: [("09", true), ("11", false), ("10", true)])
    func age(hour: String, isOlder: Bool) throws {
        let group = try TestGroup()
        try group.takeLegacy(Self.item)
        let other = LegacyCache.item("other-rt", expiresOn: "2026-11-21 \(hour):00:00.000000")
        let report = try group.takeLegacy(other)
        #expect(report.counts.older == (isOlder ? 1 : 0))
        let query = TokenQuery(username: "ann@contoso.com", scopes: ["a"])
        #expect(try group.cache().token(for: query).summary() == (isOlder ? "renew adal-rt" : "renew other-rt"))
    }

    @Test("one bad item keeps everything out, unless bad ones are skipped")
    func bad() throws {
        let group = try TestGroup()
        let document = LegacyCache.document(Self.item, "{\"_clientId\": \"c\"}", "7", Self.item)
        var problems: [ImportProblem] = []
        let error = #expect(throws: TokenCacheError.self) {
            try group.whole.importEntries(
                from: .bytes(document.bytes),
                options: ImportOptions(format: .adal),
                onProblem: { problems.append($0) }
            )
        }
        #expect(error?.code == .malformedDocument)
        #expect(problems.map(\.line) == [4, 5, 6])
        #expect(try group.entries().isEmpty)
        let report = try group.whole.take(document, ImportOptions(format: .adal, skipsBadEntries: true))
        #expect(report.badCount == 3)
        #expect(report.counts.new == 1)
    }

    @Test("one format is not taken for the other")
    func formats() throws {
        let group = try TestGroup()
        for (text, format) in [("{}", ImportFormat.adal), ("[]", .msal)] {
            let error = #expect(throws: TokenCacheError.self) {
                try group.whole.take(Document(text), ImportOptions(format: format))
            }
            #expect(error?.code == .malformedDocument)
        }
        #expect(try group.whole.take(Document("[]"), ImportOptions(format: .adal)).counts.total == 0)
    }
}
