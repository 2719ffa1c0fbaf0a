// SPDX-License-Identifier: Apache-2.0

import Testing
import UnifiedSchema

private let century: Int64 = 100 * 31_557_600

@Suite("Expiry without a margin")
struct ExpiryTests {
    @Test("an entry: from its end on", arguments: [(9, false), (10, true), (11, true)] as [(Int64, Bool)])
    func entry(now: Int64, hasEnded: Bool) {
        #expect(EntryTimes(expiresOn: 10).hasEnded(now) == hasEnded)
        #expect(EntryTimes(cachedAt: 1).hasEnded(now) == nil)
    }

    @Test(
        "an access token, for good: when its extended lifetime is over too",
        arguments: [
            (10, nil, 9, false), (10, nil, 10, true), (10, 20, 15, false), (10, 20, 20, true), (10, 5, 9, false),
            (10, 5, 10, true), (nil, 5, 99, false), (nil, nil, 99, false),
        ] as [(Int64?, Int64?, Int64, Bool)]
    )
    func forGood(expiresOn: Int64?, extended: Int64?, now: Int64, hasEnded: Bool) {
        let times = EntryTimes(expiresOn: expiresOn, extendedExpiresOn: extended)
        #expect(times.hasEndedForGood(now) == hasEnded)
        // What a save may remove, no lookup hands out.
        let validity = ValidityInterval(times, margin: 0)
        #expect(!hasEnded || !validity.contains(now) && !validity.isExtended(until: extended ?? .min, now: now))
    }

    @Test(
        "a refresh token: where a library wrote an end down",
        arguments: [(10, 9, false), (10, 10, true), (0, 10, false), (-5, 10, false), (nil, 10, false)]
            as [(Int64?, Int64, Bool)]
    )
    func refreshToken(expiresOn: Int64?, now: Int64, hasEnded: Bool) {
        #expect(EntryTimes(expiresOn: expiresOn).hasRefreshTokenEnded(now) == hasEnded)
    }

    @Test(
        "an extended lifetime: not before the token, and not where its end cannot be meant",
        arguments: [
            (15, 20, true), (20, 20, false), (-1000, 20, false), (15, .max, false), (15, 15 + century, true),
            (15, 16 + century, false),
        ] as [(Int64, Int64, Bool)]
    )
    func extended(now: Int64, end: Int64, isExtended: Bool) {
        let validity = ValidityInterval(EntryTimes(cachedAt: 0, expiresOn: 10), margin: nil)
        #expect(validity.isExtended(until: end, now: now) == isExtended)
    }
}
