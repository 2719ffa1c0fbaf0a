// SPDX-License-Identifier: Apache-2.0

import RecordStorage
import Testing
import UnifiedSchema

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Accounts that have a username alone")
struct UsernameAccountTests {
    let group: TestGroup
    let cache: TokenCache

    init() throws {
        group = try TestGroup()
        cache = try group.cache()
    }

    /// A refresh token that lies where entries with a username and no home account id do.
    private func token(_ secret: String, client: String = TestGroup.client) -> TestEntry {
        TestEntry.refreshToken(secret, client: client, account: nil).with("username", "Ann@contoso.com")
    }

    @Test("are signed out of by their id", arguments: [true, false])
    func signOut(byValue: Bool) throws {
        try group.put(.account(account: nil), token("mine"), token("other's", client: "other"))
        let account = try #require(try cache.accounts().first)
        #expect(account.id == "ann@contoso.com")
        if byValue { try cache.signOut(account) } else { try cache.signOut(accountID: "ANN@contoso.com") }
        #expect(try group.secrets() == ["other's"])
        #expect(try cache.accounts().isEmpty)
        let query = TokenQuery(username: "ann@contoso.com", scopes: ["a"])
        #expect(try cache.token(for: query).summary() == "interaction signedOut")
        #expect(try group.cache(client: "other").accounts().count == 1)
    }

    @Test("are found by their id, unless the username is that of an account with a home account id")
    func found() throws {
        try group.put(.account(account: nil), token("mine"))
        let filter = AccountFilter(id: "ANN@contoso.com")
        #expect(try cache.accounts(matching: filter).map(\.hasHomeAccountID) == [false])
        try group.put(.account())
        #expect(try cache.accounts(matching: filter).isEmpty)
        #expect(try cache.accounts().map(\.id) == [TestGroup.accountID])
    }

    @Test("are wiped by their id")
    func wipe() throws {
        try group.put(.account(account: nil), token("mine"), token("other's", client: "other"))
        try cache.wipe(accountID: "ann@contoso.com")
        #expect(try group.entries().isEmpty)
        #expect(try cache.lastWipe(accountID: "ann@contoso.com")?.clientID == "client-a")
    }

    @Test("count to the account that has the username, whichever way it is listed")
    func merged() throws {
        try group.put(.account(), .account(account: nil, realm: "old tenant", local: "o"), token("old"))
        for filter in [
            AccountFilter.signedIn, .all, AccountFilter(id: "uid.utid"),
            AccountFilter(username: "ann@contoso.com"), AccountFilter(localAccountID: "O", tenant: "OLD tenant"),
        ] {
            let accounts = try cache.accounts(matching: filter)
            #expect(accounts.map(\.id) == ["uid.utid"])
            #expect(accounts.first?.isSignedIn == true)
            #expect(accounts.first?.tenantProfiles.map(\.tenant) == ["utid", "old tenant"])
            #expect(accounts.first?.tenantProfiles.map(\.isHome) == [true, false])
        }
    }

    @Test("go with the account that has the username", arguments: [true, false])
    func signOutOfMerged(isWipe: Bool) throws {
        try group.put(.account(), .account(account: nil), .refreshToken("new"), token("old"))
        if isWipe { try cache.wipe(accountID: "uid.utid") } else { try cache.signOut(accountID: "uid.utid") }
        #expect(try group.secrets().isEmpty)
        #expect(try cache.accounts().isEmpty)
        #expect(try group.entries().count == (isWipe ? 0 : 2))
    }

    @Test("stay hidden behind an account that was signed out")
    func hidden() throws {
        try group.put(.account())
        try cache.signOut(accountID: "uid.utid")
        try group.put(.account(account: nil), token("old"))
        #expect(try cache.accounts().isEmpty)
        #expect(try cache.accounts(matching: .all).map(\.isSignedIn) == [false])
    }

    @Test("an unknown id leaves a tombstone for renewals, and a blank one is refused")
    func unknown() throws {
        try cache.signOut(accountID: "x.y")
        try group.put(.account(account: "x.y"), .accessToken(account: "x.y"))
        #expect(try cache.accounts().isEmpty)
        for operation in [cache.signOut(accountID:), cache.wipe(accountID:)]
            as [(Account.ID) throws(TokenCacheError) -> Void]
        {
            let error = #expect(throws: TokenCacheError.self) { try operation("  ") }
            #expect(error?.code == .invalidRequest)
        }
    }
}
