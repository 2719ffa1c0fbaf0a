// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

extension ProgramTests {
    /// What real shells offer with the completion scripts that cachetool generates.
    @Suite("Completions")
    struct CompletionTests {
        /// A home folder with cachetool on the path, and the completion script of each shell.
        private let home: ScratchRoot

        init() throws {
            home = try ScratchRoot()
            let files = FileManager.default
            try files.createDirectory(atPath: home.path + "/bin", withIntermediateDirectories: false)
            try files.createSymbolicLink(
                atPath: home.path + "/bin/cachetool",
                withDestinationPath: Program.cachetool.path
            )
            for shell in ["bash", "zsh", "fish"] {
                let script = try Program.cachetool.run(["--generate-completion-script", shell])
                try script.output.write(to: URL(filePath: home.path + "/_cachetool." + shell))
            }
        }

        private func environment(_ more: [String: String] = [:]) -> [String: String] {
            ["PATH": home.path + "/bin:/usr/bin:/bin", "HOME": home.path, "LANG": "C.UTF-8"].merging(more) { $1 }
        }

        private func cachetool(_ arguments: String..., input: Data? = nil, bus: String? = nil) throws -> FinishedProgram
        {
            let bus = bus.map { ["DBUS_SESSION_BUS_ADDRESS": $0] } ?? [:]
            return try Program.cachetool.run(arguments, input: input, environment: environment(bus))
        }

        /// What a shell offers at the end of a line.
        private func offered(_ line: String, in shell: String, _ more: [String: String] = [:]) throws -> [String] {
            let done: FinishedProgram
            switch shell {
            case "bash":
                // As bash calls the function that it was given for the command.
                let script = """
                    source ~/_cachetool.bash
                    COMP_LINE=$1; COMP_POINT=${#1}; read -r -a COMP_WORDS <<< "$1"
                    [[ $1 == *" " ]] && COMP_WORDS+=("")
                    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMPREPLY=()
                    _cachetool cachetool "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
                    printf '%s\\n' "${COMPREPLY[@]}"
                    """
                done = try Program(path: "/bin/bash").run(["-c", script, "bash", line], environment: environment(more))
            default:
                for file in ["offered", "ready"] { try? FileManager.default.removeItem(atPath: home.path + "/" + file) }
                done = try Program(path: "/usr/bin/python3").run(
                    ["-c", Self.zsh, line],
                    environment: environment(more)
                )
            }
            #expect(done.messages.isEmpty)
            return done.lines.filter { !$0.isEmpty }.sorted()
        }

        /// zsh completes only on a terminal. What it was given to offer is caught where it is added.
        private static let zsh = """
            import os, pty, select, sys, time
            child, terminal = pty.fork()
            if child == 0:
                os.execvp("/usr/bin/zsh", ["zsh", "-f", "-i"])
            setup = '''PS1=; unsetopt zle_bracketed_paste 2>/dev/null; fpath=(~ $fpath); autoload -U compinit; compinit -u -D
            source ~/_cachetool.zsh 2>/dev/null; compdef _cachetool cachetool
            __cachetool_complete() { print -rl -- "$@" > ~/offered.new; command mv ~/offered.new ~/offered }
            : > ~/ready
            '''
            os.write(terminal, setup.encode())
            def wait(path, seconds):
                end = time.monotonic() + seconds
                while not os.path.exists(path) and time.monotonic() < end:
                    if select.select([terminal], [], [], 0.05)[0]:
                        os.read(terminal, 65536)
                return os.path.exists(path)
            home = os.environ["HOME"]
            assert wait(home + "/ready", 60)
            os.write(terminal, sys.argv[1].encode() + b"\\t")
            if wait(home + "/offered", 20):
                for line in open(home + "/offered"):
                    name = line.rstrip("\\n").split(":")[0]
                    if name.strip() and name.startswith(sys.argv[1].rsplit(" ", 1)[1]):
                        print(name)
            os.kill(child, 9)
            """

        private static let lines: [(line: String, offered: [String])] = [
            ("cachetool list --group ", ["other", "work"]),
            ("cachetool doctor --group w", ["work"]),
            ("cachetool groups remove o", ["other"]),
            ("cachetool list --group work --account ad", [SampleCache.adele]),
            ("cachetool accounts --group work --account 9f48", [SampleCache.adeleID]),
            ("cachetool sign-out --group work ad", [SampleCache.adele]),
            ("cachetool lookup --group work --client 6c", [SampleCache.client]),
            ("cachetool clear --group work --tenant f6", [SampleCache.tenant]),
            ("cachetool accounts --group work --account nobody", []),
            ("cachetool list --group gone --account a", []),
        ]

