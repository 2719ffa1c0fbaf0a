// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

extension ProgramTests {
    @Suite("Descriptors")
    struct DescriptorTests {
        /// Every way to close some of standard input, output and error.
        private static let closings: [String] = (1...7).map { bits in
            ["<&-", ">&-", "2>&-"].enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element)
                .joined(separator: " ")
        }

        /// Words for the shell: `$new` is a document of other entries, `$place` a free path outside the group.
        private static let commands = [
            "accounts", "status", "profiles", "groups list", "list", "list --json", "stats", "verify", "doctor",
            "slots list",
            "doctor --probe-write", "lookup --account nobody --client c --scopes s", "inspect 0000", "import $new",
            "import --partial $bad", "import --replace $new", "import /etc/hostname", "import - ", "export --yes -",
            "export --yes $place", "sign-out \(SampleCache.adele) --client \(SampleCache.client) --yes",
            "clear --account \(SampleCache.adele) --yes", "clear --all --yes", "compact", "repair --yes", "rekey --yes",
            "slots add --new-key-file $place", "slots remove 0000", "migrate --to file", "unlock",
            "groups remove --yes",
            "token --client \(SampleCache.client) --scopes User.Read",
            "sign-in --client c --scopes s --authority https://h",
        ]

        @Test("no command is missing from the test with closed standard descriptors")
        func complete() {
            let tested = Set(
                Self.commands.compactMap { CommandTree.command(of: $0.split(separator: " ").map(String.init)) }
            )
            #expect(CommandTree.leaves.subtracting(tested) == [["watch"]])
        }

