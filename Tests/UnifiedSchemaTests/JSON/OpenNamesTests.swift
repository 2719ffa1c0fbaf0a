// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import UnifiedSchema

@Suite("Names of open objects")
struct OpenNamesTests {
    /// Whether the object of these names, as they are written, is taken.
    private func accepts(_ names: [String]) -> Bool {
        let text = "{" + names.map { "\"\($0)\":0" }.joined(separator: ",") + "}"
        return (try? JSONScannerTests.scan(Array(text.utf8))) != nil
    }

    @Test(
        "the same name in other escapes is the same",
        arguments: [
            [#"é"#, #"\u00e9"#], [#"\u00E9"#, #"\u00e9"#], [#"/"#, #"\/"#], [#"\n"#, #"\u000a"#],
            [#"😀"#, #"\ud83d\ude00"#],
            [#"\""#, #"\u0022"#], [#""#, #""#], [#"abcdefgh"#, #"abcdefg\u0068"#], [#"\ud800"#, #"\uD800"#],
            [#"0123456789abcdef-long-name"#, #"0123456789abcdef-long\u002dname"#],
        ]
    )
    func same(names: [String]) {
        #expect(!accepts(names))
    }

    @Test(
        "names that only look alike are two",
        arguments: [
            ["e\u{301}", "é"], ["a", "A"], ["a", "a "], ["", " "], ["abcdefgh1", "abcdefgh2"],
            [#"\ud800"#, #"\ud801"#],
            ["1abcdefgh", "2abcdefgh"], [#"\\u0061"#, "a"], ["aaaaaaaa", "aaaaaaaaa"], [#"\ud800"#, #"\ufffd"#],
        ]
    )
    func different(names: [String]) {
        #expect(accepts(names))
    }

    @Test("an inner object has names of its own, and the outer one keeps its")
    func nesting() {
        #expect((try? JSONScannerTests.scan(Array(#"{"a":{"a":{"a":1}},"b":{"a":1}}"#.utf8))) != nil)
        #expect((try? JSONScannerTests.scan(Array(#"{"a":{"b":1},"a":1}"#.utf8))) == nil)
        #expect((try? JSONScannerTests.scan(Array(#"{"x":{"b":1,"c":{},"b":1}}"#.utf8))) == nil)
    }

    @Test("a large object inside a large one leaves it right", arguments: [31, 32, 33, 34, 100])
    func large(count: Int) {
        func members(_ prefix: String) -> String { (0..<count).map { "\"\(prefix)\($0)\":0" }.joined(separator: ",") }
        let inner = "{\(members("n"))}"
        #expect((try? JSONScannerTests.scan(Array("{\(members("n")),\"in\":\(inner),\"last\":0}".utf8))) != nil)
        #expect((try? JSONScannerTests.scan(Array("{\(members("n")),\"in\":\(inner),\"n0\":0}".utf8))) == nil)
        #expect(
            (try? JSONScannerTests.scan(Array("{\"in\":\(inner),\(members("n")),\"n\(count - 1)\":0}".utf8))) == nil
        )
    }

    @Test("names whose quick hashes are equal are still distinguished")
    func collisions() {
        // Same length, same first and last eight bytes: only the middle differs.
        let names = (0..<60).map { "headhead-\($0 < 10 ? "0" : "")\($0)-tailtail" }
        #expect(accepts(names))
        #expect(!accepts(names + [names[30]]))
    }
}
