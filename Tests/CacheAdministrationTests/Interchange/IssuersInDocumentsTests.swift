// SPDX-License-Identifier: Apache-2.0

import RecordStorage
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Accounts at issuers in documents")
struct IssuersInDocumentsTests {
    private static let host = "id.example"

    private struct Group {
        let group: CacheGroup
        let cache: TokenCache

        init(_ text: String? = nil) throws {
            group = try CacheGroup.open("issuers", root: "/nonexistent", storage: .memory, access: .create)
            if let text { _ = try group.importEntries(from: .bytes(Array(text.utf8))) }
            // Closing a cache would close the group's store.
            cache = try TokenCache(
                store: group.opened.store,
                unlockedKeys: group.opened.unlockedKeys,
                clientID: "client",
                options: TokenCacheOptions(clock: WallClock { Timestamp(secondsSince1970: 1_000) })
            )
        }

        func answer(_ id: Account.ID, tenant: String? = nil, username: String? = nil) throws -> String {
            let query =
                if let username {
                    TokenQuery(username: username, scopes: ["mail"], tenant: tenant)
                } else {
                    TokenQuery(accountID: id, scopes: ["mail"], tenant: tenant)
                }
            return try cache.token(for: query).summary()
        }
    }

    private static func entry(
        _ key: String,
        _ kind: String,
        _ members: KeyValuePairs<String, String>,
        subject: String = "1"
    ) -> String {
        let common: KeyValuePairs = ["home_account_id": subject, "environment": host, "credential_type": kind]
        let all = (Array(common) + Array(members)).filter { kind != "" || $0.key != "credential_type" }
        return "\"\(key)\": {" + all.map { "\"\($0.key)\": \"\($0.value)\"" }.joined(separator: ", ") + "}"
    }

    /// What another library stores of one subject in two tenants of a host: keys are as in MSAL Python.
    private static func document(
        idTokens: [String: String],
        refreshTokenTenants: Bool = true,
        subject: String = "1",
        tenants: [String] = ["a", "b"],
        hasAccounts: Bool = true
    ) -> String {
        func entry(_ key: String, _ kind: String, _ members: KeyValuePairs<String, String>) -> String {
            Self.entry(key, kind, members, subject: subject)
        }
        var sections: [String: [String]] = [:]
        for tenant in tenants {
            sections["AccessToken", default: []].append(
                entry(
                    "\(subject)-\(host)-accesstoken-client-\(tenant)-mail",
                    "AccessToken",
                    [
                        "client_id": "client", "realm": tenant, "target": "mail", "secret": "at \(tenant)",
                        "cached_at": "900", "expires_on": "9000",
                    ]
                )
            )
            sections["RefreshToken", default: []].append(
                entry(
                    "\(subject)-\(host)-refreshtoken-client-\(tenant)-",
                    "RefreshToken",
                    refreshTokenTenants
                        ? ["client_id": "client", "realm": tenant, "secret": "rt \(tenant)"]
                        : ["client_id": "client", "secret": "rt \(tenant)"]
                )
            )
            if hasAccounts {
                sections["Account", default: []].append(
                    entry(
                        "\(subject)-\(host)-\(tenant)",
                        "",
                        ["realm": tenant, "username": "alice", "authority_type": "OIDC"]
                    )
                )
            }
            if let issuer = idTokens[tenant] {
                let token = TestResponse.idToken(["sub": subject, "iss": issuer])
                sections["IdToken", default: []].append(
                    entry(
                        "\(subject)-\(host)-idtoken-client-\(tenant)-",
                        "IdToken",
                        ["client_id": "client", "realm": tenant, "secret": token]
                    )
                )
            }
        }
        let order = ["AccessToken", "RefreshToken", "Account", "IdToken"]
        return "{"
            + order.map { "\"\($0)\": {\((sections[$0] ?? []).joined(separator: ", "))}" }.joined(separator: ", ") + "}"
    }

    private static let issuers = ["a": "https://id.example/a", "b": "https://id.example/b"]

