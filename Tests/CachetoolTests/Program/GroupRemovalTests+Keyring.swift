// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import SeededRandom
import Testing

/// Groups that have something in the keyring.
extension ProgramTests.GroupRemovalTests {
    @Test("items in the keyring are reported if nothing shows whose they are, and go once the group is adopted")
    func missingClaims() throws {
        let keyring = try PrivateKeyring()
        let bus = [Self.bus: keyring.address]
        #expect(try remove("--yes").exitCode == 0)
        try expectImport(Self.group, more: bus)
        try shell("rm '\(folder)/store' '\(folder)/items'")
        let done = try remove("--yes", more: bus)
        #expect(done.exitCode == 9, "\(done.text) \(done.messages)")
        #expect(done.text.contains("cachetool repair --adopt --group \(Self.group)"), "\(done.text)")
        try expectGone()
        #expect(try run(["repair", "--adopt", "--yes", "--group", Self.group], bus).exitCode == 0)
        #expect(try remove("--yes", more: bus).exitCode == 0)
        #expect(try keyring.itemCount() == 0)
        try expectGone()
    }

    @Test("a copy of the folder of a group in the keyring cannot be migrated, and the original still opens")
    func migratedCopy() throws {
        let keyring = try PrivateKeyring()
        let bus = [Self.bus: keyring.address]
        #expect(try remove("--yes").exitCode == 0)
        try expectImport(Self.group, more: bus)
        let root = home.path + "/copies"
        try shell("mkdir -m 700 '\(root)'; cp -a '\(folder)' '\(root)'")
        let done = try run(["migrate", "--to", "file", "--group", Self.group, "--root", root], bus)
        #expect(done.exitCode == 5, "\(done.messages)")
        #expect(try run(["accounts", "--group", Self.group], bus).exitCode == 0)
    }

    @Test(
        "a removed group's items in the keyring go, and those of a group of the same name in another folder stay",
        arguments: ["keyring", "slot"]
    )
    func keyringItems(kind: String) throws {
        let keyring = try PrivateKeyring()
        let bus = [Self.bus: keyring.address]
        // Of the same name, in the same keyring, below another root.
        var other = try Tool()
        other.group = Self.group
        let options = ["--storage", "file"]
        #expect(
            try other.run(["import", "-"] + options, input: SampleCache().document, environment: bus).exitCode == 0
        )
        #expect(try other.run("slots", "add", "--new-keyring", environment: bus).exitCode == 0)
        let otherCount = try keyring.itemCount()
        #expect(otherCount > 0)
        if kind == "keyring" {
            #expect(try remove("--yes").exitCode == 0)
            try expectImport(Self.group, more: bus)
        } else {
            #expect(try run(["slots", "add", "--new-keyring", "--group", Self.group], bus).exitCode == 0)
        }
        #expect(try keyring.itemCount() > otherCount)
        let done = try remove("--yes", more: bus)
        #expect(done.exitCode == 0, "\(done.text) \(done.messages)")
        #expect(done.text.contains("in the keyring"), "\(done.text)")
        #expect(try keyring.itemCount() == otherCount)
        try expectGone()
        try FileManager.default.removeItem(atPath: other.root.path + "/.keys")
        #expect(try other.run("accounts", environment: bus).exitCode == 0)
    }

    @Test("no item stays in the keyring if other processes write during the removal")
    func besideWriters() throws {
        let keyring = try PrivateKeyring()
        let bus = [Self.bus: keyring.address]
        let environment = environment.merging(bus) { $1 }
        var random = SeededGenerator(stream: 7)
        #expect(try remove("--yes").exitCode == 0)
        for round in 0..<8 {
            try expectImport(Self.group, more: bus)
            var running: [RunningProgram] = []
            for command in [["import", "-"], ["sign-out", SampleCache.adele, "--yes"], ["import", "-"]] {
                let program = try Program.cachetool.start(
                    command + ["--group", Self.group, "--timeout", "20"],
                    environment: environment
                )
                if command[0] == "import" { program.write(try SampleCache().document) }
                running.append(program)
            }
            usleep(UInt32.random(in: 0...60_000, using: &random))
            let removed = try remove("--yes", "--timeout", "20", more: bus)
            #expect([0, 3, 6].contains(removed.exitCode), "\(removed.text) \(removed.messages)")
            for program in running { try program.finish() }
            // A writer may have made the group anew.
            let again = try remove("--yes", "--timeout", "20", more: bus)
            #expect([0, 3].contains(again.exitCode), "\(again.text) \(again.messages)")
            #expect(try keyring.itemCount() == 0, "round \(round)")
            try expectGone()
        }
    }

    @Test("items in a locked or missing keyring stay, are reported, and are removed once it can be reached")
    func unreachable() throws {
        let keyring = try PrivateKeyring()
        let bus = [Self.bus: keyring.address]
        for isLocked in [true, false] {
            #expect(try run(["groups", "remove", Self.group, "--yes"], bus).exitCode == 0)
            try expectImport(Self.group, more: bus)
            let count = try keyring.itemCount()
            if isLocked { try keyring.lock() }
            let done = try remove("--yes", "--no-prompt", more: isLocked ? bus : [:])
            #expect(done.exitCode == 9, "\(done.text)")
            #expect(!FileManager.default.fileExists(atPath: folder))
            if isLocked {
                try keyring.killDaemon()
                try keyring.startDaemon()
            }
            #expect(try keyring.itemCount() == count)
            let again = try remove("--yes", more: bus)
            #expect(again.exitCode == 0, "\(again.text) \(again.messages)")
            #expect(try keyring.itemCount() == 0)
            try expectGone()
            try expectImport(Self.group, more: bus)
        }
    }
}
