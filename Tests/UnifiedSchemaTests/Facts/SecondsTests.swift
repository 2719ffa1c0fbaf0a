// SPDX-License-Identifier: Apache-2.0

import Testing
import UnifiedSchema

@Suite("Times")
struct SecondsTests {
    @Test(
        "times are read however they were written",
        arguments: [
            ("1562842351", 1_562_842_351), ("1562842351.202", 1_562_842_351), ("0", 0), (" 12 ", 12), ("-5", -5),
            ("-5.9", -5), ("1.7e9", 1_700_000_000), ("9007199254740993", 9_007_199_254_740_993), ("5.999", 5),
            ("00012", 12), ("+7", 7), ("999999999999999999", 999_999_999_999_999_999),
            ("9223372036854775807", 9_223_372_036_854_775_807),
        ] as [(String, Int64)]
    )
    func read(text: String, expected: Int64) {
        #expect(Seconds.parse(UTF8Text(text)) == expected)
    }

    @Test(
        "an invalid time is nil",
        arguments: ["", " ", "abc", "12a", "1e999", "nan", "inf", "NaN", "0x10", "-", ".", "e5", "1e19", "1 2", "é"]
    )
    func refused(text: String) {
        #expect(Seconds.parse(UTF8Text(text)) == nil)
    }
}
