// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ToolInterface
@testable import cachetool

@Suite("Times for people")
struct HumanTimeTests {
    private let now: Int64 = 1_795_000_000

    @Test(
        "a moment is said relative to now",
        arguments: [
            (0, "now"), (1, "in 1 s"), (59, "in 59 s"), (60, "in 1 min"), (2_620, "in 43 min"), (7_199, "in 1 h"),
            (-7_200, "2 h ago"), (-172_800, "2 d ago"), (63_072_000, "in 2 y"), (-5, "5 s ago"),
        ]
    )
    func relative(seconds: Int64, expected: String) {
        #expect(HumanTime.relative(now + seconds, now: now) == expected)
    }

    @Test(
        "moments beyond any calendar do not overflow",
        arguments: [(Int64.max, "in over 100 y"), (1_795_000_000_000, "in over 100 y"), (Int64.min, "long ago")]
    )
    func extremes(moment: Int64, expected: String) {
        #expect(HumanTime.relative(moment, now: now) == expected)
        #expect(HumanTime.absolute(moment) == "\(moment)")
    }

    @Test(
        "a moment is written as a clock in Greenwich shows it",
        arguments: [
            (0, "1970-01-01 00:00:00 UTC"), (-1, "1969-12-31 23:59:59 UTC"), (951_782_400, "2000-02-29 00:00:00 UTC"),
            (1_795_000_000, "2026-11-18 11:06:40 UTC"), (4_107_542_399, "2100-02-28 23:59:59 UTC"),
            (253_402_300_799, "9999-12-31 23:59:59 UTC"), (-62_135_596_800, "0001-01-01 00:00:00 UTC"),
        ]
    )
    func absolute(moment: Int64, expected: String) {
        #expect(HumanTime.absolute(moment) == expected)
    }
}
