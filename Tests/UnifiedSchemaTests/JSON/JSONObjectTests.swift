// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Testing

@testable import UnifiedSchema

@Suite("Members of an object, in place")
struct JSONObjectTests {
    static let response = #"""
        {"token_type":"Bearer","scope":"User.Read openid","expires_in":3599,"ext_expires_in":"7200","access_token":"ey\u002e1",
         "refresh_token":"0.A\"b","foci":null,"\u0069d_token":"h.p.s","nested":{"a":[1]},"flag":true}
        """#

    @Test("text, times and places are found")
    func members() throws {
        let json = Self.response.rawSpan
        let object = try JSONObject(json)
        let scope = object.text("scope", in: json)
        let life = object.seconds("expires_in", in: json)
        let extendedLife = object.seconds("ext_expires_in", in: json)
        #expect(scope == "User.Read openid")
        #expect(life == 3599)
        #expect(extendedLife == 7200)
        for name in ["foci", "missing"] as [StaticString] {
            let value = object.value(name, in: json)
            #expect(value == nil)
        }
        let (flag, nested) = (object.value("flag", in: json), object.value("nested", in: json))
        #expect(flag?.form == .boolean)
        #expect(nested?.form == .object)
        // Its name is spelled with an escape.
        let idToken = object.value("id_token", in: json)
        #expect(idToken?.isString == true)
        let sameToken = object.value(of: "id_token", in: json)
        #expect(sameToken == idToken)
        let wrong = object.text("expires_in", in: json)
        #expect(wrong == nil)
    }

    @Test(
        "a secret goes from its place into the caller's memory",
        arguments: [("access_token", "ey.1"), ("refresh_token", "0.A\"b")]
    )
    func secrets(name: String, expected: String) throws {
        let json = Self.response.rawSpan
        let object = try JSONObject(json)
        let found = object.value(of: UTF8Text(name), in: json)
        let value = try #require(found)
        var failed = false
        let bytes = [UInt8](capacity: value.content.count) { output in
            do throws(SchemaError) {
                try JSONObject.unescape(value, in: json, into: &output)
            } catch {
                failed = true
            }
        }
        #expect(!failed)
        #expect(String(decoding: bytes, as: UTF8.self) == expected)
    }

    @Test(
        "input that is not an object, or is invalid, is refused",
        arguments: ["", "[]", "5", "{", "{\"a\":1,}", "{} x", #"{"a":1,"\u0061":2}"#]
    )
    func refused(text: String) {
        #expect(throws: SchemaError.self) { try JSONObject(text.rawSpan) }
    }

    @Test("an empty object has no members", arguments: ["{}", " { } "])
    func empty(text: String) throws {
        let value = try JSONObject(text.rawSpan).value("a", in: text.rawSpan)
        #expect(value == nil)
    }
}
