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

    private static func entry(_ key: String, _ kind: String, _ members: KeyValuePairs<String, String>) -> String {
        let common: KeyValuePairs = ["home_account_id": "1", "environment": host, "credential_type": kind]
        let all = (Array(common) + Array(members)).filter { kind != "" || $0.key != "credential_type" }
        return "\"\(key)\": {" + all.map { "\"\($0.key)\": \"\($0.value)\"" }.joined(separator: ", ") + "}"
    }

    /// What another library stores of one subject in two tenants of a host: keys are as in MSAL Python.
    private static func document(idTokens: [String: String], refreshTokenTenants: Bool = true) -> String {
        var sections: [String: [String]] = [:]
        for tenant in ["a", "b"] {
            sections["AccessToken", default: []].append(
                entry(
                    "1-\(host)-accesstoken-client-\(tenant)-mail",
                    "AccessToken",
                    [
                        "client_id": "client", "realm": tenant, "target": "mail", "secret": "at \(tenant)",
                        "cached_at": "900", "expires_on": "9000",
                    ]
                )
            )
            sections["RefreshToken", default: []].append(
                entry(
                    "1-\(host)-refreshtoken-client-\(tenant)-",
                    "RefreshToken",
                    refreshTokenTenants
                        ? ["client_id": "client", "realm": tenant, "secret": "rt \(tenant)"]
                        : ["client_id": "client", "secret": "rt \(tenant)"]
                )
            )
            sections["Account", default: []].append(
                entry("1-\(host)-\(tenant)", "", ["realm": tenant, "username": "alice", "authority_type": "OIDC"])
            )
            if let issuer = idTokens[tenant] {
                let token = TestResponse.idToken(["sub": "1", "iss": issuer])
                sections["IdToken", default: []].append(
                    entry(
                        "1-\(host)-idtoken-client-\(tenant)-",
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