        @Test("closed standard descriptors never become a file of the group", arguments: closings)
        func closed(closing: String) throws {
            let tool = try Tool.withSample()
            // The messages about many bad entries are longer than any file's header.
            let bad = (0..<500).map { "\"KIND\($0)\":{\"secret\":1}" }.joined(separator: ",")
            let script = #"""
                keep="$HOME.keep"; new="$HOME.new"; place="$HOME.place"; bad="$HOME.bad"
                printf '%s' "$document" > "$new"; printf '%s' "$bad_document" > "$bad"
                cp -a "$HOME" "$keep"
                printf '%s\n' "$commands" | while read -r command; do
                    rm -rf "$HOME" "$place"; cp -a "$keep" "$HOME"
                    ( eval "exec timeout 60 \"\$tool\" $command \"\$@\" $closing" ) < /dev/null > /dev/null 2>&1
                    status=$?
                    [ $status -lt 124 ] || echo "$command: ended with $status"
                    "$tool" verify "$@" > "$keep.verify" 2>&1 || [ $? = 3 ] || echo "$command: $(cat "$keep.verify")"
                    grep -rlaE 'cachetool:|CANARY|KIND|contoso|entries|sealed|signed' "$HOME" | sed "s|^|$command: text in |"
                done
                rm -rf "$keep" "$keep.verify" "$new" "$bad" "$place"
                """#
            let done = try tool.shell(
                script,
                environment: [
                    "commands": Self.commands.joined(separator: "\n"), "closing": closing,
                    "document": #"{"AppMetadata":{"appmetadata-h-new":{"client_id":"new","environment":"h"}}}"#,
                    "bad_document": "{\"RefreshToken\":{\(bad)}}",
                ]
            )
            #expect(done.exitCode == 0, "\(done.messages)")
            #expect(done.text == "", "\(done.messages)")
        }

        @Test(
            "a closed standard descriptor cannot be named",
            arguments: [
                "import - <&-", "import /dev/stdin <&-", "list --passphrase-fd 0 <&-", "export --yes - >&-",
                "export --yes /dev/stdout >&-", "list --passphrase-fd 2 2>&-",
            ]
        )
        func namedClosed(command: String) throws {
            let tool = try Tool.withSample()
            let before = try tool.root.fingerprint()
            let done = try tool.shell(#"eval "\"\$tool\" $command \"\$@\"""#, environment: ["command": command])
            #expect(done.exitCode == 2, "\(done.messages)")
            #expect(try tool.root.fingerprint() == before)
        }

        @Test(
            "a descriptor that the caller did not open cannot be named, and no group is created",
            arguments: [
                "import --passphrase-fd $n $new", "slots add --new-passphrase-fd $n", "rekey --yes --passphrase-fd $n",
                "list --passphrase-fd $n", "import /dev/fd/$n", "export --yes /proc/self/fd/$n",
                "list --file /dev/fd/$n",
                "list --key-file /dev/fd/$n", "token --client c --scopes s --passphrase-fd $n",
            ]
        )
        func notOfTheCaller(command: String) throws {
            let tool = try Tool()
            let script = #"""
                for n in 3 4 5 6 7 8 9 10 11 12; do
                    eval "\"\$tool\" $command \"\$@\"" < /dev/null; echo $?
                done
                """#
            let new = tool.root.path + "/new"
            try SampleCache().document.write(to: URL(filePath: new))
            let before = try tool.root.fingerprint()
            let done = try tool.shell(script, environment: ["command": command, "new": new])
            #expect(done.lines == [String](repeating: "2", count: 10), "\(done.messages)")
            #expect(done.messages.contains("Descriptor 7 is not open"), "\(done.messages)")
            #expect(try tool.root.fingerprint() == before)
        }

        @Test("arguments arrive where /proc is missing")
        func withoutProc() throws {
            let tool = try Tool.withSample()
            let script = #"""
                hide='mount -t tmpfs none /proc && exec "$@"'
                unshare --user --map-root-user --mount sh -c "$hide" sh "$tool" accounts "$@"; echo $?
                unshare --user --map-root-user --mount sh -c "$hide" sh "$tool" nonsense; echo $?
                unshare --user --map-root-user --mount sh -c "$hide" sh \
                    "$tool" sign-out \#(SampleCache.adele) --client \#(SampleCache.client) --yes "$@"; echo $?
                """#
            let done = try tool.shell(script)
            #expect(done.lines.contains { $0.contains(SampleCache.adele) }, "\(done.messages)")
            #expect(done.lines.suffix(2) == ["2", "0"], "\(done.messages)")
            #expect(try tool.run("accounts").text.contains(SampleCache.adele) == false)
        }

        /// A command that waits for the other end of a pipe. `output` and `errors` are empty, or the pipe `unread`.
        private static let waiting: [(words: String, output: String, errors: String)] = [
            ("import fifo", "", ""), ("import idle", "", ""), ("list --file fifo", "", ""),
            ("list --file idle", "", ""),
            ("export --yes fifo", "", ""), ("export --yes unread", "", ""), ("export --yes -", "unread", ""),
            ("import --partial bad", "", "unread"), ("watch --json", "unread", ""), ("list --passphrase-fd 0", "", ""),
        ]

        @Test(
            "one signal ends a command that waits for the other end of a pipe",
            arguments: waiting.map { [$0.words, $0.output, $0.errors] },
            ["SIGINT", "SIGTERM"]
        )
        func blocked(command: [String], signal: String) throws {
            let tool = try Tool.withSample()
            let entries = (0..<2_000).map {
                #""k\#($0)":{"secret":"\#($0)","home_account_id":"u.t","environment":"h","client_id":"c\#($0)"}"#
            }
            for (name, entries) in [("many", entries), ("bad", (0..<3_000).map { #""k\#($0)":{"secret":1}"# })] {
                try Data("{\"RefreshToken\":{\(entries.joined(separator: ","))}}".utf8)
                    .write(to: URL(filePath: tool.root.path + "/" + name))
            }
            let made = try tool.run("import", tool.root.path + "/many")
            try #require(made.exitCode == 0, "\(made.messages)")
            let done = try Program(path: "/usr/bin/python3").run(
                ["-c", Self.waitingScript, Program.cachetool.path, signal] + command + tool.location,
                environment: ["PATH": "/usr/bin:/bin", "HOME": tool.root.path]
            )
            #expect(done.exitCode == 0 && done.text == "ended", "\(done.text) \(done.messages)")
            #expect(try tool.run("verify").exitCode == 0)
        }

        private static let waitingScript = """
            import os, signal, subprocess, sys, time
            tool, name, words, output, errors, *location = sys.argv[1:]
            os.chdir(os.environ["HOME"])
            for fifo in ("fifo", "idle", "unread"):
                os.mkfifo(fifo)
            idle, unread = (os.open(fifo, os.O_RDWR) for fifo in ("idle", "unread"))
            def stream(name):
                return unread if name else subprocess.DEVNULL
            def defaults():
                signal.pthread_sigmask(signal.SIG_SETMASK, [])
                signal.signal(signal.SIGINT, signal.SIG_DFL)
            run = subprocess.Popen([tool, *words.split(), *location], stdin=idle, stdout=stream(output),
                                   stderr=stream(errors), preexec_fn=defaults)
            time.sleep(1)
            if words.startswith("watch"):
                subprocess.run([tool, "clear", "--all", "--yes", *location], capture_output=True)
                time.sleep(1)
            run.send_signal(getattr(signal, name))
            try:
                run.wait(20)
                print("ended")
            except subprocess.TimeoutExpired:
                print("waits on")
                run.kill()
            """
    }
}
