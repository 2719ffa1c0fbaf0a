// SPDX-License-Identifier: Apache-2.0

import CacheAdministration
import Foundation
import Testing
import TokenCaching

@testable import TokenCachingTestSupport

@Suite("Reading tokens")
struct DecodedTokenTests {
    private func part(_ text: String) -> String {
        Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
            "=",
            with: ""
        )
    }

    private func decoded(_ token: String) -> DecodedToken {
        let bytes = Array(token.utf8)
        return unsafe DecodedToken(bytes.span.bytes)
    }

    private func object(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(members.map { JSONValue.Member(name: $0.key, value: $0.value) })
    }

    @Test("a signed token shows its header and its claims, in their order")
    func signed() {
        let token =
            part(#"{"typ":"JWT","alg":"RS256"}"#) + "."
            + part(#"{"tid":"t","amr":["pwd",null,true],"exp":1795000000.5}"#) + ".c2ln"
        guard case .signed(let header, let claims) = decoded(token) else {
            Issue.record("not read as a signed token")
            return
        }
        #expect(header == object(["typ": .string("JWT"), "alg": .string("RS256")]))
        let amr = JSONValue.array([.string("pwd"), .null, .boolean(true)])
        #expect(claims == object(["tid": .string("t"), "amr": amr, "exp": .number("1795000000.5")]))
        #expect(claims.members.last?.value.timestamp == Timestamp(secondsSince1970: 1_795_000_000))
        #expect(claims.members.first?.value.timestamp == nil)
    }

    @Test("of an encrypted token only the header can be read")
    func encrypted() {
        guard case .encrypted(let header) = decoded(part(#"{"enc":"A256GCM"}"#) + ".a.b.c.d") else {
            Issue.record("not read as an encrypted token")
            return
        }
        #expect(header == object(["enc": .string("A256GCM")]))
    }

    @Test(
        "anything else is opaque",
        arguments: [
            "", ".", "..", "EwB4A8l6BAAU", "a.b.c", "e30.e30", "W10.W10.x", "e30.e3.x", "e30.e31.x", "!!.e30.x",
            "e30=.e30.x",
        ]
    )
    func opaque(token: String) {
        guard case .opaque = decoded(token) else {
            Issue.record("read as something")
            return
        }
    }

    @Test("an unsigned token is read too: nothing is verified anyway")
    func unsigned() {
        guard case .signed = decoded("e30.e30.") else {
            Issue.record("not read")
            return
        }
    }

    @Test("no description and no mirror contains claims of a token")
    func silence() throws {
        let token = decoded(part("{}") + "." + part(#"{"name":"CANARY"}"#) + ".x")
        guard case .signed(_, let claims) = token else { throw CocoaError(.coderInvalidValue) }
        for value: Any in [token, claims, claims.members[0].value] {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(!(dumped + "\(value)" + String(reflecting: value)).contains("CANARY"))
        }
    }
}
