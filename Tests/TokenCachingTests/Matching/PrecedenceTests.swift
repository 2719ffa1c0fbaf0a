// SPDX-License-Identifier: Apache-2.0

import Testing
import UnifiedSchema

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Which of several entries is chosen")
struct PrecedenceTests {
    private static let (one, other) = ("login.microsoftonline.com", "login.windows.net")

    private static func refreshToken(_ secret: String, _ host: String = one, family: String? = nil) -> TestEntry {
        .refreshToken(secret, environment: host, family: family)
    }

    /// An access token that has ended, as evidence of when its host was used.
    private static func ended(_ host: String, at time: Int64) -> TestEntry {
        .accessToken("at", scopes: "other", environment: host, cachedAt: time, expiresOn: time + 3600)
    }

    private static let query = MatchingCase.query("user.read", environment: nil)

    /// What is stored in this order, and the secret of what is chosen.
    static let cases: [MatchingCase] = [
        MatchingCase("the later refresh token", [refreshToken("a"), refreshToken("b", other)], query, "renew b"),
        MatchingCase("again the later one", [refreshToken("b", other), refreshToken("a")], query, "renew a"),
        MatchingCase(
            "the refresh token beside the newer access token",
            [
                refreshToken("new", other), ended(other, at: 1_690_000_000), refreshToken("old"),
                ended(one, at: 1_600_000_000),
            ],
            query,
            "renew new"
        ),
        MatchingCase(
            "the refresh token of the family's client with the newer access token under the same host",
            [
                .appMetadata(family: "1"),
                .refreshToken("new", client: "client-b", family: "1"),
                ended(one, at: 1_690_000_000).with("client_id", "client-b").under("b"),
                .refreshToken("old", client: "client-c", family: "1"),
                ended(one, at: 1_600_000_000).with("client_id", "client-c").under("c"),
            ],
            query,
            "renew new"
        ),
        MatchingCase(
            "a refresh token with a time before one with a newer access token beside it",
            [
                refreshToken("timed").with("last_modification_time", "1000"), refreshToken("new", other),
                ended(other, at: 1_690_000_000),
            ],
            query,
            "renew timed"
        ),
        MatchingCase(
            "the client's own refresh token before its family's",
            [refreshToken("own"), refreshToken("shared", family: "1")],
            query,
            "renew own"
        ),
        MatchingCase(
            "the client's own refresh token after its family's",
            [refreshToken("shared", family: "1"), refreshToken("own")],
            query,
            "renew own"
        ),
        MatchingCase(
            "the later of two access tokens that end together",
            [.accessToken("a"), .accessToken("b", environment: other)],
            query,
            "valid b"
        ),
        MatchingCase(
            "the access token that was cached later, of two that end together",
            [.accessToken("new", cachedAt: TestEntry.start - 100), .accessToken("old", environment: other)],
            query,
            "valid new"
        ),
        MatchingCase(
            "the app metadata that names a family, whichever is later",
            [
                .refreshToken("shared", client: "client-b", family: "2"), .appMetadata(environment: one, family: "2"),
                .appMetadata(environment: other, family: nil),
            ],
            query,
            "renew shared"
        ),
    ]

    /// Each time with other keys, so that tags have another order.
    @Test("by evidence, then by position", arguments: cases)
    func choice(_ rule: MatchingCase) throws {
        for _ in 0..<8 { try rule.check() }
    }

    @Test(
        "the name of an account is that of the entry beside the newer access token, otherwise that of the later entry"
    )
    func names() throws {
        let first = TestEntry.account("first@contoso.com", environment: Self.other)
        let second = TestEntry.account("second@contoso.com", environment: Self.one)
        for (entries, expected) in [
            ([first, second], "second@contoso.com"), ([second, first], "first@contoso.com"),
            ([first, second, Self.ended(Self.other, at: 1_690_000_000)], "first@contoso.com"),
            ([first, second.with("username", nil)], "first@contoso.com"),
        ] {
            for _ in 0..<8 {
                let group = try TestGroup()
                try group.put(entries.enumerated().map { $1.under("key \($0)") })
                #expect(try group.cache().accounts(matching: .all).map(\.username) == [expected])
            }
        }
    }

    @Test("an application that leaves its family leaves it under all hosts of the cloud")
    func leavingFamily() throws {
        let group = try TestGroup()
        try group.put(
            .appMetadata(environment: Self.one, family: "1"),
            .appMetadata(environment: Self.other, family: "1"),
            .appMetadata(environment: "sts.windows.net", family: nil),
            .account()
        )
        let body = #"{"access_token":"at","refresh_token":"rt","expires_in":3600,"scope":"user.read"}"#
        let request = TokenRequest(
            environment: Self.one,
            tenant: "utid",
            scopes: ["user.read"],
            grant: .interactive,
            accountID: TestGroup.accountID
        )
        try group.cache().save(try TokenResponse(json: Array(body.utf8)), for: request)
        let families = try group.entries().filter { $0.facts.kind == .appMetadata }.map(\.fields.familyID)
        #expect(!families.isEmpty && families.allSatisfy { $0 == nil })
    }
}
