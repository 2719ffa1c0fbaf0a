// SPDX-License-Identifier: Apache-2.0

import CacheAdministration
import Testing

@testable import cachetool

@Suite("Claims as text")
struct JSONValueTextTests {
    @Test(
        "values are read back unchanged",
        arguments: [
            (#"{"a":[1,-2.5e3,true,false,null,"x"]}"#, #"{"a": [1, -2.5e3, true, false, null, "x"]}"#),
            (#" { } "#, "{}"), ("[]", "[]"), (#""\u0041\n\"\\\/""#, #""A\n\"\\/""#),
            (#""\ud83d\ude00""#, "\"😀\""), (#""\u001b[2J""#, #""\u001b[2J""#),
            ("12345678901234567890", "12345678901234567890"),
        ]
    )
    func values(text: String, expected: String) throws {
        #expect(try unsafe JSONValue(parsing: Array(text.utf8).span.bytes).json == expected)
    }
}
