// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Testing

@testable import UnifiedSchema

@Suite("JSON values in memory")
struct JSONValueTests {
    private func parse(_ text: String) throws(SchemaError) -> JSONValue {
        try JSONValue(parsing: text.rawSpan)
    }

    @Test("claims can be asked for by name")
    func claims() throws {
        let value = try parse(
            #" {"tid":"t","exp":1700000000,"iat":"1700000000.9","x":null,"ok":true,"a":["b",{"c":[]}]} "#
        )
        #expect(value["tid"]?.text == "t")
        #expect(value["exp"]?.seconds == 1_700_000_000)
        #expect(value["iat"]?.seconds == 1_700_000_000)
        #expect(value["x"] == nil)
        #expect(value["ok"]?.boolean == true)
        #expect(value["a"]?.elements.count == 2)
        #expect(value["a"]?.elements[1]["c"]?.elements.isEmpty == true)
        #expect(value.members.map(\.name) == ["tid", "exp", "iat", "x", "ok", "a"])
        #expect(value["tid"]?["x"] == nil)
        #expect(value["none"] == nil)
    }

    @Test("numbers stay text", arguments: ["1e999", "12.50", "-0"])
    func numbers(text: String) throws {
        #expect(try parse(text) == .number(UTF8Text(text)))
    }

    @Test(
        "invalid JSON is not a value",
        arguments: ["", "{", "[1,]", "1 2", #"{"a":1,"a":2}"#, #"["\ud800"]"#, "[[[[]]]]]"]
    )
    func refused(text: String) {
        #expect(throws: SchemaError.self) { try parse(text) }
    }
}
