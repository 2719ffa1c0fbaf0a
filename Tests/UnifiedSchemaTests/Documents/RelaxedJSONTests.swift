// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import UnifiedSchema

@Suite("JSON as the libraries for .NET read it")
struct RelaxedJSONTests {
    /// The text after it went through in pieces of a size; a comma at the end of a piece is left to whoever passes them.
    private static func tidied(_ text: String, pieceSize: Int = .max) -> String {
        var json = RelaxedJSON()
        var bytes = Array(text.utf8)
        var start = 0
        while start < bytes.count {
            let end = start + min(pieceSize, bytes.count - start)
            var span = bytes.mutableSpan
            var raw = unsafe span.mutableBytes
            _ = json.tidy(&raw, start..<end)
            start = end
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(
        "a comma behind the last member becomes a space",
        arguments: [
            ("{\"a\":1,}", "{\"a\":1 }"), ("[1,]", "[1 ]"), ("[1 , \n ]", "[1   \n ]"), ("[[],]", "[[] ]"),
            ("[{},]", "[{} ]"), ("{\"a\":\"x\",}", "{\"a\":\"x\" }"), ("[true,]", "[true ]"),
            ("{\"a\":[1,],\"b\":{\"c\":2,},}", "{\"a\":[1 ],\"b\":{\"c\":2 } }"),
        ]
    )
    func trailing(text: String, expected: String) {
        #expect(Self.tidied(text) == expected)
    }

    @Test(
        "any other comma stays",
        arguments: [
            "{,}", "[,]", "[1,,]", "[1,2]", "{\"a\":1,\"b\":2}", "{\"a\":,}", "\",}\"", "[\",]\",\"\\\",]\"]", "[1],",
            ",",
            "{\"a\":\"\\\\\",\"b\":1}", "[1,/**/]",
        ]
    )
    func others(text: String) {
        #expect(Self.tidied(text) == text)
    }

    @Test("contents of strings are ignored, wherever pieces are split")
    func strings() {
        let text = "{\"a,}\":\"\\\",]\\\\\",\"ä,}\":[\"\\\\\\\",}\"]}"
        for size in 1...text.utf8.count { #expect(Self.tidied(text, pieceSize: size) == text) }
    }
}
