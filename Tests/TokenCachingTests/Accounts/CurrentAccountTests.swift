// SPDX-License-Identifier: Apache-2.0

import RecordStorage
import Testing
import UnifiedSchema

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("The account that an application works with")
struct CurrentAccountTests {
    let group: TestGroup
    let cache: TokenCache

    init() throws {
        group = try TestGroup()
        cache = try group.cache()
    }

    private func ids() throws -> [String?] {
        let account = try cache.currentAccount()
        return [account.current?.id.text, account.previous?.id.text, account.didChange ? "changed" : nil]
    }

    @Test("is returned with the previous one, and whether it changed")
    func sequence() throws {
        #expect(try ids() == [nil, nil, nil])
        try TestResponse.signIn().save(in: cache)
        #expect(try ids() == ["uid.utid", nil, "changed"])
        #expect(try ids() == ["uid.utid", "uid.utid", nil])
        try cache.signOut(accountID: "uid.utid")
        try TestResponse.signIn(clientInfo: ["uid": "x", "utid": "y"]).save(in: cache)
        #expect(try ids() == ["x.y", "uid.utid", "changed"])
        #expect(try ids() == ["x.y", "x.y", nil])
    }

    @Test("is still known as the one before when it was signed out")
    func gone() throws {
        try TestResponse.signIn().save(in: cache)
        _ = try cache.currentAccount()
        try cache.signOut(accountID: "uid.utid")
        let account = try cache.currentAccount()
        #expect(account.current == nil)
        #expect(account.previous?.username == "Ann@Contoso.com")
        #expect(account.previous?.tenantProfiles.count == 1)
        #expect(try ids() == [nil, nil, nil])
    }

    @Test("is forgotten with all of the account")
    func wiped() throws {
        try TestResponse.signIn().save(in: cache)
        _ = try cache.currentAccount()
        try group.cache(client: "other").wipe(accountID: "UID.utid")
        #expect(try ids() == [nil, nil, nil])
    }

    @Test("is each client's own")
    func perClient() throws {
        try TestResponse.signIn().save(in: cache)
        _ = try cache.currentAccount()
        #expect(try group.cache(client: "other").currentAccount().previous == nil)
    }

    @Test("is refused where there are several")
    func several() throws {
        try TestResponse.signIn().save(in: cache)
        try TestResponse.signIn(clientInfo: ["uid": "x", "utid": "y"]).save(in: cache)
        let error = #expect(throws: TokenCacheError.self) { try cache.currentAccount() }
        #expect(error?.code == .severalAccounts)
        #expect(error?.detail == "2 accounts are signed in, which differ in home account id")
    }

    @Test("begins with the principal account of MSAL for ObjC, and is noted there too")
    func principal() throws {
        try group.put(
            TestEntry(
                .accountMetadata,
                [
                    ("client_id", "Client-A"), ("principal_home_account_id", "p.q"), ("principal_username", "paul"),
                    ("principal_account_environment", "login.windows.net"),
                ]
            )
        )
        try TestResponse.signIn().save(in: cache)
        let account = try cache.currentAccount()
        #expect(account.didChange)
        #expect(account.previous?.id == "p.q")
        #expect(account.previous?.username == "paul")
        let entry = try #require(try group.entries().first { $0.facts.kind == .accountMetadata })
        #expect(entry.facts.text(.principalHomeAccountID) == "uid.utid")
        #expect(entry.facts.text(.principalUsername) == "Ann@Contoso.com")
    }

    @Test("is reported anew each time if nothing can be written")
    func readOnly() throws {
        try TestResponse.signIn().save(in: cache)
        let store = MemoryStore(group.backing, readOnlyReason: StorageError(.readOnly))
        let reader = try group.cache(store: store)
        for _ in 1...2 { #expect(try reader.currentAccount().didChange) }
    }

    @Test("is described without any identity")
    func description() throws {
        try TestResponse.signIn().save(in: cache)
        let account = try cache.currentAccount()
        #expect(account.description == "CurrentAccount(one, changed)")
        #expect(account.customMirror.children.isEmpty)
    }
}
