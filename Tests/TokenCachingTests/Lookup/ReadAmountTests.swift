// SPDX-License-Identifier: Apache-2.0

import RecordStorage
import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("The records that a query reads do not grow with the group")
struct ReadAmountTests {
    /// What is asked, and what the answer is about: one account among many.
    static let questions: [(String, @Sendable (TokenCache) throws -> String, String)] = [
        ("exact", { try decision($0, query(scopes: ["user.read", "mail.read"])) }, "valid at 7"),
        ("subset", { try decision($0, query(scopes: ["user.read"])) }, "valid at 7"),
        ("superset", { try decision($0, query(scopes: ["user.read", "files.read"])) }, "renew rt 7"),
        ("alias", { try decision($0, query(environment: "sts.windows.net")) }, "valid at 7"),
        ("guest", { try decision($0, query(tenant: "guest")) }, "valid guest 7"),
        ("family", { try decision($0, query(tenant: "nowhere")) }, "renew rt 7"),
        ("username", { try decision($0, TokenQuery(username: "p7@x", scopes: ["user.read"])) }, "valid at 7"),
        ("miss by id", { try decision($0, query(account: "no.one")) }, "interaction accountUnknown"),
        (
            "miss by username", { try decision($0, TokenQuery(username: "nobody", scopes: ["user.read"])) },
            "interaction accountUnknown"
        ),
        ("id token", { try $0.idToken(for: query())?.secretString ?? "none" }, "id 7"),
        ("account by id", { try ids($0, AccountFilter(id: "U7.T")) }, "u7.t"),
        ("account by username", { try ids($0, AccountFilter(username: "P7@x")) }, "u7.t"),
        ("account by a username of nobody", { try ids($0, AccountFilter(username: "nobody")) }, ""),
        ("account by id and tenant", { try ids($0, AccountFilter(id: "u7.t", tenant: "guest")) }, "u7.t"),
    ]

    private static func query(
        account: Account.ID = "u7.t",
        scopes: [String] = ["user.read"],
        tenant: String? = nil,
        environment: String? = nil
    ) -> TokenQuery {
        TokenQuery(accountID: account, scopes: scopes, tenant: tenant, environment: environment)
    }

    private static func decision(_ cache: TokenCache, _ query: TokenQuery) throws -> String {
        try cache.token(for: query).summary()
    }

    private static func ids(_ cache: TokenCache, _ filter: AccountFilter) throws -> String {
        try cache.accounts(matching: filter).map(\.id.text).joined(separator: " ")
    }

    private static func entries(_ count: Int) -> [TestEntry] {
        (0..<count).flatMap { number -> [TestEntry] in
            let account = "u\(number).t"
            return [
                .accessToken("at \(number)", account: account, realm: "t"),
                .accessToken("guest \(number)", account: account, realm: "guest"),
                .refreshToken("rt \(number)", client: "sibling", account: account, family: "1"),
                TestEntry.idToken(account: account, realm: "t").with("secret", "id \(number)"),
                .account("p\(number)@x", account: account, realm: "t"),
                .account("g\(number)@y", account: account, realm: "guest"),
            ]
        }
    }

    /// A small group and one of two thousand accounts. Nothing here changes them.
    private static let groups = Result { () throws in
        try [10, 2_000].map { count in
            let group = try TestGroup()
            try group.put(entries(count))
            return group
        }
    }

    @Test("the account's own entries, and once those of the whole group", arguments: 0..<questions.count)
    func reads(index: Int) throws {
        let (name, ask, expected) = Self.questions[index]
        var amounts: [[Int]] = []
        for group in try Self.groups.get() {
            let (store, cache) = try group.watchedCache()
            #expect(try ask(cache) == expected, "\(name)")
            amounts.append(store.order { [$0.contentsCount, $0.listCount] })
        }
        #expect(amounts[0] == amounts[1], "\(name)")
        #expect(amounts[1][0] <= 4 && amounts[1][1] == 0, "\(name): \(amounts)")
    }
}
