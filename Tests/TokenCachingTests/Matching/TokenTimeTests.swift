// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

private let miss = "interaction tokensExpired"
private let hit = "valid at"
private let now = TestEntry.start
private let century: Int64 = 100 * 31_557_600

@Suite("Access tokens end in time")
struct TokenTimeTests {
    @Test("expiry, clock and missing times", arguments: timeRules)
    func times(rule: MatchingCase) throws { try rule.check() }

    static let timeRules: [MatchingCase] = [
        MatchingCase(
            "301 s left of an hour",
            [.accessToken(cachedAt: now - 3299, expiresOn: now + 301)],
            MatchingCase.query("user.read"),
            hit
        ),
        MatchingCase(
            "300 s left of an hour",
            [.accessToken(cachedAt: now - 3300, expiresOn: now + 300)],
            MatchingCase.query("user.read"),
            miss
        ),
        MatchingCase(
            "61 s left of five minutes: a fifth of the lifetime",
            [.accessToken(cachedAt: now - 239, expiresOn: now + 61)],
            MatchingCase.query("user.read"),
            hit
        ),
        MatchingCase(
            "60 s left of five minutes",
            [.accessToken(cachedAt: now - 240, expiresOn: now + 60)],
            MatchingCase.query("user.read"),
            miss
        ),
        MatchingCase(
            "one second left and no buffer",
            [.accessToken(expiresOn: now + 1)],
            MatchingCase.query("user.read", options: TokenQueryOptions(expirationMargin: .seconds(0))),
            hit
        ),
        MatchingCase(
            "a larger buffer",
            [.accessToken(cachedAt: now - 9000, expiresOn: now + 3000)],
            MatchingCase.query("user.read", options: TokenQueryOptions(expirationMargin: .seconds(3000))),
            miss
        ),
        MatchingCase(
            "a buffer as long as the token lives counts as half of that",
            [.accessToken(cachedAt: now - 1499, expiresOn: now + 1501)],
            MatchingCase.query("user.read", options: TokenQueryOptions(expirationMargin: .seconds(3000))),
            "valid at"
        ),
        MatchingCase(
            "and not as less",
            [.accessToken(cachedAt: now - 1500, expiresOn: now + 1500)],
            MatchingCase.query("user.read", options: TokenQueryOptions(expirationMargin: .seconds(3000))),
            miss
        ),
        MatchingCase(
            "a buffer below zero counts as zero",
            [.accessToken(expiresOn: now)],
            MatchingCase.query("user.read", options: TokenQueryOptions(expirationMargin: .seconds(-10))),
            miss
        ),
        MatchingCase(
            "cached 300 s ahead: within the buffer",
            [.accessToken(cachedAt: now + 300, expiresOn: now + 3900)],
            MatchingCase.query("user.read"),
            hit
        ),
        MatchingCase(
            "cached 301 s ahead: the clock went back",
            [.accessToken(cachedAt: now + 301, expiresOn: now + 3901)],
            MatchingCase.query("user.read"),
            miss
        ),
        MatchingCase(
            "no end: expired",
            [TestEntry.accessToken().with("expires_on", nil)],
            MatchingCase.query("user.read"),
            miss
        ),
        MatchingCase(
            "an end that is no number: expired",
            [TestEntry.accessToken().with("expires_on", "soon")],
            MatchingCase.query("user.read"),
            miss
        ),
        MatchingCase(
            "times as numbers",
            [TestEntry.accessToken().with("expires_on", json: "\(now + 3000)").with("cached_at", json: "\(now)")],
            MatchingCase.query("user.read"),
            hit
        ),
        MatchingCase(
            "no time of caching: the largest buffer",
            [TestEntry.accessToken(expiresOn: now + 301).with("cached_at", nil)],
            MatchingCase.query("user.read"),
            hit
        ),
        MatchingCase(
            "no time of caching, 300 s left",
            [TestEntry.accessToken(expiresOn: now + 300).with("cached_at", nil)],
            MatchingCase.query("user.read"),
            miss
        ),
        MatchingCase(
            "an end at the end of time: it cannot be meant",
            [.accessToken(expiresOn: .max)],
            MatchingCase.query("user.read"),
            miss
        ),
        MatchingCase(
            "an end in milliseconds, of a token that ended two hours ago",
            [.accessToken(cachedAt: now - 10_800, expiresOn: (now - 7200) * 1000)],
            MatchingCase.query("user.read"),
            miss
        ),
        MatchingCase(
            "an end a century ahead",
            [.accessToken(expiresOn: now + century)],
            MatchingCase.query("user.read"),
            hit
        ),
        MatchingCase(
            "an end more than a century ahead",
            [.accessToken(expiresOn: now + century + 1)],
            MatchingCase.query("user.read"),
            miss
        ),
        MatchingCase(
            "a start before all time",
            [.accessToken(cachedAt: .min + 1, expiresOn: now + 3600)],
            MatchingCase.query("user.read"),
            hit
        ),
        MatchingCase(
            "an extended lifetime in milliseconds counts as absent",
            [TestEntry.accessToken(expiresOn: now - 1).with("extended_expires_on", "\((now - 7200) * 1000)")],
            MatchingCase.query("user.read", options: TokenQueryOptions(allowsExtendedLifetime: true)),
            miss
        ),
        MatchingCase(
            "a time of renewal in milliseconds counts as absent",
            [TestEntry.accessToken().with("refresh_on", "\((now - 7200) * 1000)")],
            MatchingCase.query("user.read"),
            hit
        ),
        MatchingCase(
            "refresh_on passed: handed out and marked",
            [TestEntry.accessToken().with("refresh_on", "\(now)")],
            MatchingCase.query("user.read"),
            "valid at renew"
        ),
        MatchingCase(
            "refresh_on to come",
            [TestEntry.accessToken().with("refresh_on", "\(now + 1)")],
            MatchingCase.query("user.read"),
            hit
        ),
        MatchingCase(
            "extended lifetime is for outages only",
            [TestEntry.accessToken(expiresOn: now - 1).with("extended_expires_on", "\(now + 100)")],
            MatchingCase.query("user.read"),
            miss
        ),
        MatchingCase(
            "extended lifetime in an outage",
            [TestEntry.accessToken(expiresOn: now - 1).with("extended_expires_on", "\(now + 100)")],
            MatchingCase.query("user.read", options: TokenQueryOptions(allowsExtendedLifetime: true)),
            "valid at renew"
        ),
        MatchingCase(
            "extended lifetime in an outage, of a token that does not say when it ends",
            [TestEntry.accessToken().with("expires_on", "").with("extended_expires_on", "\(now + 100)")],
            MatchingCase.query("user.read", options: TokenQueryOptions(allowsExtendedLifetime: true)),
            "valid at renew"
        ),
        MatchingCase(
            "a good token goes before an extended one",
            [
                TestEntry.accessToken("extended", expiresOn: now - 1).with("extended_expires_on", "\(now + 9999)"),
                .accessToken("good"),
            ],
            MatchingCase.query("user.read", options: TokenQueryOptions(allowsExtendedLifetime: true)),
            "valid good"
        ),
    ]

