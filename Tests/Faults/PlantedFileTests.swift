// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

/// Somebody put something else where a file of ours belongs.
@Suite("planted files", .timeLimit(.minutes(10)))
struct PlantedFileTests {
    /// What stands there instead, as shell: `$1` is the place, `$2` a file elsewhere that must not be touched.
    enum Plant: String, CaseIterable, CustomTestStringConvertible {
        case symbolicLink = "mv \"$1\" \"$2\"; ln -s \"$2\" \"$1\""
        case linkToNothing = "rm -f \"$1\"; ln -s /nonexistent/file \"$1\""
        case hardLink = "ln \"$1\" \"$2\""
        case fifo = "rm -f \"$1\"; mkfifo -m 600 \"$1\""
        case folder = "rm -f \"$1\"; mkdir -m 700 \"$1\""
        case readableByAll = "chmod 0644 \"$1\""
        case writableByGroup = "chmod 0620 \"$1\""

        var testDescription: String { String(describing: self).split(separator: ".").last.map(String.init) ?? rawValue }
    }

    @Test(
        "is refused as unsafe, named, and left alone",
        arguments: Plant.allCases,
        ["journal", "lock", "revision", "store"]
    )
    func refusesWhatIsNotOurs(plant: Plant, file: String) throws {
        let group = try ScratchGroup.filled()
        let elsewhere = try ScratchRoot()
        try shell(plant.rawValue, group.folder + "/" + file, elsewhere.path + "/moved")
        let before = try group.root.fingerprint() + elsewhere.fingerprint()

        // Who only reads never opens the writer's lock.
        for command in file == "lock" ? [] : ["list", "stats"] {
            let outcome = try group.attempt(command)
            #expect(outcome.exitCode == ExitCode.permission, "\(command): \(outcome.messages)")
            #expect(outcome.messages.contains("/" + file), "the message names the file: \(outcome.messages)")
        }
        let written = try group.attempt("import", ScratchGroup.sample)
        #expect(written.exitCode == ExitCode.permission, "\(written.messages)")

        #expect(try group.root.fingerprint() + elsewhere.fingerprint() == before)
    }

    @Test("a folder of the group that others may enter is refused", arguments: ["0750", "0707", "0711"])
    func refusesAnOpenFolder(mode: String) throws {
        let group = try ScratchGroup.filled()
        try shell("chmod \"$2\" \"$1\"", group.folder, mode)
        let outcome = try group.attempt("list")
        #expect(outcome.exitCode == ExitCode.permission, "\(outcome.messages)")
        #expect(outcome.messages.contains(group.folder))
    }

    @Test("a link in place of the group's folder is refused")
    func refusesALinkedFolder() throws {
        let group = try ScratchGroup.filled()
        let elsewhere = try ScratchRoot()
        try shell("mv \"$1\" \"$2/there\"; ln -s \"$2/there\" \"$1\"", group.folder, elsewhere.path)
        #expect(try group.attempt("list").exitCode == ExitCode.permission)
        #expect(try group.attempt("import", ScratchGroup.sample).exitCode == ExitCode.permission)
    }

    @Test("a root that anybody may write to is refused")
    func refusesAWorldWritableRoot() throws {
        let group = try ScratchGroup.filled()
        try shell("chmod 0777 \"$1\"", group.root.path)
        let outcome = try group.attempt("list")
        #expect(outcome.exitCode == ExitCode.permission, "\(outcome.messages)")
    }

    @Test("a root of another user is refused, and nothing in it changes", .enabled(if: Root.isHere, "needs root"))
    func refusesAForeignRoot() throws {
        let group = try ScratchGroup.filled()
        try shell("chown -R 65534:65534 \"$1\"", group.root.path)
        let before = try group.root.fingerprint()
        for command in ["list", "accounts", "verify"] {
            let outcome = try group.attempt(command)
            #expect(outcome.exitCode == ExitCode.permission, "\(command): \(outcome.messages)")
        }
        #expect(try group.attempt("import", ScratchGroup.sample).exitCode == ExitCode.permission)
        #expect(try group.root.fingerprint() == before)
    }

    @Test("another user cannot read a group", .enabled(if: Root.isHere, "needs root"))
    func keepsOthersOut() throws {
        let group = try ScratchGroup.filled()
        let outcome = try group.attempt(
            behind: ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"],
            "list"
        )
        #expect(outcome.exitCode == ExitCode.permission, "\(outcome.messages)")
    }

    @Test("a key file that others can read is refused")
    func refusesAnOpenKeyFile() throws {
        let group = try ScratchGroup.filled()
        try shell("find \"$1\" -path '*/.keys/*' -type f -exec chmod 0644 {} +", group.root.path)
        let outcome = try group.attempt("list")
        #expect(outcome.exitCode == ExitCode.permission, "\(outcome.messages)")
    }
}
