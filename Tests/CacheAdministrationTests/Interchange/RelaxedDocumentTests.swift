// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Documents as MSAL for .NET reads them")
struct RelaxedDocumentTests {
    let fixture = GroupFixture()

    /// The same document with a byte order mark, and a comma behind the last member of everything.
    private static func relaxed(_ document: Document, mark: Bool = true, space: String = "") -> Document {
        var text = mark ? "\u{FEFF}" : ""
        var (isInString, isEscaped, isEmpty) = (false, false, true)
        for character in document.text.unicodeScalars {
            if isInString {
                if !isEscaped, character == "\"" { isInString = false }
                isEscaped = !isEscaped && character == "\\"
            } else {
                if character == "\"" { isInString = true }
                if character == "}" || character == "]", !isEmpty { text += space + "," + space }
                if !character.properties.isWhitespace { isEmpty = character == "{" || character == "[" }
            }
            text.unicodeScalars.append(character)
        }
        return Document(text)
    }

    @Test("come out equal, whatever is in them", arguments: RoundTripTests.documents.keys.sorted())
    func roundTrip(name: String) throws {
        let document = Document(try #require(RoundTripTests.documents[name]))
        let (strict, relaxed) = (try fixture.createGroup(name: "strict"), try fixture.createGroup(name: "relaxed"))
        defer {
            strict.close()
            relaxed.close()
        }
        let expected = try strict.take(document)
        let report = try relaxed.take(Self.relaxed(document, space: " \n\t"))
        #expect(report.counts == expected.counts)
        let (one, other) = (
            try strict.give(ExportOptions(includesSignedOutAccounts: true)),
            try relaxed.give(ExportOptions(includesSignedOutAccounts: true))
        )
        #expect(one.value != nil)
        #expect(one.value == other.value)
    }

    /// Entries of about this many bytes in all.
    private static func large(_ byteCount: Int) -> Document {
        let tokens = (0..<byteCount / 2400).map { number in
            Document.accessToken(
                user: "u\(number).t",
                secret: String(repeating: "x", count: 2000),
                more: #", "more": {"list": [1, {"a": "},]"}]}"#
            )
        }
        return .sections(["AccessToken": tokens])
    }

    @Test("are read piece by piece where they are large, also through a pipe", arguments: [false, true])
    func large(isPiped: Bool) throws {
        let document = Self.large(9 << 20)
        let group = try fixture.createGroup()
        defer { group.close() }
        let relaxed = Self.relaxed(document, space: " ")
        let count = document.keys("AccessToken").count
        let report: ImportReport
        if isPiped {
            let pipe = Pipe()
            let writer = Thread {
                try? pipe.fileHandleForWriting.write(contentsOf: Data(relaxed.bytes));
                try? pipe.fileHandleForWriting.close()
            }
            writer.start()
            report = try group.importEntries(from: .descriptor(pipe.fileHandleForReading.fileDescriptor))
        } else {
            report = try group.take(relaxed)
        }
        #expect(report.counts.total == count)
        #expect(try group.give().value == document.value)
    }

    @Test(
        "are refused where .NET refuses them, and nothing is imported",
        arguments: [
            "{,}", "{\"AccessToken\": {},,}", "{\"AccessToken\": {,}}", "{} // end", "{\"AccessToken\": {}},",
            "{'a': 1}",
            "\u{FEFF}\u{FEFF}{}", "\u{FEFF}",
        ]
    )
    func refused(text: String) throws {
        let group = try fixture.createGroup()
        defer { group.close() }
        let error = #expect(throws: TokenCacheError.self) { try group.take(Document(text)) }
        #expect(error?.code == .malformedDocument)
        #expect(try group.give().value == [:])
    }

    @Test("report errors at their offsets in the file")
    func locations() throws {
        let group = try fixture.createGroup()
        defer { group.close() }
        let text = "\u{FEFF}{\"a\": [1,],\n \"b\": [2, ], x}"
        let error = #expect(throws: TokenCacheError.self) { try group.take(Document(text)) }
        #expect(error?.byteOffset == Array(text.utf8).lastIndex(of: UInt8(ascii: "x")))
        #expect(error?.detail?.hasSuffix("line 2") == true)
    }
}
