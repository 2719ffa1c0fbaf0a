// SPDX-License-Identifier: Apache-2.0

import Testing
import TokenCaching

@testable import TokenCachingTestSupport

@Suite("Moments")
struct TimestampTests {
    private static let most = Duration.seconds(Int64.max)

    @Test(
        "are moved by whole seconds, rounded down, and stop at the ends of their range",
        arguments: [
            (0, .seconds(5), 5), (5, .seconds(-10), -5), (.max, .seconds(1), .max), (.min, .seconds(-1), .min),
            (.max - 1, .seconds(1), .max), (.max, .seconds(Int64.min), -1), (0, .milliseconds(1_999), 1),
            (0, .milliseconds(-1), -1), (0, most * 2, .max), (0, most * -2, .min), (-5, most * 2, .max - 5),
        ] as [(Int64, Duration, Int64)]
    )
    func advanced(from: Int64, by duration: Duration, to: Int64) {
        #expect(Timestamp(secondsSince1970: from).advanced(by: duration) == Timestamp(secondsSince1970: to))
    }

    @Test(
        "are as far from each other as their seconds",
        arguments: [
            (0, 5, .seconds(5)), (5, 0, .seconds(-5)), (.min, .max, most * 2 + .seconds(1)),
        ] as [(Int64, Int64, Duration)]
    )
    func distance(from: Int64, to: Int64, duration: Duration) {
        #expect(Timestamp(secondsSince1970: from).duration(to: Timestamp(secondsSince1970: to)) == duration)
    }
}
