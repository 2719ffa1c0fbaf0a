// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

/// Documents that are not what an import expects.
@Suite("bad documents", .timeLimit(.minutes(10)))
struct DocumentTests {
    /// A document, why it is bad, and how cachetool has to end.
    struct Bad: Sendable, CustomTestStringConvertible {
        let name: String
        /// Whether it breaks a limit rather than a rule: then another limit would take it.
        let isTooLarge: Bool
        let bytes: Data

        init(_ name: String, isTooLarge: Bool = false, _ text: String) {
            self.name = name
            self.isTooLarge = isTooLarge
            bytes = Data(text.utf8)
        }

        init(_ name: String, bytes: Data) {
            self.name = name
            isTooLarge = false
            self.bytes = bytes
        }

        var testDescription: String { name }
    }

    private static let secret = "SECRET-THAT-NO-MESSAGE-MAY-SHOW"

    private static func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    static let bad = [
        Bad("nothing at all", ""),
        Bad("not JSON", "hello \(secret)"),
        Bad("a list", "[]"),
        Bad("a text", "\"\(secret)\""),
        Bad("cut off", #"{"AccessToken": {"a": {"secret": "\#(secret)"#),
        Bad("more after the end", "{} {}"),
        Bad("two commas behind the last member", #"{"AccessToken": {},,}"#),
        Bad("a comma and no member", #"{"AccessToken": {,}}"#),
        Bad("a comma behind the document", #"{"AccessToken": {}},"#),
        Bad("a comment", #"{"AccessToken": {} /* \#(secret) */}"#),
        Bad("a key twice", #"{"AccessToken": {"a": {"secret": "\#(secret)", "secret": "x"}}}"#),
        Bad("a section twice", #"{"AccessToken": {}, "AccessToken": {}}"#),
        Bad("an entry that is a list", #"{"AccessToken": {"a": []}}"#),
        Bad("a section that is a text", #"{"AccessToken": "\#(secret)"}"#),
        Bad("invalid UTF-8", bytes: Data(#"{"a": {"secret": ""#.utf8) + [0xFF, 0xFE] + Data(#""}}"#.utf8)),
        Bad("an overlong encoding", bytes: Data(#"{"a": ""#.utf8) + [0xC0, 0x80] + Data(#""}"#.utf8)),
        Bad("UTF-16", bytes: #"{"AccessToken": {}}"#.data(using: .utf16) ?? Data()),
        Bad("a raw control character", "{\"a\": \"\u{1}\"}"),
        Bad("a number with a leading zero", #"{"a": 012}"#),
        Bad("a number without digits", #"{"a": -}"#),
        Bad("nested too deep", isTooLarge: true, repeated(#"{"a":"#, 64) + "1" + repeated("}", 64)),
        Bad("an entry over a mebibyte", isTooLarge: true, #"{"A": {"a": {"b": ""# + repeated("x", 2 << 20) + #""}}}"#),
    ]

    @Test("are refused with a place and a rule, without content, and nothing is imported", arguments: bad)
    func refusesBadDocuments(document: Bad) throws {
        let group = try ScratchGroup.filled()
        let before = try group.journal
        let outcome = try group.attempt("import", "-", input: document.bytes)
        #expect(
            outcome.exitCode == (document.isTooLarge ? ExitCode.failure : ExitCode.corrupt),
            "\(outcome.messages)"
        )
        #expect(!outcome.messages.isEmpty)
        #expect(!(outcome.messages + outcome.text).contains(Self.secret))
        #expect(try group.journal == before)
    }

    @Test("100 MB of nesting are refused quickly and in little memory")
    func refusesEndlessNesting() throws {
        let group = try ScratchGroup()
        let file = group.root.path + "/nesting.json"
        try shell("head -c 100000000 /dev/zero | tr '\\0' '[' > \"$1\"", file)
        let script = "ulimit -v 400000; \"$@\" 2>&1; echo \"exit $?\""
        let start = ContinuousClock.now
        let outcome = try Program(path: "/bin/bash")
            .run(["-c", script, "bash", Program.cachetool.path, "import", file] + group.options)
        #expect(outcome.text.contains("exit \(ExitCode.corrupt)"), "\(outcome.text)")
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test("with --partial the good entries are imported and the bad ones named by place")
    func importsTheGoodPart() throws {
        let group = try ScratchGroup()
        let text = """
            {"AccessToken": {
              "good": {"credential_type": "AccessToken", "secret": "s", "client_id": "c", "home_account_id": "u.t",
                       "environment": "login.microsoftonline.com", "realm": "t", "target": "a",
                       "cached_at": "1790000000", "expires_on": "4102444800"},
              "bad": "\(Self.secret)"}}
            """
        #expect(try group.attempt("import", "-", input: Data(text.utf8)).exitCode == ExitCode.corrupt)
        let partial = try group.attempt("import", "--partial", "-", input: Data(text.utf8))
        #expect(partial.exitCode == ExitCode.partial, "\(partial.messages)")
        #expect(!partial.messages.contains(Self.secret))
        let found = try group.attempt("lookup", "--account", "u.t", "--client", "c", "--scopes", "a")
        #expect(found.exitCode == ExitCode.success, "\(found.messages)")
    }

    @Test("times may be numbers or texts")
    func acceptsNumbersAsTimes() throws {
        let group = try ScratchGroup()
        for (key, cached, expires) in [("a", "1790000000", "4102444800"), ("b", #""1790000000""#, #""4102444800""#)] {
            let text = """
                {"AccessToken": {"\(key)": {"credential_type": "AccessToken", "secret": "s", "client_id": "c",
                  "home_account_id": "\(key).t", "environment": "login.microsoftonline.com", "realm": "t",
                  "target": "a", "cached_at": \(cached), "expires_on": \(expires)}}}
                """
            #expect(try group.attempt("import", "-", input: Data(text.utf8)).exitCode == ExitCode.success)
            let found = try group.attempt("lookup", "--account", "\(key).t", "--client", "c", "--scopes", "a")
            #expect(found.exitCode == ExitCode.success, "\(found.messages)")
        }
    }
}
