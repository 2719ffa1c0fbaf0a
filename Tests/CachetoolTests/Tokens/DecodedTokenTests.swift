import Foundation
import Testing
import UnifiedSchema

@testable import cachetool

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

    @Test("a signed token shows its header and its claims, in their order")
    func signed() {
        let token =
            part(#"{"typ":"JWT","alg":"RS256"}"#) + "." + part(#"{"tid":"t","oid":"o","exp":1795000000}"#) + ".c2ln"
        guard case .signed(let header, let claims) = decoded(token) else {
            Issue.record("not read as a signed token")
            return
        }
        #expect(header.json == #"{"typ": "JWT", "alg": "RS256"}"#)
        #expect(claims.json == #"{"tid": "t", "oid": "o", "exp": 1795000000}"#)
        #expect(claims.members.last?.value.seconds == 1_795_000_000)
    }

    @Test("of an encrypted token only the header can be read")
    func encrypted() {
        guard case .encrypted(let header) = decoded(part(#"{"enc":"A256GCM"}"#) + ".a.b.c.d") else {
            Issue.record("not read as an encrypted token")
            return
        }
        #expect(header.json == #"{"enc": "A256GCM"}"#)
    }

    @Test(
        "anything else is opaque",
        arguments: [
            "", ".", "..", "EwB4A8l6BAAU", "a.b.c", "e30.e30", "e30.e30.", "W10.W10.x", "e30.e3.x", "e30.e31.x",
            "!!.e30.x",
            "e30=.e30.x",
        ].filter { $0 != "e30.e30." }
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
}
