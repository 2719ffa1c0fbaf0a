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
        arguments: [(nil, 60), (0, 0), (-5, 0), (30, 30), (3600, 3600), (.max, 3600)] as [(Int64?, Int64)]
    )
    func server(retryAfter: Int64?, seconds: Int64) {
        let period = RefusalPeriod.ofServer(from: 1000, retryAfter: retryAfter)
        #expect(period == RefusalPeriod(madeOn: 1000, until: 1000 + seconds))
    }

    @Test("a refusal that requires the user lasts two minutes, and no clock overflows")
    func person() {
        #expect(RefusalPeriod.ofUser(from: 1000) == RefusalPeriod(madeOn: 1000, until: 1120))
        #expect(!RefusalPeriod.ofUser(from: .max).contains(.max))
    }
}
