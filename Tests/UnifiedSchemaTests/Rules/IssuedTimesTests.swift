// SPDX-License-Identifier: Apache-2.0

import Testing
import UnifiedSchema

@Suite("The times of a token that was just issued")
struct IssuedTimesTests {
    private static let now: Int64 = 1_700_000_000
    private static let century = ValidityInterval.longestCredibleLifetime

    private func times(
        in expiresIn: Int64? = nil,
        on expiresOn: Int64? = nil,
        extended: Int64? = nil,
        refresh: Int64? = nil,
        now: Int64 = Self.now
    ) -> IssuedTimes {
        IssuedTimes(
            now: now,
            expiresIn: expiresIn,
            expiresOn: expiresOn,
            extendedExpiresIn: extended,
            refreshIn: refresh
        )
    }

    @Test(
        "a lifetime that cannot be meant counts as not said",
        arguments: [
            (nil, 3600), (1, 1), (60, 60), (century, century), (century + 1, 3600), (1_000_000_000_000, 3600),
            (0, 3600), (-1, 3600), (.min, 3600), (.max, 3600),
        ] as [(Int64?, Int64)]
    )
    func lifetime(said: Int64?, counts: Int64) {
        #expect(times(in: said).expiresOn == Self.now + counts)
    }

    @Test(
        "an end that has passed, in milliseconds or centuries ahead, counts as not said",
        arguments: [
            (now + 1, 1), (now + 7200, 7200), (now, 3600), (now - 10, 3600), (0, 3600), (-1, 3600), (.min, 3600),
            ((now + 3600) * 1000, 3600), (now + century + 1, 3600), (.max, 3600),
        ] as [(Int64, Int64)]
    )
    func end(said: Int64, counts: Int64) {
        #expect(times(on: said).expiresOn == Self.now + counts)
        #expect(times(in: 0, on: said).expiresOn == Self.now + counts)
        #expect(times(in: 50, on: said).expiresOn == Self.now + 50)
    }

    @Test(
        "a renewal is due between the issue and the end, or at no time",
        arguments: [
            (1, 1), (1800, 1800), (3599, 3599), (3600, nil), (7200, nil), (0, nil), (-1, nil), (.min, nil), (.max, nil),
        ] as [(Int64, Int64?)]
    )
    func refresh(said: Int64, counts: Int64?) {
        for lifetime in [3600, 0, nil] as [Int64?] {
            #expect(times(in: lifetime, refresh: said).refreshOn == counts.map { Self.now + $0 })
        }
        #expect(times(in: 1, refresh: said).refreshOn == nil)
    }

    @Test(
        "an extended lifetime that cannot be meant is none",
        arguments: [(7200, 7200), (0, nil), (-1, nil), (century + 1, nil), (.max, nil)] as [(Int64, Int64?)]
    )
    func extended(said: Int64, counts: Int64?) {
        #expect(times(extended: said).extendedExpiresOn == counts.map { Self.now + $0 })
    }

    @Test("no clock makes it trap", arguments: [.min, -1, 0, .max] as [Int64])
    func clocks(now: Int64) {
        for number in [.min, -1, 0, 1, .max] as [Int64] {
            let times = times(in: number, on: number, extended: number, refresh: number, now: now)
            #expect(times.expiresOn >= now)
        }
    }
}
