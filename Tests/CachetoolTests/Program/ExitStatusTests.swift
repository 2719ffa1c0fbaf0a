// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

extension ProgramTests {
    @Suite("Exit status")
    struct ExitStatusTests {
        @Test(
            "a wrong command line is status 2, with help on standard error",
            arguments: [
                ["nonsense"], ["list", "--nonsense"], ["lookup", "nonsense"], ["inspect"], ["list", "--timeout", "0"],
                ["list", "--storage", "cloud"], ["list", "--passphrase-fd", "x"], ["import"], ["list", "--timeout"],
            ]
        )
        func usage(command: [String]) throws {
            let done = try Tool().run(command)
            #expect(done.exitCode == 2)
            #expect(done.output.isEmpty)
            #expect(done.messages.hasPrefix("cachetool: "))
        }

        @Test(
            "a command that is not there is named, whatever follows it",
            arguments: [["acounts"], ["acounts", "--json"], ["help", "acounts"]]
        )
        func unknownCommand(command: [String]) throws {
            let done = try Program.cachetool.run(command)
            #expect(done.exitCode == 2)
            #expect(
                done.messages
                    == "cachetool: There is no command acounts. Did you mean accounts? cachetool help lists them.\n"
            )
        }

        @Test(
            "a mistyped command is answered with the one that was meant, and another word with none",
            arguments: [
                ("lokup", "lookup"), ("dcotor", "doctor"), ("sginout", "sign-out"), ("Verify", "verify"),
                ("frobnicate", ""),
            ]
        )
        func mistypedCommand(word: String, meant: String) throws {
            let done = try Program.cachetool.run([word])
            #expect(done.exitCode == 2)
            #expect(done.messages.contains("Did you mean") == !meant.isEmpty)
            #expect(done.messages.contains(" Did you mean \(meant)? ") || meant.isEmpty)
        }

        @Test("a group name outside the allowed form is status 2", arguments: ["../x", "", ".hidden", "a/b", "a b"])
        func groupName(name: String) throws {
            var tool = try Tool()
            tool.group = name
            #expect(try tool.run("list").exitCode == 2)
        }

        @Test("a group that is not there is status 3, and the others are named")
        func missing() throws {
            var tool = try Tool.withSample()
            tool.group = "other"
            let done = try tool.run("list")
            #expect(done.exitCode == 3)
            #expect(
                done.messages
                    == "cachetool: There is no group other. The existing groups are: test. Select one with --group, "
                    + "or create this one with cachetool import --group other --root \(tool.root.path) FILE.\n"
            )
        }

        @Test("if there are no groups, the searched root is named")
        func missingRoot() throws {
            let tool = try Tool()
            let done = try tool.run("list")
            #expect(done.exitCode == 3)
            #expect(done.messages.hasPrefix("cachetool: There is no group test under \(tool.root.path)."))
        }

        @Test("a missing key file is status 4")
        func missingKey() throws {
            let tool = try Tool.withSample()
            #expect(try tool.run("list", "--key-file", "/nonexistent").exitCode == 4)
            try FileManager.default.removeItem(atPath: tool.root.path + "/.keys")
            let done = try tool.run("list", "--no-prompt")
            #expect(done.exitCode == 4)
            #expect(done.messages.contains("--key-file"))
        }

        @Test("storage that the group does not use is status 5")
        func storage() throws {
            let done = try Tool.withSample().run("list", "--storage", "memory")
            #expect(done.exitCode == 5)
        }

        @Test("a lock held by another process is status 6, after the timeout")
        func busy() throws {
            let tool = try Tool.withSample()
            let holder = try Program(path: "/usr/bin/python3").start([
                "-c", Self.lockScript, tool.root.path + "/test/lock",
            ])
            defer { holder.kill() }
            _ = holder.waitForLines(1)
            let start = ContinuousClock.now
            let done = try tool.run("clear", "--all", "--yes", "--timeout", "0.3")
            #expect(done.exitCode == 6)
            // Not before: a lower bound holds on any machine.
            #expect(ContinuousClock.now - start >= .milliseconds(300))
            #expect(try tool.run("list").exitCode == 0)
        }

        /// Takes an open-file-description lock on the whole file, as another process of the group would.
        private static let lockScript = """
            import fcntl, os, struct, sys, time
            descriptor = os.open(sys.argv[1], os.O_RDWR)
            fcntl.fcntl(descriptor, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
            print("locked", flush=True)
            time.sleep(60)
            """

        @Test("a damaged file is status 7, and stays as it is")
        func damaged() throws {
            let tool = try Tool.withSample()
            let journal = tool.root.path + "/test/journal"
            var bytes = try Data(contentsOf: URL(filePath: journal))
            bytes[100] ^= 0xFF
            try bytes.write(to: URL(filePath: journal))
            #expect(try tool.run("list").exitCode == 7)
            #expect(try Data(contentsOf: URL(filePath: journal)) == bytes)
        }

        @Test("a file that others can read is status 8")
        func permissions() throws {
            let tool = try Tool.withSample()
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o644],
                ofItemAtPath: tool.root.path + "/test/journal"
            )
            let done = try tool.run("list")
            #expect(done.exitCode == 8)
            #expect(done.messages.contains("journal"))
        }

        @Test("a sound group passes verify and has nothing to repair")
        func sound() throws {
            let tool = try Tool.withSample()
            #expect(try tool.run("verify", "--json").json["sound"] as? Bool == true)
            let repair = try tool.run("repair", "--json")
            #expect(repair.exitCode == 0)
            #expect(try repair.json["damaged"] as? Bool == false)
        }

        @Test(
            "no HOME and no root is status 2 and said plainly",
            arguments: [["list"], ["groups"], ["doctor"], ["repair"]]
        )
        func homeless(command: [String]) throws {
            let done = try Program.cachetool.run(command, environment: ["PATH": "/usr/bin"])
            #expect(done.exitCode == 2)
            #expect(done.messages.hasPrefix("cachetool: No home folder is known"), "\(done.messages)")
            #expect(
                done.messages.hasSuffix("Set HOME to an absolute path, or name a root folder with --root.\n"),
                "\(done.messages)"
            )
            // Both do.
            let root = try ScratchRoot()
            for way in [Program.cachetool.path, "HOME=\(root.path)"] {
                let isRoot = way == Program.cachetool.path
                let again = try Program(path: "/usr/bin/env").run(
                    ["-i", "PATH=/usr/bin"] + (isRoot ? [] : [way]) + [Program.cachetool.path] + command
                        + (isRoot ? ["--root", root.path] : [])
                )
                #expect(!again.messages.contains("home folder"), "\(again.messages)")
            }
        }
    }
}
