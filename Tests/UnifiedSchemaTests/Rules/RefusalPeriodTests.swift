// SPDX-License-Identifier: Apache-2.0

import Testing
import UnifiedSchema

@Suite("How long a refusal is in effect")
struct RefusalPeriodTests {
    @Test("from when it was made until its end, and an hour at most")
    func contains() {
        let period = RefusalPeriod(madeOn: 100, until: 200)
        #expect([99, 100, 199, 200].map { period.contains($0) } == [false, true, true, false])
        #expect([199, 200].map { period.hasEnded($0) } == [false, true])
        #expect(RefusalPeriod(madeOn: 0, until: 3600).contains(1))
        #expect(!RefusalPeriod(madeOn: 0, until: 3601).contains(1))
        #expect(!RefusalPeriod(madeOn: .min, until: .max).contains(0))
        #expect(!RefusalPeriod(madeOn: 5, until: 5).contains(5))
    }

    @Test(
        "a server is left alone for as long as it says, up to an hour",
        arguments: [(0, 0), (-5, 0), (30, 30), (3600, 3600), (.max, 3600)] as [(Int64, Int64)]
    )
    func server(retryAfter: Int64, seconds: Int64) {
        for isBusy in [false, true] {
            let last = RefusalPeriod(madeOn: 960, until: 1000)
            let period = RefusalPeriod.ofServer(from: 1000, retryAfter: retryAfter, isBusy: isBusy, last: last)
            #expect(period == RefusalPeriod(madeOn: 1000, until: 1000 + seconds))
        }
    }

    @Test("a server that does not say how long is left alone for a minute if it has too many requests")
    func busy() {
        let last = RefusalPeriod(madeOn: 960, until: 1000)
        let period = RefusalPeriod.ofServer(from: 1000, retryAfter: nil, isBusy: true, last: last)
        #expect(period == RefusalPeriod(madeOn: 1000, until: 1060))
    }

    @Test("otherwise for ten seconds, and twice as long each time in a row, up to a minute")
    func inTrouble() {
        var now: Int64 = 1000
        var last: RefusalPeriod?
        for seconds in [10, 20, 40, 60, 60] as [Int64] {
            let period = RefusalPeriod.ofServer(from: now, retryAfter: nil, isBusy: false, last: last)
            #expect(period == RefusalPeriod(madeOn: now, until: now + seconds))
            // The last moment at which the next trouble still continues this one.
            now = period.until + seconds - 1
            last = period
        }
        let later = RefusalPeriod.ofServer(from: now + 1, retryAfter: nil, isBusy: false, last: last)
        #expect(later == RefusalPeriod(madeOn: now + 1, until: now + 11))
        let future = RefusalPeriod(madeOn: 5000, until: 5040)
        #expect(RefusalPeriod.ofServer(from: 1000, retryAfter: nil, isBusy: false, last: future).until == 1010)
    }

    @Test("a refusal that requires the user lasts two minutes, and no clock overflows")
    func person() {
        #expect(RefusalPeriod.ofUser(from: 1000) == RefusalPeriod(madeOn: 1000, until: 1120))
        #expect(!RefusalPeriod.ofUser(from: .max).contains(.max))
    }
}