    @Test("the id token of the same client and tenant says whose an entry without issuer is")
    func divided() throws {
        let group = try Group(Self.document(idTokens: Self.issuers))
        let ids = try group.cache.accounts().map(\.id)
        #expect(ids == ["1@https://id.example/a", "1@https://id.example/b"])
        for (id, tenant) in zip(ids, ["a", "b"]) {
            #expect(try group.answer(id) == "valid at \(tenant)")
            #expect(try group.answer("1", tenant: tenant) == "valid at \(tenant)")
            #expect(try group.answer("1", tenant: tenant, username: "alice") == "valid at \(tenant)")
        }
        #expect(try group.answer("1") == "interaction severalAccounts")
        #expect(try group.answer("1", username: "alice") == "interaction severalAccounts")
    }

    @Test("a refresh token that may be either issuer's is neither's")
    func undecided() throws {
        let group = try Group(Self.document(idTokens: Self.issuers, refreshTokenTenants: false))
        _ = try group.group.clear(matching: EntryFilter(kinds: [.accessToken]))
        for issuer in Self.issuers.values.sorted() {
            let answer = try group.answer(Account.ID("1@" + issuer))
            #expect(answer == "interaction refreshTokenMissing", "\(answer)")
        }
        #expect(try group.answer("1") == "interaction severalAccounts")
    }

