// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

extension ProgramTests {
    @Suite("Paths that users type")
    struct PathTests {
        /// `$bytes` is a folder whose name is not UTF-8, and `$other` the one that a repaired name leads to.
        private static let folders = #"""
            cd "$HOME"; bytes=$(printf 'w\377'); other=$(printf 'w\357\277\275')
            "$tool" import --quiet --root "$other" sample >/dev/null || exit 100
            mkdir "$bytes"; ln -s "$bytes" link
            """#

        @Test(
            "a path that is not UTF-8 is refused, and no other folder is used in its place",
            arguments: [
                #""$tool" groups remove default --yes --root "$bytes""#,
                #""$tool" import --quiet --root "$bytes" sample"#,
                #""$tool" import --quiet --root link/new sample"#,
                #"cd "$bytes" && "$tool" import --quiet --root new "$HOME/sample""#,
                #"HOME="$HOME/$bytes" "$tool" import --quiet sample"#,
                #"XDG_DATA_HOME="$HOME/$bytes" "$tool" import --quiet sample"#,
                #"XDG_STATE_HOME="$HOME/$bytes" "$tool" import --quiet sample"#,
                #""$tool" export --root "$other" --yes "$(printf 'o\377')""#,
                #""$tool" import --quiet --root "$other" --key-file "$(printf 'k\377')" --group other sample"#,
            ]
        )
        func bytes(command: String) throws {
            let tool = try Tool()
            try SampleCache().document.write(to: URL(filePath: tool.root.path + "/sample"))
            let script =
                Self.folders + """

                    before=$(find . | sort)
                    (\(command)) && exit 101
                    [ "$before" = "$(find . | sort)" ] || { find . | sort >&2; exit 102; }
                    "$tool" accounts --root "$other" >/dev/null || exit 103
                    """
            let done = try tool.shell(script)
            #expect(done.exitCode == 0, "\(done.messages)")
        }

        @Test(
            "a tilde that no shell replaced is refused, with the path to write",
            arguments: [
                "import --root ~/new sample", "import --key-file ~/key sample", "import ~/sample",
                "export --yes ~/copy", "list --file ~/sample",
            ]
        )
        func tilde(command: String) throws {
            let tool = try Tool()
            let done = try Program.cachetool.run(
                command.split(separator: " ").map(String.init),
                environment: ["PATH": "/usr/bin:/bin", "HOME": tool.root.path]
            )
            #expect(done.exitCode == 2 && done.messages.contains("Write $HOME/"), "\(done.messages)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: tool.root.path) == [])
        }

        private static let azure = "mkdir .azure; mv sample .azure/msal_token_cache.json"

        @Test(
            "a file that may not be looked at is not called missing",
            arguments: [
                ("chmod 0 sample", "list --file sample", 8, "Permission denied"),
                ("mkdir away; mv sample away; chmod 0 away", "list --file away/sample", 8, "Permission denied"),
                ("ln -s nowhere link", "list --file link", 3, "a link to a file that is not there"),
                ("ln -s loop loop", "list --file loop", 1, "Too many levels of symbolic links"),
                ("\(azure); chmod 0 .azure/*", "list --from azure-cli", 8, "Permission denied"),
                ("\(azure); chmod 0 .azure", "list --from azure-cli", 8, "Permission denied"),
                (
                    "d=.IdentityService; mkdir $d; cp sample $d/msal.cache; mv sample $d/msal.cache.cae; chmod 0 $d/*.cae",
                    "list --from azure-identity", 8, "msal.cache.cae"
                ),
            ]
        )
        func unreadable(scene: String, command: String, status: Int32, text: String) throws {
            let tool = try Tool()
            try SampleCache().document.write(to: URL(filePath: tool.root.path + "/sample"))
            // Without its capabilities, the superuser may not read everything either.
            let behind = geteuid() == 0 ? "setpriv --bounding-set=-all" : ""
            let done = try tool.shell(#"cd "$HOME"; \#(scene); \#(behind) "$tool" \#(command)"#)
            _ = try tool.shell(#"chmod -R u+rwX "$HOME""#)
            #expect(done.exitCode == status && done.messages.contains(text), "\(done.exitCode) \(done.messages)")
        }

        @Test("a root folder behind a link to nowhere is neither created nor called empty")
        func danglingRoot() throws {
            let tool = try Tool()
            try SampleCache().document.write(to: URL(filePath: tool.root.path + "/sample"))
            let link = #"cd "$HOME"; ln -sfn "$HOME/stick/groups" link; "#
            for command in ["import sample", "list", "groups"] {
                let done = try tool.shell(link + #""$tool" \#(command) --root link"#)
                #expect(done.exitCode == 1, "\(done.messages)")
                #expect(done.messages.contains("leads to \(tool.root.path)/stick/groups, which does not exist"))
            }
            #expect(!FileManager.default.fileExists(atPath: tool.root.path + "/stick"))
            let made = try tool.shell(#"cd "$HOME"; mkdir -p stick/groups && "$tool" import sample --root link"#)
            #expect(made.exitCode == 0, "\(made.messages)")
        }

        @Test("a link to nowhere on the way to the key file is a missing key")
        func danglingKeys() throws {
            let tool = try Tool()
            try SampleCache().document.write(to: URL(filePath: tool.root.path + "/sample"))
            let done = try tool.shell(
                #"""
                cd "$HOME"; "$tool" import --quiet sample >/dev/null
                mv .local/state stick; ln -s "$HOME/away" .local/state; "$tool" list
                """#
            )
            #expect(done.exitCode == 4, "\(done.messages)")
            #expect(done.messages.contains("there is no such key file"), "\(done.messages)")
        }

        @Test(
            "a folder of this user that may not be searched is named with what opens it",
            arguments: ["", "/default"]
        )
        func unsearchable(folder: String) throws {
            let tool = try Tool()
            try SampleCache().document.write(to: URL(filePath: tool.root.path + "/sample"))
            let behind = geteuid() == 0 ? "setpriv --bounding-set=-all" : ""
            let start = #"cd "$HOME"; "$tool" import --quiet --root groups sample >/dev/null; "#
            let list = #"\#(behind) "$tool" list --root groups"#
            let refused = try tool.shell(start + #"chmod 0 "groups\#(folder)"; \#(list)"#)
            #expect(refused.exitCode == 8, "\(refused.messages)")
            let found = refused.messages.firstMatch(of: #/Run (chmod 700 \S+)\.\n/#)
            let advice = try #require(found, "\(refused.messages)")
            let followed = try tool.shell(#"\#(advice.1) && cd "$HOME" && \#(list)"#)
            #expect(followed.exitCode == 0, "\(advice.1): \(followed.messages)")
        }

        @Test("an export to standard output says so if other users can read the file behind it")
        func readableOutput() throws {
            let tool = try Tool.withSample()
            let export = #"cd "$HOME"; umask \#("%"); "$tool" export - "$@" >copy"#
            let open = try tool.shell(export.replacing("%", with: "022"))
            #expect(open.exitCode == 0 && open.messages.contains("mode is 0644"), "\(open.messages)")
            let closed = try tool.shell(#"rm "$HOME/copy"; "# + export.replacing("%", with: "077"))
            #expect(closed.exitCode == 0 && !closed.messages.contains("other users"), "\(closed.messages)")
        }
    }
}