        @Test("offer groups, accounts, apps and tenants", arguments: ["bash", "zsh"])
        func names(shell: String) throws {
            let sample = try SampleCache().document
            for group in ["work", "other"] {
                #expect(try cachetool("import", "-", "--group", group, input: sample).exitCode == 0)
            }
            for (line, expected) in Self.lines {
                // Nothing to offer is what zsh would be waited for in vain.
                guard shell != "zsh" || !expected.isEmpty else { continue }
                #expect(try offered(line, in: shell) == expected, "\(line)")
            }
        }

        @Test("appear on the screen of fish")
        func fish() throws {
            let sample = try SampleCache().document
            #expect(try cachetool("import", "-", "--group", "work", input: sample).exitCode == 0)
            let ids = try offered("cachetool inspect --group work ", in: "bash").filter { !$0.hasPrefix("-") }
            let id = try #require(ids.first)
            let inspect = (line: "cachetool inspect --group work \(id.prefix(5))", offered: [id])
            for (line, expected) in Self.lines + [inspect] where !expected.isEmpty && !expected.contains("other") {
                let done = try Program(path: "/usr/bin/python3").run(
                    ["-c", Self.fish, line] + expected,
                    environment: environment()
                )
                #expect(done.exitCode == 0, "\(line): \(done.text)")
            }
        }

        /// Types a line into fish on a terminal, and waits until it shows everything that is expected.
        private static let fish = """
            import os, pty, re, select, sys, time
            child, terminal = pty.fork()
            if child == 0:
                os.environ["TERM"] = "xterm"
                os.execvp("/usr/bin/fish", ["fish", "--no-config", "-i"])
            def shows(names, seconds):
                shown, end = b"", time.monotonic() + seconds
                while time.monotonic() < end:
                    if select.select([terminal], [], [], 0.1)[0]:
                        shown += os.read(terminal, 65536)
                    text = re.sub("\\x1b(\\[[0-9;?]*[a-zA-Z]|[()].)", "", shown.decode(errors="replace"))
                    if all(name in text for name in names):
                        return True
                print(text)
                return False
            os.write(terminal, b"source ~/_cachetool.fish; echo re''ady\\n")
            ok = shows(["ready"], 60)
            os.write(terminal, sys.argv[1].encode() + b"\\t")
            ok = ok and shows(sys.argv[2:], 20)
            os.kill(child, 9)
            sys.exit(0 if ok else 1)
            """

        @Test("offer the ids of entries, which inspect takes", arguments: ["bash", "zsh"])
        func entries(shell: String) throws {
            #expect(try cachetool("import", "-", input: SampleCache().document).exitCode == 0)
            let ids = try offered("cachetool inspect ", in: shell).filter { !$0.hasPrefix("-") }
            #expect(ids.count == 15)
            for id in ids.prefix(3) {
                #expect(try offered("cachetool inspect \(id.prefix(5))", in: shell) == [id])
                #expect(try cachetool("inspect", id).exitCode == 0)
            }
        }

        @Test("take the folder of the groups from the line")
        func root() throws {
            let sample = try SampleCache().document
            let folder = home.path + "/groups"
            #expect(try cachetool("import", "-", "--group", "there", "--root", folder, input: sample).exitCode == 0)
            for root in [folder, "~/groups"] {
                #expect(try offered("cachetool list --root \(root) --group ", in: "bash") == ["there"])
            }
        }

        @Test("are silent, and leave nothing behind, where there is no group")
        func nothingThere() throws {
            let before = try home.fingerprint()
            for (line, _) in Self.lines { #expect(try offered(line, in: "bash").isEmpty, "\(line)") }
            #expect(try home.fingerprint() == before)
        }

        @Test(
            "offer nothing, in time, while the keyring is locked or hangs",
            arguments: [true, false]
        )
        func keyring(isLocked: Bool) throws {
            let keyring = try PrivateKeyring()
            let sample = try SampleCache().document
            let made = try cachetool("import", "-", "--storage", "keyring", input: sample, bus: keyring.address)
            #expect(made.exitCode == 0, "\(made.messages)")
            let bus = ["DBUS_SESSION_BUS_ADDRESS": keyring.address]
            #expect(try offered("cachetool list --account ad", in: "bash", bus) == [SampleCache.adele])
            try isLocked ? keyring.lock() : keyring.freeze()
            defer { if !isLocked { try? keyring.thaw() } }
            let before = try home.fingerprint()
            let start = SuspendingClock.now
            #expect(try offered("cachetool list --account ad", in: "bash", bus).isEmpty)
            // The deadline, and what a loaded machine takes to start a shell.
            #expect(SuspendingClock.now - start < .seconds(5))
            #expect(try offered("cachetool list --group ", in: "bash", bus) == ["default"])
            #expect(try home.fingerprint() == before)
        }
    }
}
