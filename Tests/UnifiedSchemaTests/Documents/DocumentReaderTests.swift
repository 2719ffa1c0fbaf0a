// SPDX-License-Identifier: Apache-2.0

import Testing
import UnifiedSchema

@Suite("Reading a document")
struct DocumentReaderTests {
    static let credential = #"{"secret":"s","client_id":"c","environment":"e","x":[1,{"y":null}]}"#

    static let document = """
        {"AccessToken":{"one":\(credential),"tw\\u006f":{"foo":"bar"}},
         "Extra":{"e1":5,"e2":{"z":1}},"Scalar" : 12.50 , "Empty":{}, "RefreshToken":{ },
         "Account":{"a":{"home_account_id":"u.t","environment":"e","avatar":null,"n":1e999}}}
        """

    @Test("entries come with section, key and kind", arguments: [1, 2, 3, 7, 64, 1000])
    func entries(pieceSize: Int) throws {
        let read = try ReadDocument(HeapWindow(Self.document, pieceSize: pieceSize))
        let seen = read.entries.map { "\($0.facts.sectionName)/\($0.facts.key?.string ?? "-")/\($0.facts.kind)" }
        #expect(
            seen == [
                "AccessToken/one/accessToken", "AccessToken/two/opaque", "Extra/e1/opaque", "Extra/e2/opaque",
                "Scalar/-/opaque", "Empty/-/opaque", "Account/a/account",
            ]
        )
    }

    @Test("documents are written as they were read, without empty sections of known kinds", arguments: [1, 5, 4096])
    func roundTrip(pieceSize: Int) throws {
        let read = try ReadDocument(HeapWindow(Self.document, pieceSize: pieceSize))
        let text = try write(read.entries)
        #expect(text.contains(#""tw\u006f":{"foo":"bar"}"#))
        #expect(text.contains(#""Scalar":12.50"#))
        // An empty section of a known kind says nothing.
        #expect(!text.contains("RefreshToken"))
        #expect(text.contains(#""avatar":null,"n":1e999"#))
        let again = try ReadDocument(HeapWindow(text))
        #expect(again.entries.map(\.facts) == read.entries.map(\.facts))
        #expect(again.entries.map(\.payload) == read.entries.map(\.payload))
    }

    @Test("indented output says the same")
    func indented() throws {
        let read = try ReadDocument(HeapWindow(Self.document))
        let text = try write(read.entries, style: .indented)
        #expect(text.hasPrefix("{\n    \"AccessToken\": {\n        \"one\": {\n            \"secret\": \"s\",\n"))
        #expect(text.hasSuffix("\n    }\n}\n"))
        #expect(try ReadDocument(HeapWindow(text)).entries.map(\.facts) == read.entries.map(\.facts))
    }

    @Test("an empty document has no entries", arguments: ["{}", " { } \n", "{\n}"])
    func empty(text: String) throws {
        #expect(try ReadDocument(HeapWindow(text)).entries.isEmpty)
        #expect(try write([]) == "{}")
    }

    @Test(
        "an invalid document is refused, with the position",
        arguments: [
            ("", SchemaError.Code.unexpectedEnd, 0), ("[]", .notAnObject, 0), ("5", .notAnObject, 0),
            ("{} {", .malformedJSON, 3), ("{\"a\":1,}", .malformedJSON, 7), ("{\"a\" 1}", .malformedJSON, 5),
            ("{a:1}", .malformedJSON, 1), ("{\"a\":1", .unexpectedEnd, 6), ("{\"a\":tru}", .malformedJSON, 5),
            ("{\"AccessToken\":[]}", .notAnObject, 15), ("{\"AccessToken\":5}", .notAnObject, 15),
            ("{\"Account\":{\"k\":1}}", .notAnObject, 16), ("{\"A\":1,\"A\":2}", .duplicateName, 11),
            ("{\"A\":1,\"\\u0041\":2}", .duplicateName, 16), ("{\"X\":{\"k\":1,\"k\":2}}", .duplicateName, 16),
            ("{\"Account\":{\"k\":{\"a\":1,\"a\":2}}}", .duplicateName, 23), ("{\"a\":1}}", .malformedJSON, 7),
            ("{\"a\":01}", .malformedJSON, 5), ("{\"a\":1.}", .malformedJSON, 7),
            ("{\"a\":\"\u{1}\"}", .malformedJSON, 6),
        ]
    )
    func refused(text: String, code: SchemaError.Code, offset: Int) {
        for pieceSize in [1, 3, 4096] {
            let error = #expect(throws: SchemaError.self) {
                try ReadDocument(HeapWindow(text, pieceSize: pieceSize))
            }
            #expect(error?.code == code)
            #expect(error?.byteOffset == offset)
            #expect(error?.line == 1)
        }
    }

    @Test(
        "other encodings are refused",
        arguments: [
            [0xEF, 0xBB, 0xBF, 0x7B, 0x7D], [0xFF, 0xFE, 0x7B, 0x00], [0x00, 0x7B], [0x7B, 0x00, 0x7D, 0x00],
        ] as [[UInt8]]
    )
    func encodings(bytes: [UInt8]) {
        let error = #expect(throws: SchemaError.self) { try ReadDocument(HeapWindow(bytes)) }
        #expect(error?.code == .malformedJSON)
    }

    @Test("the line of an error counts from the start of the document", arguments: [1, 11, 4096])
    func lines(pieceSize: Int) {
        let text = "{\n\"A\":1,\n\n\"B\":{\n\"k\":1,\"l\":}}"
        let error = #expect(throws: SchemaError.self) {
            try ReadDocument(HeapWindow(text, pieceSize: pieceSize))
        }
        #expect(error?.line == 5)
        #expect(error?.byteOffset == 26)
        #expect(error?.rule.contains("\"") == false)
    }

    @Test("bad entries are passed over when they are collected", arguments: [1, 2, 100, 4096])
    func collecting(pieceSize: Int) throws {
        let long = String(repeating: "x", count: 3000)
        let text = """
            {"AccessToken":{"a":5,"b":\(Self.credential),"c":["\(long)\\n",{"é":1.5e3}],"d":{"q":1,"q":2},
            "b":\(Self.credential),"e":\(Self.credential)},
            "IdToken":7,"X":["\(long)",true],
            "AccessToken":{"f":\(Self.credential)},"Y":1}
            """
        var limits = DocumentLimits()
        limits.entryBytes = 1000
        let read = try ReadDocument(HeapWindow(text, pieceSize: pieceSize), limits: limits, collectsBadEntries: true)
        #expect(read.entries.map { $0.facts.key?.string } == ["b", "e", nil])
        #expect(
            read.bad.map(\.code) == [
                .notAnObject, .notAnObject, .duplicateName, .duplicateName, .notAnObject, .limitExceeded,
                .duplicateName,
            ]
        )
        #expect(read.bad.map(\.line) == [1, 1, 1, 2, 3, 3, 4])
    }

    @Test("broken JSON stops the reading even when bad entries are collected")
    func brokenStops() {
        let error = #expect(throws: SchemaError.self) {
            try ReadDocument(HeapWindow(#"{"Account":{"a":5,"b":{"x":}}}"#), collectsBadEntries: true)
        }
        #expect(error?.code == .malformedJSON)
    }

    @Test("an entry longer than the limit is refused before it is read whole")
    func longEntry() {
        var limits = DocumentLimits()
        limits.entryBytes = 100_000
        let text = "{\"Account\":{\"a\":{\"x\":\"" + String(repeating: "y", count: 1_000_000)
        let error = #expect(throws: SchemaError.self) {
            try ReadDocument(HeapWindow(text, pieceSize: 4096), limits: limits)
        }
        #expect(error?.code == .limitExceeded)
        #expect(error?.byteOffset == 16)
    }

    @Test("the window stays as small as the entries allow")
    func smallWindow() throws {
        let entry = #"{"home_account_id":"u.t","environment":"\#(String(repeating: "e", count: 2000))"}"#
        let text = "{\"Account\":{" + (0..<500).map { "\"k\($0)\":\(entry)" }.joined(separator: ",") + "}}"
        var window = HeapWindow(text)
        var reader = DocumentReader()
        var count = 0
        while try reader.next(from: &window) != nil { count += 1 }
        #expect(count == 500)
        #expect(window.peak <= 65_536)
    }

    @Test("a document over the limit is refused")
    func longDocument() {
        var limits = DocumentLimits()
        limits.documentBytes = 100
        let error = #expect(throws: SchemaError.self) {
            try ReadDocument(HeapWindow("{\"A\":\"" + String(repeating: "x", count: 100) + "\"}"), limits: limits)
        }
        #expect(error?.code == .limitExceeded)
    }
}
