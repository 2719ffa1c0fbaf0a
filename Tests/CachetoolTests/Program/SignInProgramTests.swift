// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

extension ProgramTests {
    /// What cachetool does with the commands that need the network. What they do is tested beside a provider, in Tests/Providers.
    @Suite("Starting cachetool-sign-in")
    struct SignInProgramTests {
        private static let commands = [
            ["sign-in", "--authority", "https://id.example", "--client", "notes", "--scopes", "openid"],
            ["token", "--client", "notes", "--scopes", "openid"],
            ["sign-out", "adele", "--client", "notes", "--revoke"],
            ["doctor", "--revoke-pending"],
        ]

        @Test("a build without the trait SignIn names the trait and how to get it", arguments: commands)
        func withoutTrait(command: [String]) throws {
            let done = try Tool().run(command)
            #expect(done.exitCode == 1)
            #expect(done.messages.contains("without the package trait SignIn"), "\(done.messages)")
            #expect(done.messages.contains("--traits SignIn"), "\(done.messages)")
        }

        @Test("without cachetool-sign-in cachetool says what brings it", arguments: commands)
        func missing(command: [String]) throws {
            let tool = try Tool()
            let alone = tool.root.path + "/cachetool"
            try FileManager.default.copyItem(atPath: Program.cachetool.path, toPath: alone)
            let done = try Program(path: alone).run(
                command,
                environment: ["PATH": "/usr/bin:/bin", "HOME": tool.root.path]
            )
            #expect(done.exitCode == 1)
            #expect(done.messages.contains("--traits SignIn"), "\(done.messages)")
        }

        @Test("a program of that name on PATH gets the command line, and ignores no signal", arguments: commands)
        func onPath(command: [String]) throws {
            let tool = try Tool()
            let alone = tool.root.path + "/cachetool"
            try FileManager.default.copyItem(atPath: Program.cachetool.path, toPath: alone)
            let folder = tool.root.path + "/bin"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let script = "#!/bin/sh\necho \"$@\"\ngrep SigIgn: /proc/self/status\n"
            try Data(script.utf8).write(to: URL(filePath: folder + "/cachetool-sign-in"))
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755],
                ofItemAtPath: folder + "/cachetool-sign-in"
            )
            let done = try Program(path: alone).run(command, environment: ["PATH": folder + ":/usr/bin:/bin"])
            #expect(done.exitCode == 0, "\(done.messages)")
            #expect(done.lines.first == command.joined(separator: " "))
            let ignored = try #require(done.lines.last?.split(separator: "\t").last)
            // SIGPIPE is 13, SIGXFSZ 25.
            #expect(try #require(UInt64(ignored, radix: 16)) & (1 << 12 | 1 << 24) == 0)
        }
    }
}
