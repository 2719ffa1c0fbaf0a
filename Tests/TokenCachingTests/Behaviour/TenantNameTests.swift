// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupRecords
import RecordStorage
import Testing
import UnifiedSchema

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("A tenant named by another text than its id")
struct TenantNameTests {
    static let hosts = [
        "login.microsoftonline.com", "contoso.b2clogin.com", "contoso.ciamlogin.com", "idp.example.com",
    ]
    private static let name = "Contoso.onmicrosoft.com"

    let group: TestGroup
    let cache: TokenCache

    init() throws {
        group = try TestGroup()
        cache = try group.cache()
    }

    /// Ann's sign-in at a host, asked by a text for the tenant. No `tid`: no id token.
    private func signIn(
        _ secret: String = "at",
        at host: String = hosts[0],
        tid: String? = "t-1",
        tenant: String = name,
        uid: String = "uid"
    ) -> TestResponse {
        TestResponse.signIn(
            accessToken: secret,
            refreshToken: "rt " + secret,
            scope: "User.Read",
            claims: tid.map { ["tid": $0, "oid": "o", "sub": "s"] },
            clientInfo: ["uid": uid, "utid": "utid"]
        ).asked {
            $0.environment = host
            $0.tenant = tenant
        }
    }

    private func summary(_ tenant: String?, at host: String? = hosts[0], account: String = TestGroup.account) throws
        -> String
    {
        try cache.token(for: MatchingCase.query("user.read", account: account, tenant: tenant, environment: host))
            .summary()
    }

    @Test("is found by it and by its id, in any case, at once and by any process", arguments: hosts)
    func found(host: String) throws {
        let other = try group.cache()
        let query = MatchingCase.query("user.read", tenant: Self.name, environment: host)
        #expect(try other.token(for: query).summary() == "interaction accountUnknown")
        try signIn(at: host).save(in: cache)
        for tenant in [Self.name, Self.name.uppercased(), "t-1", "T-1"] {
            #expect(try summary(tenant, at: host) == "valid at")
            #expect(try summary(tenant, at: nil) == "valid at")
        }
        #expect(try summary("fabrikam.onmicrosoft.com", at: host) != "valid at")
        #expect(try other.token(for: query).summary() == "valid at")
    }

    @Test("a response without an id token goes where the last one said", arguments: hosts)
    func withoutIDToken(host: String) throws {
        try signIn(at: host).save(in: cache)
        try signIn("new", at: host, tid: nil).save(in: cache)
        #expect(try summary(Self.name, at: host) == "valid new")
        #expect(try summary("t-1", at: host) == "valid new")
        let stored = try group.entries().filter { $0.fields.kind == .accessToken }
        #expect(stored.map(\.fields.realm) == ["t-1"])
    }

    @Test("before anything is noted, the text itself is the realm; both are found once it is", arguments: hosts)
    func literal(host: String) throws {
        try signIn("literal", at: host, tid: nil).save(in: cache)
        #expect(try summary(Self.name, at: host) == "valid literal")
        #expect(try summary("t-1", at: host) != "valid literal")
        try signIn("told", at: host).with("expires_in", 7200).save(in: cache)
        #expect(try summary(Self.name, at: host) == "valid told")
        #expect(try summary("t-1", at: host) == "valid told")
    }

    @Test("the next id token for the text replaces the note, even if the text itself wrote it")
    func replaced() throws {
        try signIn("one").save(in: cache)
        try signIn("two", tid: "t-2").save(in: cache)
        #expect(try summary(Self.name) == "valid two")
        #expect(try summary("t-1") == "valid one")
        try signIn("three", tid: Self.name).save(in: cache)
        #expect(try summary(Self.name) == "valid three")
        try signIn("four", tid: nil).save(in: cache)
        #expect(try summary(Self.name) == "valid four")
        #expect(try summary("t-2") == "valid two")
    }

