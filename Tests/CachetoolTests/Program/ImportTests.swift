// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

extension ProgramTests {
    @Suite("import")
    struct ImportTests {
        @Test("says how many entries of each kind came in")
        func report() throws {
            let tool = try Tool()
            let done = try tool.run("import", "-", input: SampleCache().document)
            #expect(done.exitCode == 0)
            #expect(
                done.text == """
                    KIND          NEW  REPLACED  UNCHANGED  OLDER  SIGNED OUT
                    AccessToken     5         -          -      -           -
                    RefreshToken    3         -          -      -           -
                    IdToken         3         -          -      -           -
                    Account         3         -          -      -           -
                    AppMetadata     1         -          -      -           -
                    total          15         -          -      -           -
                    """
            )
            #expect(done.messages == "15 entries sealed in group test. The file still contains them in plain text.\n")
        }

        @Test("the same file a second time changes nothing")
        func again() throws {
            let sample = try SampleCache().document
            let tool = try Tool()
            _ = try tool.run("import", "-", input: sample)
            let report = try tool.run("import", "--json", "-", input: sample).json
            #expect(report["changed"] as? Bool == false)
            #expect(report["schema_version"] as? Int == 1)
        }

        @Test(
            "after Ctrl-C or kill nothing is imported and nothing is left in the folder of the group",
            arguments: [("<", "INT", "130", true), ("|", "TERM", "143", true), ("<", "INT", "130", false)]
        )
        func interrupted(source: String, signal: String, code: String, isThere: Bool) throws {
            let tool = try isThere ? Tool.withSample() : Tool()
            let before = names(tool)
            let secret = String(repeating: "s", count: 4_000)
            let entries = (0..<5_000).map { index in
                """
                "k\(index)": {"secret": "\(secret)", "home_account_id": "u\(index).t", "environment": "h", "client_id": "c"}
                """
            }
            let path = tool.root.path + "/large.json"
            try Data("{\"RefreshToken\": {\(entries.joined(separator: ","))}}".utf8).write(to: URL(filePath: path))
            // As soon as something temporary is there. A pipe's end is held back until then; a file may be done by that time.
            let script = #"""
                if [ "$source" = "<" ]; then "$tool" import - "$@" < "$large" & child=$!
                else mkfifo "$large.pipe"
                { head -c 8000000 "$large"; while kill -0 $$ && ! [ -e "$large.told" ]; do sleep 0.02; done; } > "$large.pipe" &
                "$tool" import - "$@" < "$large.pipe" & child=$!
                fi
                while kill -0 $child 2>/dev/null; do
                    if ls "$HOME"/test/tmp.* >/dev/null 2>&1; then kill -$signal $child; touch "$large.told"; break; fi
                done
                wait $child; echo $?
                """#
            let done = try tool.shell(script, environment: ["large": path, "source": source, "signal": signal])
            let status = done.lines.last
            #expect((source == "|" ? [code] : ["0", code]).contains(status), "\(done.messages)")
            if status == code, isThere { #expect(names(tool) == before) }
            // Where it was the first one, it leaves an empty group: the next import finds that and goes on.
            #expect(try tool.run("import", "-", input: SampleCache().document).exitCode == 0)
            let accounts = try tool.run("accounts", "--json").json["accounts"] as? [Any]
            #expect(accounts?.count == 3)
            #expect(names(tool).allSatisfy { !$0.contains("/tmp.") })
        }

        /// Every file of the groups.
        private func names(_ tool: Tool) -> [String] {
            let all = FileManager.default.enumerator(atPath: tool.root.path)?.compactMap { $0 as? String } ?? []
            return all.filter { !$0.hasPrefix("large.json") }.sorted()
        }

        @Test("a file that brings nothing new is said to")
        func nothingNew() throws {
            let sample = try SampleCache().document
            let tool = try Tool()
            _ = try tool.run("import", "-", input: sample)
            let done = try tool.run("import", "-", input: sample)
            #expect(done.messages == "Nothing new for group test. The file still contains tokens in plain text.\n")
        }

        @Test("a file is read too, and stays")
        func file() throws {
            let tool = try Tool()
            let path = tool.root.path + "/cache.json"
            try SampleCache().document.write(to: URL(filePath: path))
            #expect(try tool.run("import", path).exitCode == 0)
            #expect(FileManager.default.fileExists(atPath: path))
        }

        @Test("without a file nothing is made")
        func missing() throws {
            let tool = try Tool()
            let done = try tool.run("import", "/nonexistent/cache.json")
            #expect(done.exitCode == 3)
            #expect(done.messages == "cachetool: There is no file /nonexistent/cache.json.\n")
            #expect(try FileManager.default.contentsOfDirectory(atPath: tool.root.path).isEmpty)
        }

        @Test("a folder in place of the file is said to be one, and nothing is made")
        func folder() throws {
            let tool = try Tool()
            let done = try tool.run("import", "/usr")
            #expect(done.exitCode == 2)
            #expect(done.messages == "cachetool: /usr is a folder. Name the file in it that holds the cache.\n")
            #expect(try FileManager.default.contentsOfDirectory(atPath: tool.root.path).isEmpty)
        }

        @Test("a file of another kind is named, with the rule that it breaks", arguments: ["[]", "not JSON"])
        func otherKind(text: String) throws {
            let tool = try Tool()
            let path = tool.root.path + "/cache.bin"
            try Data(text.utf8).write(to: URL(filePath: path))
            let done = try tool.run("import", path)
            #expect(done.exitCode == 7)
            #expect(done.messages.hasPrefix("cachetool: \(path) is not a cache that --from msal accepts (the "))
            #expect(!done.messages.contains("decrypt"))
        }

        @Test("an empty file is said to be empty", arguments: ["", "\n", " \r\n\t"])
        func empty(text: String) throws {
            let tool = try Tool()
            let path = tool.root.path + "/cache.json"
            try Data(text.utf8).write(to: URL(filePath: path))
            let done = try tool.run("import", path)
            #expect(done.exitCode == 7)
            #expect(done.messages == "cachetool: \(path) is empty. Nothing was imported.\n")
        }

        @Test("a file that others can read is remarked on, with its mode")
        func mode() throws {
            let tool = try Tool()
            let path = tool.root.path + "/cache.json"
            try SampleCache().document.write(to: URL(filePath: path))
            for (mode, isRemarked) in [(0o644, true), (0o600, false)] {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
                let done = try tool.run("import", path)
                #expect(done.exitCode == 0)
                #expect(done.messages.contains("whose mode is 0644") == isRemarked, "\(done.messages)")
            }
        }

        @Test("where the Azure CLI has no file and there is no keyring, the file is named")
        func noAzureCLI() throws {
            let tool = try Tool()
            let done = try tool.run("import", "--from", "azure-cli")
            #expect(done.exitCode == 5)
            #expect(
                done.messages.contains("There is no cache in \(tool.root.path)/.azure/msal_token_cache.json"),
                "\(done.messages)"
            )
        }

        @Test("for a binary file, the error says that a library may have encrypted it")
        func encrypted() throws {
            let tool = try Tool()
            let path = tool.root.path + "/cache.bin"
            for bytes in [[0x01, 0x00, 0x00, 0x00, 0xD0], [0x67, 0x22, 0x61, 0x05, 0x99], [0xC3, 0xA4, 0xC3]]
                as [[UInt8]]
            {
                try Data(bytes + Array(repeating: 0xD0, count: 40)).write(to: URL(filePath: path))
                let done = try tool.run("import", path)
                #expect(done.exitCode == 7)
                #expect(done.messages.contains("decrypt it first"), "\(done.messages)")
            }
        }

        @Test(
            "what is not a cache is refused with the place and the rule, never with its content",
            arguments: [
                "", "{", "[]", "{\"AccessToken\":{\"k\":CANARY}}", "{\"a\":1,\"a\":2}",
                "{\"AccessToken\":{\"k\":\"CANARY\"}}",
                "\u{FEFF}{,}", "{} CANARY", "{\"a\": {\"CANARY\": 1},,}", "{/* CANARY */}",
            ]
        )
        func bad(text: String) throws {
            let done = try Tool().run("import", "-", input: Data(text.utf8))
            #expect(done.exitCode == 7)
            #expect(done.output.isEmpty)
            #expect(!done.messages.contains("CANARY"))
        }

        @Test("with --partial bad entries stay out, are named, and make the status 9")
        func partial() throws {
            let text = #"{"AccessToken":{"k":3},"AppMetadata":{"appmetadata-h-c":{"client_id":"c","environment":"h"}}}"#
            let done = try Tool().run("import", "--partial", "--json", "-", input: Data(text.utf8))
            #expect(done.exitCode == 9)
            #expect(try done.json["bad"] as? Int == 1)
            #expect(done.messages.contains("line 1, byte 20"))
        }

        @Test("with --partial a file of bad entries alone says how many there were")
        func onlyBad() throws {
            let tool = try Tool()
            let text = #"{"AccessToken":{"k":3,"l":"x"},"Account":{"m":[]}}"#
            let done = try tool.run("import", "--partial", "-", input: Data(text.utf8))
            #expect(done.exitCode == 9)
            #expect(done.output.isEmpty)
            #expect(done.messages.hasSuffix("3 entries (all of them) could not be read and were omitted.\n"))
            #expect(!done.messages.contains("contains no entries"))
        }

        @Test("a file without anything of a token cache is kept, and said to be none")
        func otherFile() throws {
            let tool = try Tool()
            let done = try tool.run("import", "-", input: Data(#"{"a":1,"b":{"c":2}}"#.utf8))
            #expect(done.exitCode == 9)
            #expect(done.messages.contains("Nothing in standard input is an entry of a token cache"))
            let exported = try tool.run("export", "--yes", "-")
            #expect(try exported.json.count == 2)
            #expect(try !tool.run("import", "-", input: SampleCache().document).messages.contains("Nothing in"))
        }

        @Test(
            "a document without entries is said to be none, in both forms of output",
            arguments: [
                (#"{"AccessToken":{},"IdToken":{}}"#, 9, "contains no entries"), ("[]", 9, "contains no entries"),
                (#"{"AccessToken":null,"other":{"a":{}}}"#, 9, "Nothing in"), ("{}", 3, "is no token cache"),
                (#"{"AccessToken":null}"#, 3, "is no token cache"),
            ] as [(String, Int32, String)]
        )
        func noEntries(document: String, status: Int32, message: String) throws {
            let library = document == "[]" ? "adal" : "msal"
            let done = try Tool().run("import", "--from", library, "-", input: Data(document.utf8))
            #expect(done.exitCode == status)
            #expect(done.messages.contains(message))
            let json = try Tool().run("import", "--from", library, "--json", "-", input: Data(document.utf8))
            #expect(json.exitCode == status)
            #expect(try json.json["entries"] as? Int == 0)
            #expect(try (json.json["warning"] as? String)?.contains(message) == true)
            let full = try Tool().run("import", "--json", "-", input: SampleCache().document)
            #expect(try full.json["entries"] as? Int == 15 && full.json["warning"] == nil)
        }

        @Test(
            "a cache that Windows encrypted, and one of MSAL.NET 2, are named",
            arguments: [
                (Data(dpapi + [1, 2, 3, 0xFF]), "encrypted by Windows"),
                (Data((dpapi + [UInt8](repeating: 7, count: 90))).base64EncodedData(), "encrypted by Windows"),
                (
                    Data(
                        dpapi.map {
                            String($0, radix: 16).count == 1 ? "0" + String($0, radix: 16) : String($0, radix: 16)
                        }
                        .joined().uppercased().utf8
                    ), "encrypted by Windows"
                ),
                (Data(#"[ {"Key": "access_tokens", "Value": ["{}"]}]"#.utf8), "MSAL.NET 2"),
                (Data([3, 0, 0, 0, 1, 0, 0, 0, 0x7B]), "is not text"),
                (Data("{\0\"\0A\0\"\0".utf8), "UTF-16"),
            ],
            ["msal", "adal"]
        )
        func otherFormats(document: (Data, String), library: String) throws {
            let done = try Tool().run("import", "--from", library, "-", input: document.0)
            #expect(done.exitCode == 7)
            #expect(done.messages.contains(document.1), "\(done.messages)")
        }

        private static let dpapi: [UInt8] = [
            1, 0, 0, 0, 0xD0, 0x8C, 0x9D, 0xDF, 1, 0x15, 0xD1, 0x11, 0x8C, 0x7A, 0, 0xC0, 0x4F, 0xC2, 0x97, 0xEB,
        ]

        @Test("a file over the limit is refused")
        func tooLarge() throws {
            let done = try Tool().run("import", "--max-size", "100", "-", input: SampleCache().document)
            #expect(done.exitCode != 0)
            #expect(done.messages.contains("limit"))
        }

        @Test("standard input cannot be both the file and the passphrase")
        func twoUses() throws {
            let done = try Tool().run("import", "-", "--passphrase-fd", "0", input: Data("x\n".utf8))
            #expect(done.exitCode == 2)
        }
    }
}
