// SPDX-License-Identifier: Apache-2.0

import Testing
import UnifiedSchema

@testable import TokenCaching
@testable import TokenCachingTestSupport

/// What the SDKs' own tests ask of lists of accounts and of sign-out.
@Suite("Accounts and sign-out behave as in the SDKs")
struct AccountBehaviourTests {
    let group: TestGroup
    let cache: TokenCache

    init() throws {
        group = try TestGroup()
        cache = try group.cache()
    }

    private func account(_ filter: AccountFilter = .all) throws -> Account {
        try #require(try cache.accounts(matching: filter).first)
    }

    @Test("an account under two hosts of one cloud is one account with one profile for the tenant")
    func aliases() throws {
        try group.put(
            TestEntry.account("old@contoso.com", environment: "login.microsoftonline.com").under("1"),
            .refreshToken()
        )
        try group.put(TestEntry.account("new@contoso.com", environment: "sts.windows.net").under("2"))
        let accounts = try cache.accounts()
        #expect(accounts.map(\.username) == ["new@contoso.com"])
        #expect(accounts.first?.tenantProfiles.count == 1)
    }

    @Test("an account under two hosts of no known cloud is one account with two profiles")
    func strangers() throws {
        // The Objective-C library lists two accounts where it knows no aliases. We group by home account id: the id says
        // that it is one person.
        try group.put(.account(environment: "one.example"), .account(environment: "two.example"), .refreshToken())
        #expect(try cache.accounts().map(\.tenantProfiles.count) == [2])
    }

    @Test("an account that is signed in by its state alone is listed")
    func signedInByState() throws {
        try TestResponse.signIn(refreshToken: nil).save(in: cache)
        group.clock.advance(by: 100_000)
        #expect(try account(.signedIn).isSignedIn)
    }

    @Test("a refresh token that stays does not make a signed-out account signed in")
    func signedOutBeforeRefreshToken() throws {
        try group.put(
            .account(),
            .refreshToken("family", client: "other", family: "1"),
            .appMetadata(client: "other", family: "1"),
            .accessToken(client: "other")
        )
        try cache.signOut(try account(.signedIn))
        #expect(try cache.accounts().isEmpty)
        #expect(try group.entries().compactMap(\.token).contains("family"))
    }

    @Test("an account is found by any of its profiles, and comes with all of them")
    func anyProfile() throws {
        try group.put(
            .account("ann@contoso.com", local: "h"),
            .account("ann_guest@fabrikam.com", realm: "guest", local: "g"),
            .refreshToken()
        )
        for filter in [
            AccountFilter(username: "ANN_guest@fabrikam.com"), AccountFilter(localAccountID: "G"),
            AccountFilter(id: "uid.utid", username: "ann@contoso.com"),
        ] {
            #expect(try cache.accounts(matching: filter).map(\.tenantProfiles.count) == [2])
        }
        #expect(try cache.accounts(matching: AccountFilter(username: "ann@contoso.com", localAccountID: "x")).isEmpty)
    }

    @Test("an account without a username is listed, and an empty name finds no account", arguments: [nil, "", " "])
    func noUsername(name: String?) throws {
        try group.put(TestEntry.account().with("username", name), .refreshToken())
        #expect(try cache.accounts().map(\.id) == ["uid.utid"])
        #expect(try cache.accounts(matching: AccountFilter(username: "ann@contoso.com")).isEmpty)
        for nobody in ["", " "] { #expect(try cache.accounts(matching: AccountFilter(username: nobody)).isEmpty) }
    }

    @Test("signing out of an account without an id is refused and removes nothing", arguments: ["", " "])
    func signOutOfNobody(id: String) throws {
        // Tokens of the application itself are of no account either.
        try group.put(.accessToken("app", account: nil), .accessToken(), .refreshToken(), .account())
        for remove in [cache.signOut(accountID:), cache.wipe(accountID:)]
            as [(Account.ID) throws(TokenCacheError) -> Void]
        {
            let error = #expect(throws: TokenCacheError.self) { try remove(Account.ID(id)) }
            #expect(error?.code == .invalidRequest)
        }
        #expect(try group.entries().count == 4)
    }

    @Test("the last member of a family that signs out leaves no token; the account's entry stays")
    func lastOfFamily() throws {
        // MSAL for Python removes the account's entry as well. Here it is what other applications list.
        try TestResponse.signIn(family: "1").save(in: cache)
        try cache.signOut(try account())
        #expect(try group.entries().filter { $0.fields.kind.isCredential }.isEmpty)
        #expect(try group.entries().contains { $0.fields.kind == .account })
    }

    @Test("app metadata outlives every sign-out")
    func appMetadataStays() throws {
        try TestResponse.signIn(family: "1").save(in: cache)
        let person = try account()
        try cache.signOut(person)
        try cache.wipe(person)
        #expect(try group.entries().filter { $0.fields.kind == .appMetadata }.compactMap(\.fields.familyID) == ["1"])
    }

    @Test("signing out takes this client's family token along only where no other member needs it")
    func familyTokenOfOwn() throws {
        // The Objective-C library goes by the client id in the entry, and MSAL for Go removes any family token.
        try TestResponse.signIn(refreshToken: "first", family: "1").save(in: cache)
        let other = try group.cache(client: "client-b")
        try TestResponse.signIn(accessToken: "b", refreshToken: "shared", family: "1").save(in: other)
        try other.signOut(try account())
        #expect(try cache.token(for: MatchingCase.query("Mail.Read")).summary() == "renew shared")
    }
}
