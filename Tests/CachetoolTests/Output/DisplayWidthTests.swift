// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import cachetool

@Suite("Width on a terminal")
struct DisplayWidthTests {
    @Test(
        "text takes the columns that a terminal gives it",
        arguments: [
            ("", 0), ("abc", 3), ("Zoë", 3), ("Zoe\u{308}", 3), ("王小明", 6), ("한국", 4), ("ｆｕｌｌ", 8), ("👩‍💻", 2), ("🇩🇪", 2),
            ("❤\u{FE0F}", 2), ("é", 1), ("…", 1),
        ]
    )
    func width(text: String, columns: Int) {
        #expect(DisplayWidth.of(text) == columns)
    }

    @Test(
        "cut text fits and ends in an ellipsis",
        arguments: [
            ("abcdef", 6, "abcdef"), ("abcdef", 4, "abc…"), ("abcdef", 1, "…"), ("abcdef", 0, ""), ("王小明", 5, "王小…"),
            ("王小明", 4, "王…"), ("👩‍💻👩‍💻", 3, "👩‍💻…"),
        ]
    )
    func truncation(text: String, columns: Int, expected: String) {
        let cut = DisplayWidth.truncated(text, to: columns)
        #expect(cut == expected)
        #expect(DisplayWidth.of(cut) <= columns)
    }
}
