// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Testing

@testable import UnifiedSchema

@Suite("The rules of JSON")
struct JSONScannerTests {
    /// Reads one value that is all there is.
    static func scan(_ bytes: [UInt8], depth: Int = 32) throws(SchemaError) {
        var scanner = JSONScanner(bytes.rawSpan, maximumDepth: depth)
        _ = try scanner.value(depth: 1)
        scanner.skipWhitespace()
        guard scanner.position == bytes.count else { throw scanner.malformed("nothing may follow") }
    }

    @Test(
        "well-formed values are taken",
        arguments: [
            "null", "true", "false", "0", "-0", "1", "-1", "10", "1.5", "-1.50e10", "1E-2", "1e+2", "1e999",
            "\"\"", "\"a\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"", "\"\u{7F}\"", "\"é€😀\"",
            "\"\\ud800\"", "\"\\udc00\\ud800\"", "\"\\uD83D\\uDE00\"", "[]", "[ ]", "[1,2]", "[[],{}]", "{}", "{ }",
            "{\"a\":1}", "{\"a\":{\"a\":1},\"b\":[{\"a\":1}]}", " \t\r\n1 \n", "{\"\":0}", "[\"a\" , \"b\"]",
            "123456789012345678901234567890", "\"0123456789012345678901234567890123456789\"",
        ]
    )
    func accepted(text: String) throws {
        try Self.scan(Array(text.utf8))
    }

    @Test(
        "everything else is refused",
        arguments: [
            "", " ", "nul", "nulL", "True", "NAN", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "-", "--1", "1..2",
            "0x1",
            "NaN", "Infinity", "-Infinity", "[1,NaN]", "{\"a\":-Infinity}", "Inf", "-NaN", "'a'", "\"", "\"\\\"",
            "\"\\x41\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\", "\"\\u\"", "\"\n\"",
            "\"\u{0}\"", "\"\u{1F}\"", "[", "]", "[1", "[1,", "[1,]", "[,1]", "[,]", "[1 2]", "[1}", "{", "}",
            "{\"a\"}",
            "{\"a\":}", "{\"a\":1,}", "{,}", "{\"a\":1 \"b\":2}", "{1:2}", "{a:1}", "{\"a\":1]", "{\"a\"::1}", "1 2",
            "[] []", "{\"a\":1}}", "/**/1", "1//", "\u{FEFF}1", "{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}",
            "[{\"x\":[{\"b\":1,\"b\":1}]}]", "truefalse", "\"a\"b", "1a", "\u{A0}1",
        ]
    )
    func refused(text: String) {
        #expect(throws: SchemaError.self) { try Self.scan(Array(text.utf8)) }
    }

    @Test(
        "bytes that are not UTF-8 are refused at their position",
        arguments: [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC2], [0xC2, 0x41], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
            [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xEF, 0xBF], [0xF0, 0x80, 0x80, 0x80],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF],
            [0xF0, 0x9F, 0x98],
        ] as [[UInt8]]
    )
    func invalidUTF8(bytes: [UInt8]) {
        for prefix in [0, 1, 7, 8, 31, 32, 33, 40] {
            let text = [0x22] + [UInt8](repeating: 0x61, count: prefix) + bytes + [0x22]
            let error = #expect(throws: SchemaError.self) { try Self.scan(text) }
            #expect(error?.code == .malformedJSON)
            #expect(error?.byteOffset == 1 + prefix)
        }
    }

    @Test(
        "the edges of UTF-8 are taken",
        arguments: ["\u{80}", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}", "\u{10FFFF}"]
    )
    func edges(text: String) throws {
        try Self.scan(Array("\"\(text)x\(text)\"".utf8))
    }

    @Test("the end of a string is seen at every offset", arguments: 0..<70)
    func offsets(offset: Int) throws {
        let plain = String(repeating: "a", count: offset)
        try Self.scan(Array("\"\(plain)\"".utf8))
        try Self.scan(Array("\"\(plain)\\n\(plain)é\(plain)\"".utf8))
        #expect(throws: SchemaError.self) { try Self.scan(Array("\"\(plain)\u{1F}\(plain)\"".utf8)) }
        #expect(throws: SchemaError.self) { try Self.scan(Array("\"\(plain)\"\(plain)\"".utf8)) }
    }

    @Test("nesting is bounded, and a hostile nest fails fast")
    func depth() throws {
        let nest = { (count: Int) in [UInt8](repeating: 0x5B, count: count) + [UInt8](repeating: 0x5D, count: count) }
        try Self.scan(nest(32))
        let error = #expect(throws: SchemaError.self) { try Self.scan(nest(33)) }
        #expect(error?.code == .limitExceeded)
        #expect(error?.byteOffset == 32)
        // It stops at the first level that is too much, however many there are.
        let hostile = [UInt8](repeating: 0x5B, count: 100_000_000)
        let refused = #expect(throws: SchemaError.self) { try Self.scan(hostile, depth: .max) }
        #expect(refused?.code == .limitExceeded)
        #expect(try #require(refused?.byteOffset) < 1_000)
    }

    @Test("a name that occurs twice is found among many")
    func manyNames() throws {
        let names = (0..<1000).map { "\"name\($0)\":[{\"x\":1,\"y\":2}]" }
        try Self.scan(Array("{\(names.joined(separator: ","))}".utf8))
        for position in [1, 31, 32, 33, 999] {
            var twice = names
            twice.append("\"n\\u0061me\(position)\":0")
            let error = #expect(throws: SchemaError.self) {
                try Self.scan(Array("{\(twice.joined(separator: ","))}".utf8))
            }
            #expect(error?.code == .duplicateName)
        }
    }

    @Test("truncated input is distinguished from invalid JSON at every offset")
    func truncation() throws {
        let whole = Array(#"{"a":[1.5e3,"x\u00e9é",true,null],"b":{"c":-1}}"#.utf8)
        try Self.scan(whole)
        for end in 0..<whole.count {
            let error = #expect(throws: SchemaError.self) { try Self.scan(Array(whole[..<end])) }
            #expect(error?.code == .unexpectedEnd, "\(end)")
        }
    }

    @Test("no rule repeats the input")
    func noContent() {
        for text in [
            "\"TOPSECRET\u{1}\"", "{\"TOPSECRET\":1,\"TOPSECRET\":2}", "TOPSECRET", "[\"TOPSECRET\" TOPSECRET]",
        ] {
            let error = #expect(throws: SchemaError.self) { try Self.scan(Array(text.utf8)) }
            #expect(error.map { "\($0) \(String(reflecting: $0))" }?.contains("TOPSECRET") == false)
        }
    }
}
