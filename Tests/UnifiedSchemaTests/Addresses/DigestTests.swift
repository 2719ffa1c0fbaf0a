// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Sealing
import Testing

@testable import UnifiedSchema

@Suite("Hashes in other SDKs' keys")
struct DigestTests {
    @Test(
        "SHA-256 gives the published figures",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
                "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
            ),
        ]
    )
    func sha256(message: String, expected: String) {
        #expect(SHA256Digest.hexadecimal(of: message) == expected)
    }

    @Test("SHA-256 of a million letters gives the published figure")
    func million() {
        let message = String(repeating: "a", count: 1_000_000)
        let figure = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        #expect(SHA256Digest.hexadecimal(of: message) == figure)
    }

    @Test("base64url leaves padding out")
    func base64url() {
        #expect(Base64URL.encode([]) == "")
        #expect(Base64URL.encode([0xFB]) == "-w")
        #expect(Base64URL.encode([0xFB, 0xFF]) == "-_8")
        #expect(Base64URL.encode(Array("foobar".utf8)) == "Zm9vYmFy")
    }

    @Test(
        "extra components hash as MSAL.NET does and as Python and Go do",
        arguments: [
            (
                ["key1": "value1", "key2": "value2"], "bns2ytmx5hxkh4fnfixridmezpbbayhnmuh6t4bbghi",
                "latlwkpewb_a0rcsmjvkecqt0_huumkw4sflzociike"
            ),
            (
                ["fmi_path": "SomeFmiPath/fmi"], "lf32b6styhzouosvpn4b0mdypwlb2ickdplmw8buora",
                "sqesdoe03ype6mlhjlvqrdmluhkhuswicctrbgkusbo"
            ),
        ]
    )
    func extendedKey(components: [String: String], dotNet: String, others: String) {
        let key = ExtendedKey(components.map { ExtendedKey.Component(name: UTF8Text($0), value: UTF8Text($1)) })
        #expect(key.dotNetHash.string == dotNet)
        #expect(key.hash.string == others)
    }

    @Test("requested claims are shortened in three ways")
    func claims() {
        let claims: UTF8Text = #"{"access_token":{"xms_cc":{"values":["cp1"]}}}"#
        #expect(ClaimsDigest.objectiveC(claims) == "5a6ffbe")
        #expect(ClaimsDigest.android(claims) == "1745460739")
        #expect(ClaimsDigest.javaScript(claims) == "Wm_76zLlnwFqbRarL6c66vRMqLhOrXo5BaIY6qREKlc")
        #expect(ClaimsDigest.objectiveC(UTF8Text(" \(claims.string.uppercased()) ")) == "5a6ffbe")
    }
}
