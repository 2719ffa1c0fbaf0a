// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

/// What the user or the environment got wrong.
@Suite("wrong names and places", .timeLimit(.minutes(10)))
struct EnvironmentTests {
    @Test("without HOME and XDG_DATA_HOME there is a clear error, and nothing is made somewhere else")
    func needsAHome() throws {
        for command in [["list"], ["import", ScratchGroup.sample]] {
            let (outcome, trace) = try TracedProgram.lines(
                of: .cachetool,
                command + ["--group", "test"],
                environment: ["PATH": "/usr/bin:/bin"]
            )
            #expect(outcome.exitCode == ExitCode.usage, "\(outcome.messages)")
            #expect(outcome.messages.contains("HOME"), "\(outcome.messages)")
            let made = SystemCall.all(in: trace).filter { call in
                call.isDone && (call.name.hasPrefix("mkdir") || call.arguments.contains("O_CREAT"))
            }
            #expect(made.isEmpty, "\(made)")
        }
    }

    @Test("a group on a network file system is refused unless the caller allows it")
    func refusesNetworkFileSystems() throws {
        let group = try ScratchGroup.filled()
        // The kernel's answer says NFS.
        func list(_ environment: [String: String]) throws -> FinishedProgram {
            try Program(path: "/usr/bin/strace").run(
                ["-f", "-qq", "-o", "/dev/null", "-e", "trace=fstatfs", "-e", "signal=none"]
                    + ["-e", "inject=fstatfs:poke_exit=@arg2=6969000000000000", Program.cachetool.path, "list"]
                    + group.options,
                environment: environment
            )
        }
        let before = try group.root.fingerprint()
        let refused = try list(["HOME": group.root.path])
        #expect(refused.exitCode == ExitCode.noBackend, "\(refused.messages)")
        #expect(refused.messages.contains("TOKEN_CACHE_ALLOW_NETWORK_FS=1"))
        #expect(refused.output.isEmpty)
        #expect(try group.root.fingerprint() == before)
        let allowed = try list(["HOME": group.root.path, "TOKEN_CACHE_ALLOW_NETWORK_FS": "1"])
        #expect(allowed.exitCode == ExitCode.success, "\(allowed.messages)")
    }

    @Test("a home that is not absolute is refused")
    func needsAnAbsoluteHome() throws {
        let outcome = try Program.cachetool.run(["list", "--group", "test"], environment: ["HOME": "relative/place"])
        #expect(outcome.exitCode != ExitCode.success)
        #expect(!outcome.messages.isEmpty)
    }

    @Test(
        "group names outside the allowed form are refused",
        arguments: [
            "", ".", "..", ".hidden", "a/b", "../up", "with space", "ümlaut", "nul\u{1}", "semi;colon", "-",
            String(repeating: "a", count: 129),
        ]
    )
    func refusesBadNames(name: String) throws {
        let root = try ScratchRoot()
        let before = try root.fingerprint()
        let outcome = try Program.cachetool.run(["import", ScratchGroup.sample, "--root", root.path, "--group=" + name])
        if name == "-" {
            #expect(outcome.exitCode == ExitCode.success, "a dash is in the allowed form: \(outcome.messages)")
        } else {
            #expect(outcome.exitCode == ExitCode.usage, "\(outcome.messages)")
            #expect(try root.fingerprint() == before)
        }
    }

    @Test("a group that is not there is not found, and asking does not make it")
    func doesNotCreateByReading() throws {
        let group = try ScratchGroup()
        let before = try group.root.fingerprint()
        for command in ["list", "accounts", "stats", "verify", "compact"] {
            #expect(try group.attempt(command).exitCode == ExitCode.notFound)
        }
        #expect(try group.root.fingerprint() == before)
    }

    @Test("a wrong passphrase is refused, an empty one too")
    func refusesAWrongPassphrase() throws {
        let group = try ScratchGroup()
        let script = """
            "$1" import "$2" "${@:4}" --passphrase-fd 3 3<<<"correct horse" >/dev/null 2>&1; echo "import: $?"
            "$1" list "${@:4}" --passphrase-fd 3 3<<<"$3" >/dev/null; echo "list: $?"
            "$1" list "${@:4}" --passphrase-fd 3 3<<<"correct horse" >/dev/null; echo "right: $?"
            """
        for (wrong, status) in [("wrong horse", ExitCode.locked), ("", ExitCode.usage)] {
            let outcome = try Program(path: "/bin/bash").run(
                ["-c", script, "bash", Program.cachetool.path, ScratchGroup.sample, wrong] + group.options
            )
            #expect(outcome.text.contains("import: 0"), "\(outcome.text) \(outcome.messages)")
            #expect(outcome.text.contains("list: \(status)"), "\(outcome.text) \(outcome.messages)")
            #expect(outcome.text.contains("right: 0"))
            #expect(!outcome.messages.contains("horse"))
        }
    }
}
