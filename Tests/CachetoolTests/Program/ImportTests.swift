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
                    KIND           NEW  REPLACED  UNCHANGED  OLDER  SIGNED OUT
                    access token     5         -          -      -           -
                    refresh token    3         -          -      -           -
                    id token         3         -          -      -           -
                    account          3         -          -      -           -
                    app metadata     1         -          -      -           -
                    together        15         -          -      -           -
                    """
            )
            #expect(done.messages == "15 entries sealed in group test. The file still holds them in clear.\n")
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

        @Test(
            "what is not a cache is refused with the place and the rule, never with its content",
            arguments: [
                "", "{", "[]", "{\"AccessToken\":{\"k\":CANARY}}", "{\"a\":1,\"a\":2}",
                "{\"AccessToken\":{\"k\":\"CANARY\"}}",
                "\u{FEFF}{}", "{} CANARY",
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
