// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Testing

@testable import UnifiedSchema

@Suite("Escapes")
struct JSONStringTests {
    private func text(_ content: String) -> UTF8Text? {
        JSONString.text(of: content.rawSpan, hasEscapes: content.contains("\\"))
    }

    @Test(
        "escapes become text",
        arguments: [
            ("plain", "plain"), (#"\"\\\/"#, "\"\\/"), (#"\b\f\n\r\t"#, "\u{8}\u{C}\n\r\t"),
            (#"\u0041\u00e9\u20AC"#, "Aé€"),
            (#"\ud83d\ude00!"#, "😀!"), (#"\uD83D\uDE00"#, "😀"), (#"é\u0000é"#, "é\u{0}é"), ("", ""),
            (#"\uDBFF\uDFFF"#, "\u{10FFFF}"),
        ]
    )
    func unescape(content: String, expected: String) {
        #expect(text(content) == UTF8Text(expected))
    }

    @Test(
        "an unpaired surrogate is not text but distinguishes names",
        arguments: [
            #"\ud800"#, #"\udc00"#, #"\ud800x"#, #"\ud800\ud800"#, #"\udc00\ud800"#, #"\ud83d\u0041"#, #"a\udfff"#,
        ]
    )
    func loneSurrogates(content: String) {
        #expect(text(content) == nil)
        let identity = JSONString.identity(of: content.rawSpan, hasEscapes: true)
        let other = JSONString.identity(of: (content + "\\u0041").rawSpan, hasEscapes: true)
        #expect(identity != other)
        #expect(identity.count <= content.utf8.count)
    }

    @Test(
        "what no JSON writer wrote is no text and does not trap",
        arguments: [#"\"#, #"\u"#, #"\u12"#, #"\uzzzz"#, #"\x"#, #"abc\ud83d\u"#]
    )
    func malformed(content: String) {
        #expect(text(content) == nil)
    }

    @Test("text survives escaping and unescaping")
    func roundTrip() {
        for text in ["", "plain", "\"\\/", (0..<0x80).map { String(UnicodeScalar(UInt8($0))) }.joined(), "é😀\u{7F}"] {
            var content: [UInt8] = []
            JSONString.appendEscaped(text.rawSpan, to: &content)
            let back = JSONString.text(of: content.rawSpan, hasEscapes: true)
            #expect(back == UTF8Text(text))
            #expect(throws: Never.self) { try JSONScannerTests.scan([ASCII.quote] + content + [ASCII.quote]) }
        }
    }
}
