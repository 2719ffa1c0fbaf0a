// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Where one refresh token is refused, the next is at hand")
struct NextRefreshTokenTests {
    /// The secrets of all refresh tokens that the query may spend, in their order.
    private func order(
        _ entries: [TestEntry],
        _ query: TokenQuery = MatchingCase.query("a")
    ) throws -> [String] {
        let group = try TestGroup()
        try group.put(entries.enumerated().map { $1.under("key \($0)") })
        let cache = try group.cache()
        defer { cache.close() }
        guard case .renew(var token, _) = try cache.token(for: query) else { return [] }
        var secrets = [try token.secretString]
        while let next = try token.next() {
            secrets.append(try next.secretString)
            token = next
        }
        return secrets
    }

    private static func aged(_ entry: TestEntry, _ cachedAt: Int) -> TestEntry {
        entry.with("cached_at", "\(cachedAt)")
    }

    @Test("own ones before the family's, newest first, each secret once", arguments: 0..<orders.count)
    func secrets(index: Int) throws {
        let (rule, entries, expected) = Self.orders[index]
        #expect(try order(entries) == expected, Comment(rawValue: rule))
    }

    static let orders: [(String, [TestEntry], [String])] = [
        ("one", [.refreshToken("own")], ["own"]),
        (
            "own and family",
            [.refreshToken("family", client: "b", family: "1"), .refreshToken("own")],
            ["own", "family"]
        ),
        (
            "own ones with a family and without, by age",
            [
                aged(.refreshToken("old"), 1), aged(.refreshToken("new", family: "1"), 3),
                aged(.refreshToken("middle"), 2), aged(.refreshToken("family", client: "b", family: "1"), 9),
                aged(.refreshToken("older family", client: "c", family: "1"), 8),
            ],
            ["new", "middle", "old", "family", "older family"]
        ),
        (
            "one token stored twice, as MSAL ObjC stores a family's",
            [.refreshToken("same"), .refreshToken("same", family: "1"), .refreshToken("x", client: "b", family: "1")],
            ["same", "x"]
        ),
        (
            "a secret that was tried before another",
            [
                aged(.refreshToken("one"), 3), aged(.refreshToken("two"), 2),
                aged(.refreshToken("one", client: "b", family: "1"), 1),
            ],
            ["one", "two"]
        ),
        (
            "a client in no family",
            [.refreshToken("own"), .refreshToken("family", client: "b", family: "1"), .appMetadata(family: "")],
            ["own"]
        ),
        (
            "of other clouds none",
            [.refreshToken("own"), .refreshToken("other", environment: "login.microsoftonline.us")],
            ["own"]
        ),
        (
            "an escaped spelling of the same secret",
            [TestEntry.refreshToken().with("secret", json: #""r\u0074""#), .refreshToken("rt")],
            ["rt"]
        ),
    ]

    @Test("the host for requests is the preferred one of the cloud", arguments: hosts)
    func networkHost(stored: String, expected: String) throws {
        let group = try TestGroup()
        try group.put(.refreshToken(environment: stored))
        let query = MatchingCase.query("a", environment: nil)
        guard case .renew(let token, _) = try group.cache().token(for: query) else { throw Unexpected() }
        #expect(token.environment == stored.lowercased())
        #expect(token.networkHost == expected)
    }

    static let hosts = [
        ("login.windows.net", "login.microsoftonline.com"), ("sts.windows.net", "login.microsoftonline.com"),
        ("login.chinacloudapi.cn", "login.partner.microsoftonline.cn"),
        ("login.usgovcloudapi.net", "login.microsoftonline.us"), ("IDP.example.com", "idp.example.com"),
    ]
}
