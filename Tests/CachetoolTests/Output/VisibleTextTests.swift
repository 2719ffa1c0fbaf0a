// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ToolInterface
@testable import cachetool

@Suite("Text from a cache")
struct VisibleTextTests {
    @Test("plain text, also in other scripts, stays as it is", arguments: ["", "me@contoso.com", "Zoë 王小明 👩‍💻", "a-b_c"])
    func harmless(text: String) {
        #expect(VisibleText.escaped(text) == text)
    }

    @Test(
        "what a terminal would obey is written out",
        arguments: [
            ("\u{1B}[31mred", "\\u{1B}[31mred"), ("a\nb", "a\\u{A}b"), ("bell\u{7}", "bell\\u{7}"),
            ("\u{9B}2J", "\\u{9B}2J"), ("x\u{7F}", "x\\u{7F}"), ("\r\n", "\\u{D}\\u{A}"),
        ]
    )
    func controls(text: String, expected: String) {
        #expect(VisibleText.escaped(text) == expected)
    }

    @Test(
        "what reorders or hides text is written out",
        arguments: [
            ("\u{202E}moc.live", "\\u{202E}moc.live"), ("ad\u{200B}min", "ad\\u{200B}min"),
            ("\u{2066}x\u{2069}", "\\u{2066}x\\u{2069}"), ("\u{E0041}", "\\u{E0041}"),
        ]
    )
    func deception(text: String, expected: String) {
        #expect(VisibleText.escaped(text) == expected)
    }

    @Test("a message keeps its line ends and nothing else")
    func lines() {
        #expect(VisibleText.escapedLines("a\nb\tc") == "a\nb\\u{9}c")
    }
}
