// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import ToolInterface
@testable import cachetool

@Suite("JSON output")
struct JSONWriterTests {
    /// What `body` writes.
    private func written(_ body: (JSONWriter) -> Void) throws -> String {
        let pipe = Pipe()
        let stream = OutputStream(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        let json = JSONWriter(stream)
        json.document { body(json) }
        stream.flush()
        try pipe.fileHandleForWriting.close()
        return String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }

    @Test("members keep their order; elements of the outer arrays are on separate lines")
    func layout() throws {
        let text = try written { json in
            json.member("group", "work")
            json.array("entries") {
                json.objectElement {
                    json.member("b", 1)
                    json.member("a", ["x", "y"])
                }
                json.objectElement { json.null("c") }
            }
            json.array("none") {}
            json.member("last", true)
        }
        #expect(
            text == """
                {
                  "schema_version": 1,
                  "group": "work",
                  "entries": [
                    {"b": 1, "a": ["x", "y"]},
                    {"c": null}
                  ],
                  "none": [],
                  "last": true
                }

                """
        )
    }

    @Test(
        "any text comes back as it was",
        arguments: ["", "\"\\/", "\u{0}\u{1B}[2J\n\t\r\u{7F}\u{9B}", "Zoë 王 👩‍💻", "\u{202E}x\u{E0041}", "\u{2028}"]
    )
    func roundTrip(text: String) throws {
        let document = try written { $0.member(text, text) }
        let decoded = try JSONDecoder().decode([String: JSONText].self, from: Data(document.utf8))
        #expect(decoded.values.contains(.text(text)))
        #expect(document.unicodeScalars.allSatisfy { $0 == "\n" || !VisibleText.isUnsafe($0) })
    }

    @Test("the bytes of a secret are written as a JSON string without becoming text")
    func secrets() throws {
        let bytes: [UInt8] = Array("eyJ\"\\\u{1}\u{7F}é".utf8)
        let document = try written { json in
            unsafe json.member("secret", secret: bytes.span.bytes)
        }
        let decoded = try JSONDecoder().decode([String: JSONText].self, from: Data(document.utf8))
        #expect(decoded["secret"] == .text("eyJ\"\\\u{1}\u{7F}é"))
    }

    private enum JSONText: Decodable, Equatable {
        case text(String)
        case number(Int)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            self =
                if let text = try? container.decode(String.self) { .text(text) } else {
                    .number(try container.decode(Int.self))
                }
        }
    }
}