    @Test("a remembered answer ends when the token does")
    func memoryEnds() throws {
        let group = try TestGroup()
        try group.put(.accessToken(cachedAt: now - 3000, expiresOn: now + 600))
        let cache = try group.cache()
        let query = MatchingCase.query("user.read")
        #expect(try cache.token(for: query).summary() == hit)
        group.clock.advance(by: 299)
        #expect(try cache.token(for: query).summary() == hit)
        group.clock.advance(by: 1)
        #expect(try cache.token(for: query).summary() == miss)
    }

    @Test("a remembered answer is marked for renewal when the time comes")
    func memoryMarks() throws {
        let group = try TestGroup()
        try group.put(TestEntry.accessToken().with("refresh_on", "\(now + 10)"))
        let cache = try group.cache()
        let query = MatchingCase.query("user.read")
        #expect(try cache.token(for: query).summary() == hit)
        group.clock.advance(by: 10)
        #expect(try cache.token(for: query).summary() == hit + " renew")
    }

    @Test("an expired token is found again when the clock is set back")
    func clockGoesBack() throws {
        let group = try TestGroup()
        try group.put(.accessToken(cachedAt: now, expiresOn: now + 3600))
        let cache = try group.cache()
        let query = MatchingCase.query("user.read")
        group.clock.advance(by: 3400)
        #expect(try cache.token(for: query).summary() == miss)
        group.clock.advance(by: -400)
        #expect(try cache.token(for: query).summary() == hit)
    }

    @Test("a token from the future is found once the clock catches up, and lost when it goes back")
    func clockMoves() throws {
        let group = try TestGroup()
        try group.put(.accessToken(cachedAt: now + 1000, expiresOn: now + 4600))
        let cache = try group.cache()
        let query = MatchingCase.query("user.read")
        #expect(try cache.token(for: query).summary() == miss)
        group.clock.advance(by: 700)
        #expect(try cache.token(for: query).summary() == hit)
        group.clock.advance(by: -1)
        #expect(try cache.token(for: query).summary() == miss)
    }
}
