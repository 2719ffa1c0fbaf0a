// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ToolInterface

@Suite("Numbers for people")
struct HumanNumberTests {
    @Test(
        "digits are grouped by thousands",
        arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (-1_234_567, "-1,234,567")]
    )
    func groups(number: Int, expected: String) {
        #expect(HumanNumber.count(number) == expected)
    }

    @Test("one thing is singular", arguments: [(0, "0 entries"), (1, "1 entry"), (12_000, "12,000 entries")])
    func nouns(number: Int, expected: String) {
        #expect(HumanNumber.count(number, one: "entry", many: "entries") == expected)
    }

    @Test(
        "sizes are given in the unit that fits",
        arguments: [
            (0, "0 B"), (1_023, "1023 B"), (1_024, "1.0 KiB"), (1_536, "1.5 KiB"), (1_048_575, "1,023.9 KiB"),
            (1_048_576, "1.0 MiB"), (5_368_709_120, "5.0 GiB"),
        ]
    )
    func sizes(number: Int, expected: String) {
        #expect(HumanNumber.bytes(number) == expected)
    }
}
