// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Sealing
import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Base64 in addresses")
struct Base64URLDecoderTests {
    private func decoded(_ text: String) throws -> [UInt8]? {
        let bytes = Array(text.utf8)
        guard let decoded = try Base64URL.decode(bytes.rawSpan) else { return nil }
        var result: [UInt8] = []
        for offset in 0..<decoded.byteCount { result.append(decoded.bytes.byte(at: offset)) }
        return result
    }

    @Test(
        "any number of bytes comes back",
        arguments: [
            ("", ""), ("Zg", "f"), ("Zm8", "fo"), ("Zm9v", "foo"), ("Zm9vYg", "foob"), ("Zm9vYmE", "fooba"),
            ("Zm9vYmFy", "foobar"), ("Zg==", "f"), ("Zm8=", "fo"),
        ]
    )
    func lengths(text: String, expected: String) throws {
        #expect(try decoded(text) == Array(expected.utf8))
    }

    @Test("both alphabets are understood", arguments: ["-_-_", "+/+/"])
    func alphabets(text: String) throws {
        #expect(try decoded(text) == [0xFB, 0xFF, 0xBF])
    }

    @Test("a byte that is not a digit is refused at any position", arguments: 0..<10)
    func digits(location: Int) throws {
        for wrong in ["=", " ", ".", "\u{0}", "~"] as [Character] {
            var text = Array("Zm9vYmFyZm")
            text[location] = wrong
            // One or two at the end are padding.
            if wrong == "=", location == 9 { continue }
            #expect(try decoded(String(text)) == nil, "\(wrong)")
        }
    }

    @Test("a length that no bytes have is refused", arguments: ["Z", "Zm9vY"])
    func wrongLengths(text: String) throws {
        #expect(try decoded(text) == nil)
    }
}