    @Test("without id tokens an account belongs to the host", arguments: [[:], ["a": "https://id.example/a"]])
    func ofHost(idTokens: [String: String]) throws {
        let group = try Group(Self.document(idTokens: idTokens))
        #expect(try group.answer("1", tenant: "b") == "valid at b")
        #expect(try group.answer("1", tenant: "a") == "valid at a")
        #expect(
            try group.cache.accounts().map(\.id.issuer) == (idTokens.isEmpty ? [nil] : [nil, "https://id.example/a"])
        )
    }

    @Test("an account about which id tokens of one tenant name two issuers is one at each")
    func oneTenant() throws {
        let tokens = Self.issuers.sorted { $0.key < $1.key }.map { tenant, issuer in
            Self.entry(
                "id \(tenant)",
                "IdToken",
                [
                    "client_id": "client-\(tenant)", "realm": "realms",
                    "secret": TestResponse.idToken(["sub": "1", "iss": issuer]),
                ]
            )
        }
        let account = Self.entry("account", "", ["realm": "realms", "username": "alice"])
        let group = try Group(Document.sections(["Account": [account], "IdToken": tokens]).text)
        #expect(try group.cache.accounts(matching: .all).map(\.id.issuer) == Self.issuers.values.sorted())
    }

    @Test("an access token that is a JWT of another issuer is not given to the id token's")
    func otherIssuersToken() throws {
        let own = TestResponse.idToken(["sub": "1", "iss": "https://id.example/b"])
        let text = Self.document(idTokens: ["a": "https://id.example/a"])
            .replacing("\"at a\"", with: "\"\(own)\"")
        #expect(try Group(text).answer("1@https://id.example/a") == "renew rt a")
    }

    @Test("a subject that looks like an id with an issuer is not that account")
    func lookalike() throws {
        let evil = Self.document(idTokens: ["a": "https://id.example/evil"], subject: "1@https://id.example/a")
        for text in [evil, Self.document(idTokens: [:], subject: "1@https://id.example/a")] {
            let group = try Group(Self.document(idTokens: ["a": "https://id.example/a"]))
            _ = try group.group.importEntries(from: .bytes(Array(text.utf8)))
            let before = try Group(Self.document(idTokens: ["a": "https://id.example/a"]))
            let ids: [Account.ID] = ["1@https://id.example/a", "1", "1@HTTPS://id.example/a"]
            for id in ids { #expect(try group.answer(id, tenant: "a") == before.answer(id, tenant: "a")) }
            #expect(throws: Never.self) {
                try group.group.clear(matching: EntryFilter(account: "1@https://id.example/a"))
            }
            #expect(try group.group.statistics().entryCount >= 6)
        }
    }

    @Test("a client that signed out before the issuer was known stays signed out", arguments: [true, false])
    func signedOut(inDocument: Bool) throws {
        let metadata =
            #""m": {"client_id": "client", "account_metadata_map": {"1": {"home_account_id": "1", "#
            + #""sign_in_state": "signed_out", "client_id": "client"}}}"#
        let first = Self.document(idTokens: [:])
        let second = Self.document(idTokens: Self.issuers)
        let group = try Group(inDocument ? nil : first)
        if inDocument {
            let text = second.dropLast() + ", \"AccountMetadataMap\": {\(metadata)}}"
            _ = try group.group.importEntries(from: .bytes(Array(text.utf8)))
        } else {
            try group.cache.signOut(accountID: "1")
            _ = try group.group.importEntries(from: .bytes(Array(second.utf8)))
        }
        for issuer in Self.issuers.values {
            #expect(try !group.answer(Account.ID("1@" + issuer)).hasPrefix("valid"))
        }
    }

    @Test("tokens without an account entry are found by their subject, and what a removal left does not hide them")
    func withoutAccount() throws {
        let group = try Group(Self.document(idTokens: [:]))
        _ = try group.group.clear(matching: EntryFilter(account: "1"))
        let text = Self.document(idTokens: ["a": "https://id.example/a"], tenants: ["a"], hasAccounts: false)
        _ = try group.group.importEntries(from: .bytes(Array(text.utf8)), options: ImportOptions(replacesNewer: true))
        #expect(try group.answer("1") == "valid at a")
        _ = try group.group.clear(matching: EntryFilter(account: "1"))
        #expect(try !group.answer("1").hasPrefix("valid"))
    }

    @Test("an import again changes nothing")
    func again() throws {
        let text = Self.document(idTokens: Self.issuers)
        let group = try Group(text)
        let report = try group.group.importEntries(from: .bytes(Array(text.utf8)))
        #expect(report.counts.unchanged == report.counts.total && report.counts.total == 8)
    }

    @Test("two accounts whose keys are equal are exported under keys of their own, and come back as two")
    func collidingKeys() throws {
        let group = try Group()
        let cache = group.cache
        for (tenant, issuer) in Self.issuers.sorted(by: { $0.key < $1.key }) {
            var request = TokenRequest(environment: Self.host, tenant: tenant, scopes: ["mail"], grant: .interactive)
            request.tenant = tenant
            let response = TestResponse.signIn(
                accessToken: "at \(tenant)",
                refreshToken: "rt \(tenant)",
                scope: "mail",
                claims: ["sub": "1", "iss": issuer, "preferred_username": "alice"],
                clientInfo: nil
            )
            _ = try cache.save(try TokenResponse(json: response.body), for: request)
        }
        var handles: Set<EntryHandle> = []
        try group.group.forEachEntry(matching: EntryFilter(kinds: [.refreshToken])) { handles.insert($0.handle) }
        #expect(handles.count == 2)
        let document = try group.group.give()
        let keys = document.keys("RefreshToken")
        #expect(keys.first == "1-id.example-refreshtoken-client--")
        #expect(keys.count == 2 && keys.last?.hasPrefix("1-id.example-refreshtoken-client---") == true)
        for key in keys {
            #expect(document.member("RefreshToken", key, "home_account_id") as? String == "1")
        }
        let issuers = keys.compactMap { document.member("RefreshToken", $0, "issuer") as? String }
        #expect(issuers == ["https://id.example/a", "https://id.example/b"])
        let copy = try Group(document.text)
        #expect(try copy.cache.accounts().map(\.id) == cache.accounts().map(\.id))
        for (tenant, issuer) in Self.issuers {
            #expect(try copy.answer(Account.ID("1@" + issuer)) == "valid at \(tenant)")
        }
        #expect(try copy.group.give().value == document.value)
    }

    @Test("a removal by a subject that several issuers have is refused, and one by the whole id spares the other")
    func removal() throws {
        let group = try Group(Self.document(idTokens: Self.issuers))
        let error = #expect(throws: TokenCacheError.self) {
            try group.group.clear(matching: EntryFilter(account: "1"))
        }
        #expect(error?.code == .severalAccounts)
        #expect(try group.cache.accounts().count == 2)
        _ = try group.group.clear(matching: EntryFilter(account: "1@https://id.example/a"))
        #expect(try group.cache.accounts(matching: .all).map(\.id) == ["1@https://id.example/b"])
        #expect(try group.answer("1") == "valid at b")
        var count = 0
        try group.group.forEachEntry(matching: EntryFilter(account: "1")) { _ in count += 1 }
        #expect(count == 4)
    }
}