    @Test("is noted for one account in one cloud")
    func apart() throws {
        try signIn().save(in: cache)
        try signIn("other", tid: "t-2", uid: "u2").save(in: cache)
        try signIn("american", at: "login.microsoftonline.us", tid: "t-3").save(in: cache)
        #expect(try summary(Self.name) == "valid at")
        #expect(try summary(Self.name, at: "sts.windows.net") == "valid at")
        #expect(try summary(Self.name, account: "u2.utid") == "valid other")
        #expect(try summary(Self.name, at: "login.usgovcloudapi.net") == "valid american")
        try signIn("t-3", tid: "t-3", tenant: "t-3").with("expires_in", 9000).save(in: cache)
        #expect(try summary(Self.name) == "valid at")
    }

    @Test("finds tokens of every client of the group, and id tokens")
    func otherClients() throws {
        try signIn().save(in: cache)
        try group.put(.accessToken("b", client: "client-b", realm: "t-1"))
        let other = try group.cache(client: "client-b")
        #expect(try other.token(for: MatchingCase.query("user.read", tenant: Self.name)).summary() == "valid b")
        #expect(try cache.idToken(for: MatchingCase.query("openid", tenant: Self.name)) != nil)
        #expect(try cache.idToken(for: MatchingCase.query("openid", tenant: "fabrikam.com")) == nil)
    }

    @Test("words for tenants, tenants by id and responses of an application itself leave no note")
    func notNoted() throws {
        try signIn(tenant: "common").save(in: cache)
        try signIn(tenant: "T-1").save(in: cache)
        try signIn(tenant: String(repeating: "x", count: 600)).save(in: cache)
        try signIn("app").asked { $0.grant = .application }.save(in: cache)
        #expect(try notes().isEmpty)
    }

    @Test("so many of one account are kept, and the oldest goes")
    func bound() throws {
        for number in 0...TenantNote.limit {
            try signIn("at \(number)", tid: "t-\(number)", tenant: "tenant\(number).com").save(in: cache)
        }
        #expect(try notes().count == TenantNote.limit)
        #expect(try summary("tenant0.com") == "renew rt at \(TenantNote.limit)")
        #expect(try summary("tenant1.com") == "valid at 1")
    }

    @Test("a sign-out leaves it for other clients, a wipe takes it along")
    func removal() throws {
        try signIn().save(in: cache)
        try cache.signOut(accountID: TestGroup.accountID)
        #expect(try notes().count == 1)
        try cache.wipe(accountID: TestGroup.accountID)
        #expect(try notes().isEmpty)
    }

    private func notes() throws -> [StoredRecord] {
        let store = MemoryStore(group.backing)
        return try store.partitions().flatMap { try store.contents(of: $0.tag).records }.filter(\.kind.isTenantNote)
    }

    @Test(
        "a thousand silent requests over three expiries cause one renewal for each, and no prompt",
        arguments: hosts
    )
    func silent(host: String) throws {
        for hasIDToken in [true, false] {
            let group = try TestGroup()
            let cache = try group.cache()
            try signIn("at 0", at: host).save(in: cache)
            let query = MatchingCase.query("user.read", tenant: Self.name, environment: host)
            var renewals = 0
            for _ in 0..<1000 {
                group.clock.advance(by: 12)
                let decision = try cache.renewSynchronously(query) { token in
                    renewals += 1
                    #expect(token.requestTenant == Self.name)
                    let response = signIn("at \(renewals)", at: host, tid: hasIDToken ? "t-1" : nil)
                    return .response(try TokenResponse(json: response.body))
                }
                #expect(try decision.summary() == "valid at \(renewals)")
            }
            // 12,000 s, in which a token of 3,600 s is good for 3,300 s.
            #expect(renewals == 3)
        }
    }

    // MARK: - MSAL for ObjC

    private func metadata(_ map: String) -> TestEntry {
        TestEntry(.accountMetadata, [("client_id", TestGroup.client)]).with("account_metadata_map", json: map)
    }

