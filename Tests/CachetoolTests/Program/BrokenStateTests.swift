// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

extension ProgramTests {
    @Suite("Broken states", .serialized, .timeLimit(.minutes(10)))
    struct BrokenStateTests {
        /// Asks doctor, checks what it says of the state, does that word for word, and asks again.
        private func check(_ state: BrokenState, _ group: DoctoredGroup) throws {
            try state.make(group)
            for round in 1...state.rounds {
                let (exitCode, findings) = try group.findings("--timeout", "3")
                let report = findings.filter { $0.level != "fine" }.map { "\($0)" }.joined(separator: "\n")
                #expect(exitCode == (state.level == "problem" ? 1 : 0), "\(report)")
                for finding in findings where finding.level != "fine" {
                    #expect(!finding.advice.isEmpty, "\(finding)")
                }
                let found =
                    findings.first { finding in
                        round > 1
                            ? finding.level == state.level
                            : finding.topic == state.topic && finding.level == state.level
                                && finding.text.contains(state.cause)
                    }
                let finding = try #require(found, "\(report)")
                if round == 1 {
                    #expect(finding.advice.contains(state.fix), "\(finding)")
                    #expect(!state.hasSince || finding.since != nil, "\(finding)")
                }
                try group.follow(finding.advice)
                try state.person?(group, finding.advice)
            }
            // A process that the advice wakes takes its time to end what it was doing.
            try? waitUntil("doctor finds nothing") { try group.findings().exitCode == 0 }
            let (exitCode, findings) = try group.findings()
            let rest = findings.filter { $0.level != "fine" }.map { "\($0)" }.joined(separator: "\n")
            #expect(exitCode == 0, "\(rest)")
            #expect(!findings.contains { $0.topic == state.topic && $0.text.contains(state.cause) }, "\(rest)")
        }

        @Test("of files and processes are named with a way out that works", arguments: BrokenState.byFiles)
        func files(state: BrokenState) throws {
            if state.needsRoot, !Root.isHere { return }
            let group = try DoctoredGroup()
            try group.fill()
            try check(state, group)
        }

        @Test("of what is cached are named with a way out that works", arguments: BrokenState.byContent)
        func content(state: BrokenState) throws {
            try check(state, DoctoredGroup())
        }

        @Test("of the keyring are named with a way out that works", arguments: BrokenState.byKeyring)
        func keyring(state: BrokenState) throws {
            let group = try DoctoredGroup(keyring: PrivateKeyring())
            try group.fill(nil, "--storage", "keyring")
            try check(state, group)
        }

        @Test("accounts that have to sign in are a problem only for those who ask")
        func accounts() throws {
            let group = try DoctoredGroup()
            try group.fill(BrokenState.document(["adele"], expiresIn: -3_600, hasRefreshToken: false))
            #expect(try group.findings().exitCode == 0)
            let (exitCode, findings) = try group.findings("--accounts")
            #expect(exitCode == 1)
            #expect(findings.contains { $0.topic == "accounts" && $0.level == "problem" })
            try group.fill(BrokenState.document(["adele"]))
            #expect(try group.findings("--accounts").exitCode == 0)
        }

        @Test("a full disk is named with its file system, and making room mends it", .enabled(if: Root.isHere))
        func fullDisk() throws {
            let group = try DoctoredGroup()
            let script = """
                mount -t tmpfs -o size=2m,mode=0700 tmpfs "$HOME" || exit 99
                cachetool import "$1" --group contoso >/dev/null || exit 98
                head -c 4M /dev/zero >"$HOME/filler" 2>/dev/null
                cachetool doctor --group contoso; echo "full: $?"
                rm "$HOME/filler"
                cachetool doctor --group contoso --probe-write >/dev/null; echo "free: $?"
                """
            let sample = URL(filePath: group.home.path + ".json")
            try SampleCache().document.write(to: sample)
            defer { try? FileManager.default.removeItem(at: sample) }
            let done = try Program(path: "/usr/bin/unshare").run(
                ["--mount", "/bin/bash", "-uc", script, "bash", sample.path()],
                environment: group.environment
            )
            #expect(done.text.contains("WRONG  space       the file system \(group.home.path) is full"), "\(done.text)")
            #expect(done.text.contains("a save needs up to 128 KiB"), "\(done.text)")
            #expect(done.lines.contains("full: 1") && done.lines.contains("free: 0"), "\(done.text)\(done.messages)")
        }
    }
}
