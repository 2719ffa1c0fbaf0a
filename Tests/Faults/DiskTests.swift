// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

/// Disks that are full or cannot be written.
@Suite("disks", .enabled(if: Root.isHere, "needs root to mount"), .timeLimit(.minutes(10)))
struct DiskTests {
    /// Runs a script in a mount namespace of its own. `$1` is an empty folder to mount on, `$2` cachetool, `$3` the sample.
    private func inNamespace(_ script: String) throws -> FinishedProgram {
        let root = try ScratchRoot()
        return try Program(path: "/usr/bin/unshare").run(
            ["--mount", "/bin/bash", "-uc", script, "bash", root.path, Program.cachetool.path, ScratchGroup.sample]
        )
    }

    @Test("on a full disk saves fail as a whole, acknowledged entries stay, and signing out works")
    func survivesAFullDisk() throws {
        let outcome = try inNamespace(
            """
            mount -t tmpfs -o size=1m,mode=0700 tmpfs "$1"
            worker="$(dirname "$2")/group-worker"
            on() { verb=$1; shift; "$worker" "$verb" --root "$root" --group test --accounts 3 "$@"; }
            root=$1
            on save --count 3 >"/dev/shm/said.$$" || exit 1
            head -c 2M /dev/zero >"$root/filler" 2>/dev/null
            on save --from 3 --count 1000 >>"/dev/shm/said.$$"; echo "save: $?"
            sed -n 's/^saved /acknowledged: /p' "/dev/shm/said.$$"
            rm -f "/dev/shm/said.$$"
            on list | tail -n 3 | sed 's/^/holds: /'
            on sign-out >/dev/null; echo "sign-out: $?"
            on list | tail -n 3 | sed 's/^/left: /'
            """
        )
        let lines = outcome.text.split(separator: "\n").map(String.init)
        #expect(lines.contains("save: 1"), "\(outcome.text)")
        #expect(outcome.messages.contains("full"), "\(outcome.messages)")
        let acknowledged = lines.filter { $0.hasPrefix("acknowledged: ") }.map {
            $0.split(separator: " ").map(String.init)
        }
        for account in 0..<3 {
            let last = try #require(acknowledged.last { $0[1] == "\(account)" }?[2], "\(outcome.text)")
            #expect(lines.contains("holds: \(account) \(last) \(last)"), "\(outcome.text)")
        }
        #expect(lines.contains("sign-out: 0"), "\(outcome.messages)")
        #expect(lines.filter { $0.hasPrefix("left: ") } == ["left: 0 - -", "left: 1 - -", "left: 2 - -"])
    }

    @Test("a read-only mount can be read, and writing says that it cannot")
    func readsAReadOnlyMount() throws {
        let outcome = try inNamespace(
            """
            mount -t tmpfs -o size=8m,mode=0700 tmpfs "$1"
            run() { "$2" "${@:3}" --root "$1" --group test; }
            run "$1" "$2" import "$3" >/dev/null 2>&1 || { echo "import failed"; exit 1; }
            mount -o remount,ro "$1"
            for command in list accounts stats verify "export --all --yes -"; do
                run "$1" "$2" $command >/dev/null; echo "$command: $?"
            done
            run "$1" "$2" lookup --account adele.vance@contoso.example --client 6c052f15-3b7d-4f0a-9b3e-0d1c5a7e2b44 \\
                --scopes User.Read >/dev/null; echo "lookup: $?"
            run "$1" "$2" sign-out adele.vance@contoso.example --client 6c052f15-3b7d-4f0a-9b3e-0d1c5a7e2b44 --yes >/dev/null
            echo "sign-out: $?"
            """
        )
        for reading in ["list: 0", "accounts: 0", "stats: 0", "verify: 0", "export --all --yes -: 0", "lookup: 0"] {
            #expect(outcome.text.contains(reading), "\(outcome.text) \(outcome.messages)")
        }
        #expect(outcome.text.contains("sign-out: \(ExitCode.permission)"), "\(outcome.text)")
        #expect(outcome.messages.localizedCaseInsensitiveContains("read-only"), "\(outcome.messages)")
    }

    @Test("a group cannot be made on a read-only mount, and nothing pretends that it was")
    func refusesToCreateOnAReadOnlyMount() throws {
        let outcome = try inNamespace(
            """
            mount -t tmpfs -o size=8m,mode=0700,ro tmpfs "$1"
            "$2" import "$3" --root "$1" --group test >/dev/null; echo "import: $?"
            "$2" list --root "$1" --group test >/dev/null; echo "list: $?"
            """
        )
        #expect(outcome.text.contains("import: \(ExitCode.permission)"), "\(outcome.text) \(outcome.messages)")
        #expect(outcome.text.contains("list: \(ExitCode.notFound)"), "\(outcome.text) \(outcome.messages)")
    }
}