    private func map() throws -> String? {
        let entry = try group.entries().first { $0.facts.kind == .accountMetadata }
        return entry?.facts.rawJSON(.accountMetadataMap).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("is written once into the URL map of MSAL for Objective-C, beside its other members")
    func writtenForObjC() throws {
        try group.put(
            metadata(
                #"{"uid.utid":{"sign_in_state":"signed_in","athority_map":{"URLMap-":{"a":"b"},"URLMap-instance_aware=YES":{}}}}"#
            )
        )
        for _ in 0..<2 {
            try signIn(at: "Login.MicrosoftOnline.com").save(in: cache)
            #expect(
                try map()
                    == #"{"uid.utid":{"sign_in_state":"signed_in","athority_map":{"URLMap-":{"a":"b","https://login.microsoftonline.com/contoso.onmicrosoft.com":"https://login.microsoftonline.com/t-1"},"URLMap-instance_aware=YES":{}}}}"#
            )
        }
        try cache.signOut(accountID: TestGroup.accountID)
        #expect(try map()?.contains("contoso") == false)
    }

    @Test("is written into it together with the sign-in, for an account that it did not have")
    func writtenWithSignIn() throws {
        try group.put(metadata("{}"))
        try signIn().save(in: cache)
        let map = try #require(try map())
        #expect(map.contains(#""sign_in_state":"signed_in""#))
        #expect(
            map.contains(
                #""https://login.microsoftonline.com/contoso.onmicrosoft.com":"https://login.microsoftonline.com/t-1""#
            )
        )
    }

    /// What the map of an import says, and whether the token of `contoso` is found by the name then.
    static let imports: [(String, Bool)] = [
        (
            #""https://login.microsoftonline.com/Contoso.onmicrosoft.com": "https://login.microsoftonline.com/contoso""#,
            true
        ),
        (#""https://login.windows.net/contoso.onmicrosoft.com/": "https://sts.windows.net/contoso/""#, true),
        (
            #""https://login.microsoftonline.com/contoso.onmicrosoft.com": "https://login.microsoftonline.us/contoso""#,
            false
        ),
        (
            #""https://login.microsoftonline.us/contoso.onmicrosoft.com": "https://login.microsoftonline.us/contoso""#,
            false
        ),
        (
            #""http://login.microsoftonline.com/contoso.onmicrosoft.com": "http://login.microsoftonline.com/contoso""#,
            false
        ),
        (#""https://login.microsoftonline.com": "https://login.microsoftonline.com/contoso""#, false),
        (#""contoso.onmicrosoft.com": "contoso", "": "x""#, false),
        (#""https://login.microsoftonline.com/contoso.onmicrosoft.com": 5"#, false),
    ]

    @Test("is read out of it by an import", arguments: 0..<imports.count)
    func imported(index: Int) throws {
        let (addresses, isFound) = Self.imports[index]
        let fixture = GroupFixture()
        let stored = try fixture.createGroup()
        let document = Document.sections([
            "AccessToken": [Document.accessToken(cachedAt: 1_699_999_000)],
            "AccountMetadataMap": [
                #""k": {"client_id": "client", "account_metadata_map": {"UID.utid": {"sign_in_state": "signed_in", "athority_map": {"URLMap-": {\#(addresses)}}}}}"#
            ],
        ])
        try stored.take(document)
        let cache = try TokenCache(
            store: stored.opened.store,
            unlockedKeys: stored.opened.unlockedKeys,
            clientID: "client",
            options: TokenCacheOptions(clock: TestClock().wallClock)
        )
        let query = TokenQuery(
            accountID: "uid.utid",
            scopes: ["user.read"],
            tenant: "contoso.onmicrosoft.com",
            environment: "login.microsoftonline.com"
        )
        #expect(
            try cache.token(for: query).summary() == (isFound ? "valid at-secret" : "interaction refreshTokenMissing")
        )
        #expect(try stored.give().value == document.value)
    }
}
