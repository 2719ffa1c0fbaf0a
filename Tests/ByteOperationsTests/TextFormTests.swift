// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Testing

@Suite("Bytes as text")
struct TextFormTests {
    // RFC 4648, section 10.
    static let vectors = [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ]

    @Test("base64 is that of RFC 4648", arguments: vectors)
    func base64(plain: String, digits: String) {
        #expect(Base64.encode(Array(plain.utf8)) == Array(digits.utf8))
        #expect(Base64.decode(digits.rawSpan) == Array(plain.utf8))
        #expect(Base64.decodedByteCount(digits.rawSpan) == plain.utf8.count)
    }

    @Test(
        "base64 that is cut, broken into lines or has bits behind its end is none",
        arguments: ["Zg", "Zg=", "Zm9v\n", "Zh==", "Zm9=", "====", "Zm-_", "Z m9"]
    )
    func noBase64(digits: String) {
        #expect(Base64.decode(digits.rawSpan) == nil)
    }

    @Test("base64url has no padding, and comes back strictly", arguments: vectors)
    func base64URL(plain: String, digits: String) {
        let digits = digits.filter { $0 != "=" }
        #expect(Base64URL.encode(Array(plain.utf8)) == digits)
        #expect(Base64URL.decodeStrictly(digits.rawSpan) == Array(plain.utf8))
    }

    @Test("every byte has its digits in both alphabets")
    func alphabets() {
        let bytes = Array(UInt8.min...UInt8.max)
        #expect(Base64.decode(Base64.encode(bytes).rawSpan) == bytes)
        #expect(Base64URL.decodeStrictly(Base64URL.encode(bytes).rawSpan) == bytes)
        #expect(Base64URL.encode([0xFB, 0xFF]) == "-_8")
    }

    @Test(
        "strict base64url takes no padding, no other alphabet and no bits behind its end",
        arguments: ["Zg==", "+_8", "-/8", "Zh", "Z", "Zm9v.", "Zm9v "]
    )
    func noBase64URL(digits: String) {
        #expect(Base64URL.decodeStrictly(digits.rawSpan) == nil)
    }

    @Test("hexadecimal digits are lowercase, and numbers have the requested width")
    func hexadecimal() {
        #expect(Hexadecimal.text([0x00, 0x0F, 0xA0, 0xFF]) == "000fa0ff")
        #expect(Hexadecimal.text(littleEndian: 0x0123_4567_89AB_CDEF) == "efcdab8967452301")
        #expect(Hexadecimal.text(littleEndian: 0x0123_4567_89AB_CDEF, digitCount: 8) == "efcdab89")
        #expect(Hexadecimal.text(bigEndian: 0x123) == "0000000000000123")
        #expect(Hexadecimal.bytes("000fa0ff") == [0x00, 0x0F, 0xA0, 0xFF])
    }

    @Test("a string that is not of lowercase digits has no bytes", arguments: ["", "0", "0F", "0g", " 00", "00 "])
    func noHexadecimal(text: String) {
        #expect(Hexadecimal.bytes(text) == nil)
    }
}
