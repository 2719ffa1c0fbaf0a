// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

extension ProgramTests {
    /// A locked keyring without a display, as over SSH.
    @Suite("cachetool unlock", .serialized)
    struct UnlockTests {
        private let keyring: PrivateKeyring
        private let tool: Tool
        private let environment: [String: String]

        /// A group in the keyring.
        init() throws {
            keyring = try PrivateKeyring()
            tool = try Tool()
            environment = [
                "DBUS_SESSION_BUS_ADDRESS": keyring.address, "XDG_RUNTIME_DIR": keyring.folder.path + "/run",
                "XDG_DATA_HOME": keyring.folder.path + "/data",
            ]
            let made = try tool.run("import", "-", input: SampleCache().document, environment: environment)
            #expect(made.exitCode == 0, "\(made.messages)")
        }

        @Test("says which collection of which program is unlocked already")
        func unlocked() throws {
            let done = try tool.run("unlock", environment: environment)
            #expect(done.exitCode == 0, "\(done.messages)")
            #expect(done.text == "already unlocked: collection login of gnome-keyring")
        }

        @Test(
            "a locked collection is named with a way to unlock it, on a terminal and off it",
            arguments: [true, false]
        )
        func locked(onTerminal: Bool) throws {
            try keyring.lock()
            let refused =
                try onTerminal
                ? tool.terminal(["accounts"], environment: environment)
                : tool.run("accounts", environment: environment)
            #expect(refused.exitCode == 4)
            let text = onTerminal ? refused.text : refused.messages
            #expect(text.contains("The keyring is locked (collection login"), "\(text)")
            #expect(text.contains("Unlock it with cachetool unlock --group test --root \(tool.root.path)"), "\(text)")
            #expect(!text.contains("dismissed") && !text.contains("allow it"), "\(text)")
        }

        @Test("the command that it names unlocks the keyring, word for word")
        func followed() throws {
            try keyring.lock()
            let told = try tool.run("unlock", environment: environment)
            #expect(told.exitCode == 4)
            #expect(told.messages.contains("Collection login of gnome-keyring is locked, and it cannot prompt"))
            let command = #/this command of bash or zsh: (.*)\n/#
            let found = try #require(told.messages.firstMatch(of: command), "\(told.messages)")
            // Typed at the shell of the session, whose password with-keyring chose.
            let script = keyring.folder.path + "/typed.sh"
            try Data(String(found.1).utf8).write(to: URL(filePath: script))
            try keyring.run(
                #"printf '%s\n' "$KEYRING_PASSWORD" >"$KEYRING_FOLDER/typed"; "#
                    + #"bash "\#(script)" <"$KEYRING_FOLDER/typed""#
            )
            let end = ContinuousClock.now + .seconds(20)
            var done = try tool.run("unlock", "--json", environment: environment)
            while done.exitCode != 0, ContinuousClock.now < end {
                usleep(100_000)
                done = try tool.run("unlock", "--json", environment: environment)
            }
            #expect(try done.json["unlocked"] as? Bool == true, "\(done.messages)")
            let accounts = try tool.run("accounts", environment: environment)
            #expect(accounts.exitCode == 0, "\(accounts.messages)")
            try keyring.run(
                "kill $(pgrep --full --exact 'gnome-keyring-daemon --replace --unlock' | while read -r pid; do "
                    + #"grep -qz "XDG_RUNTIME_DIR=$XDG_RUNTIME_DIR" /proc/$pid/environ && echo $pid; done)"#
            )
        }

        @Test("without a keyring it says so", arguments: [false, true])
        func missing(hasBus: Bool) throws {
            try keyring.killDaemon()
            let done = try tool.run("unlock", environment: hasBus ? environment : [:])
            // The bus may start another daemon, which is locked.
            #expect(done.exitCode == 5 || hasBus && done.exitCode == 4, "\(done.messages)")
        }

        @Test("a bus that never answers is not waited for as a user would be")
        func deaf() throws {
            let script = """
                import os, socket, subprocess, sys
                os.chdir(os.environ["HOME"])
                deaf = socket.socket(socket.AF_UNIX)
                deaf.bind("deaf")
                deaf.listen()
                environment = {**os.environ, "DBUS_SESSION_BUS_ADDRESS": f"unix:path={os.getcwd()}/deaf"}
                sys.exit(subprocess.run(sys.argv[1:], env=environment, timeout=60).returncode)
                """
            let done = try Program(path: "/usr/bin/python3").run(
                ["-c", script, Program.cachetool.path, "unlock", "--timeout", "1"] + tool.location,
                environment: ["PATH": "/usr/bin:/bin", "HOME": tool.root.path]
            )
            #expect(done.exitCode == 6, "\(done.messages)")
        }

        @Test("where prompting is forbidden none is shown")
        func forbidden() throws {
            try keyring.lock()
            let done = try tool.run("unlock", "--no-prompt", "--json", environment: environment)
            #expect(done.exitCode == 4)
            #expect(try done.json["unlocked"] as? Bool == false)
            #expect(done.messages.contains("may not prompt"))
        }
    }
}
