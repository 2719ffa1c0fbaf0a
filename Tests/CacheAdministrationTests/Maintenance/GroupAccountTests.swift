// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("The accounts of a group")
struct GroupAccountTests {
    private func accounts(_ group: CacheGroup, named name: String? = nil, of client: String? = nil) throws
        -> [GroupAccount]
    {
        var accounts: [GroupAccount] = []
        try group.forEachAccount(named: name, of: client) { (account) throws(TokenCacheError) in
            accounts.append(account)
        }
        return accounts.sorted { $0.account.precedes($1.account) }
    }

    /// Accounts with tokens of several apps, of a family, under a username alone, of ADAL, and signed out.
    private func group() throws -> TestGroup {
        let group = try TestGroup()
        let time = ["expires_on": "\(WallClock.system.now().secondsSince1970 + 3_600)"]
        try group.put(
            .appMetadata(client: "member", family: "1"),
            .appMetadata(client: "c", family: "1"),
            // Two apps, one with an access token alone.
            .account("one@x", account: "one.t"),
            .refreshToken(client: "a", account: "one.t"),
            TestEntry.accessToken(client: "b", account: "one.t").with("expires_on", time["expires_on"] ?? ""),
            .accessToken(client: "expired", account: "one.t").with("expires_on", "1"),
            // A token that a family shares.
            .account("two@x", account: "two.t"),
            .refreshToken(client: "c", account: "two.t", family: "1"),
            // Nothing.
            .account("three@x", account: "three.t"),
            // Two tenants.
            .account("four@x", account: "four.t"),
            .account("guest@x", account: "four.t", realm: "other", local: "g"),
            .refreshToken(client: "loner", account: "four.t"),
            // Under usernames, one of which is that of an account.
            TestEntry.account("one@x", account: nil, realm: "old"),
            TestEntry.refreshToken("old", client: "old", account: nil).with("username", "One@x"),
            TestEntry.account("five@x", account: nil),
            TestEntry.refreshToken("five", client: "old", account: nil).with("username", "five@x"),
            .account("six@x", account: "six.t"),
            .refreshToken(client: "a", account: "six.t")
        )
        // Not in a family: an app of which the group does not know that may try the token of a family.
        try group.put(["a", "adal", "b", "expired", "loner", "old"].map { .appMetadata(client: $0, family: "") })
        try group.takeLegacy(
            LegacyCache.item(user: "six@x", client: "adal"),
            LegacyCache.item(user: "seven@x", client: "adal")
        )
        let cache = try group.cache(client: "a")
        try cache.signOut(accountID: "six.t")
        return group
    }

    private static let clients = ["a", "adal", "b", "c", "expired", "loner", "member", "old"]

    @Test("are those that each application lists, with the applications that are signed in to them")
    func sameAsTheApplications() throws {
        let group = try group().whole
        var expected: [Account.ID: Set<String>] = [:]
        for client in Self.clients {
            for account in try group.tokenCache(clientID: client).accounts(matching: .all) {
                expected[account.id, default: []].formUnion(account.isSignedIn ? [client] : [])
            }
        }
        let found = try accounts(group)
        #expect(found.map(\.account.id).count == Set(found.map(\.account.id)).count)
        for account in found {
            #expect(Set(account.signedInClients) == expected[account.account.id], "\(account.account.id)")
            #expect(account.account.isSignedIn == !account.signedInClients.isEmpty)
            #expect(account.signedInClients == account.signedInClients.sorted())
        }
        #expect(Set(found.map(\.account.id)) == Set(expected.keys))
        // The comparison proves something only if there is something to compare.
        #expect(expected["one.t"] == ["a", "b", "old"] && expected["two.t"]?.contains("member") == true)
        #expect(expected["three.t"] == [] && expected["seven@x"] == ["adal"] && expected.count == 7)
    }

    @Test("are not those of an application that could only try a family's token")
    func unknownMember() throws {
        let group = try TestGroup()
        try group.put(
            .account("two@x", account: "two.t"),
            .refreshToken(client: "c", account: "two.t", family: "1"),
            .refreshToken(client: "unknown", account: "other.t")
        )
        #expect(try accounts(group.whole).map(\.signedInClients) == [["c"]])
    }

    @Test("of one application are those that it lists", arguments: clients)
    func ofOne(client: String) throws {
        let group = try group().whole
        let listed = try group.tokenCache(clientID: client).accounts(matching: .all)
        #expect(try accounts(group, of: client).map(\.account) == listed)
    }

    @Test("are found by home account id, username and handle", arguments: ["ONE.t", "One@x"])
    func named(name: String) throws {
        let group = try group().whole
        #expect(try accounts(group, named: name).map(\.account.id) == ["one.t"])
        var handle: String?
        try group.forEachEntry(matching: EntryFilter(account: name)) { (entry) throws(TokenCacheError) in
            // The username is also that of entries without an account.
            if entry.accountID?.text == "one.t" { handle = entry.accountHandle?.description }
        }
        let whole = try #require(handle)
        #expect(try accounts(group, named: whole).map(\.account.id) == ["one.t"])
        #expect(try accounts(group, named: "nobody@x").isEmpty)
    }

    @Test("end with the error of the closure")
    func error() throws {
        let group = try group().whole
        var count = 0
        #expect(throws: TokenCacheError.self) {
            try group.forEachAccount { (_) throws(TokenCacheError) in
                count += 1
                throw TokenCacheError(.cancelled)
            }
        }
        #expect(count == 1)
    }

    @Test("of an open group are the newest")
    func newest() throws {
        let group = try group()
        let whole = group.whole
        let before = try accounts(whole).count
        try group.put(.account("new@x", account: "new.t"))
        #expect(try accounts(whole).count == before + 1)
    }
}
