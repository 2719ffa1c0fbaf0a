import Testing

@testable import cachetool

@Suite("Reading claims")
struct JSONReaderTests {
    @Test(
        "values come back as they stand",
        arguments: [
            (#"{"a":[1,-2.5e3,true,false,null,"x"]}"#, #"{"a": [1, -2.5e3, true, false, null, "x"]}"#),
            (#" { } "#, "{}"), ("[]", "[]"), (#""\u0041\n\"\\\/""#, #""A\n\"\\/""#),
            (#""\ud83d\ude00""#, "\"😀\""), (#""\u001b[2J""#, #""\u001b[2J""#),
            ("12345678901234567890", "12345678901234567890"),
        ]
    )
    func values(text: String, expected: String) {
        #expect(JSONReader.value(of: Array(text.utf8))?.json == expected)
    }

    @Test(
        "what is not JSON is nothing",
        arguments: [
            "", "{", "[1,]", "{\"a\"}", "{\"a\":}", "{a:1}", "tru", "nul", "+1", ".5", "e5", "1 2", "\"", "\"\\x\"",
            "\"\\u12\"",
            "\"\\ud800\"", "\"\u{1}\"", "--1", "\u{FEFF}{}",
        ]
    )
    func rubbish(text: String) {
        #expect(JSONReader.value(of: Array(text.utf8)) == nil)
    }

    @Test("bytes that are no UTF-8 are nothing")
    func encoding() {
        #expect(JSONReader.value(of: [0x22, 0xFF, 0x22]) == nil)
    }

    @Test("depth is bounded")
    func depth() {
        func nested(_ depth: Int) -> [UInt8] {
            Array(repeating: UInt8(ascii: "["), count: depth) + Array(repeating: UInt8(ascii: "]"), count: depth)
        }
        #expect(JSONReader.value(of: nested(32)) != nil)
        #expect(JSONReader.value(of: nested(33)) == nil)
        #expect(JSONReader.value(of: nested(1_000_000)) == nil)
    }
}
