// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

extension ProgramTests {
    /// Commands that would make a group, and fail.
    @Suite("No group is left behind", .serialized)
    struct LeftBehindTests {
        private static let bus = "DBUS_SESSION_BUS_ADDRESS"
        private let home: ScratchRoot

        init() throws {
            home = try ScratchRoot()
        }

        private var environment: [String: String] { ["PATH": "/usr/bin:/bin", "HOME": home.path] }

        private func run(
            _ command: [String],
            input: Data? = nil,
            _ more: [String: String] = [:]
        ) throws -> FinishedProgram {
            try Program.cachetool.run(command, input: input, environment: environment.merging(more) { $1 })
        }

        /// No folder, and no key file.
        private func expectNothing() throws {
            let files = try Program(path: "/usr/bin/find").run([home.path, "-type", "f"]).text
            #expect(files.isEmpty, "\(files)")
            let groups = home.path + "/.local/share/swift-token-cache"
            #expect((try? FileManager.default.contentsOfDirectory(atPath: groups).isEmpty) ?? true)
        }

        @Test(
            "by an import of what is no cache",
            arguments: ["", "\n", "garbage", "[]", "{\"AccessToken\":{\"k\":3}}", "{\"AccessToken\":"]
        )
        func garbage(text: String) throws {
            for options in [[], ["--partial"]] {
                let done = try run(["import", "-"] + options, input: Data(text.utf8))
                #expect(done.exitCode != 0, "\(options) \(text)")
                try expectNothing()
            }
        }

        @Test("by an import into memory, which is refused because nothing would be kept")
        func memory() throws {
            let done = try run(["import", "-", "--storage", "memory"], input: SampleCache().document)
            #expect(done.exitCode == 2, "\(done.messages)")
            #expect(done.messages.contains("Omit --storage memory"))
            try expectNothing()
        }

        @Test("by an import with a key file that cannot be created")
        func missingFolder() throws {
            let done = try run(
                ["import", "-", "--key-file", home.path + "/missing/key"],
                input: SampleCache().document
            )
            #expect(done.exitCode == 3, "\(done.messages)")
            try expectNothing()
        }

        @Test("by an import into the keyring of what is no cache")
        func garbageForKeyring() throws {
            let keyring = try PrivateKeyring()
            let done = try run(["import", "-"], input: Data("garbage".utf8), [Self.bus: keyring.address])
            #expect(done.exitCode == 7, "\(done.messages)")
            try expectNothing()
            #expect(try keyring.itemCount() == 0)
        }

        @Test("by an import that is interrupted while it waits for its input", arguments: [true, false])
        func interrupted(inKeyring: Bool) throws {
            let keyring = inKeyring ? try PrivateKeyring() : nil
            let running = try Program.cachetool.start(
                ["import", "-"],
                environment: environment.merging(keyring.map { [Self.bus: $0.address] } ?? [:]) { $1 }
            )
            running.write(Data("{\"AccessToken\":{".utf8))
            let groups = home.path + "/.local/share/swift-token-cache"
            let end = ContinuousClock.now + .seconds(60)
            while (try? run(["groups", "--json"]).text.contains("\"ready\"")) != true, ContinuousClock.now < end {
                usleep(2_000)
            }
            #expect(FileManager.default.fileExists(atPath: groups))
            running.interrupt()
            // Its input is still open: it ends by itself.
            let done = try wait(for: running)
            #expect(done.exitCode == nil, "\(done.messages)")
            try expectNothing()
            if let keyring { #expect(try keyring.itemCount() == 0) }
        }

        private func wait(for program: RunningProgram) throws -> FinishedProgram {
            let end = ContinuousClock.now + .seconds(60)
            while program.isRunning, ContinuousClock.now < end { usleep(2_000) }
            #expect(!program.isRunning)
            return try program.finish()
        }

        @Test("by an import of more accounts than the keyring takes, and the file takes them then")
        func tooMany() throws {
            let keyring = try PrivateKeyring()
            let accounts = (0..<1_001).map { number in
                """
                "u\(number).t-h-t":{"home_account_id":"u\(number).t","environment":"h","realm":"t","username":"u\(number)",\
                "local_account_id":"u\(number)","authority_type":"MSSTS"}
                """
            }
            let document = Data("{\"Account\":{\(accounts.joined(separator: ","))}}".utf8)
            let done = try run(["import", "-"], input: document, [Self.bus: keyring.address])
            #expect(done.exitCode == 1, "\(done.messages)")
            try expectNothing()
            #expect(try keyring.itemCount() == 0)
            let filed = try run(["import", "-", "--storage", "file"], input: document, [Self.bus: keyring.address])
            #expect(filed.exitCode == 0, "\(filed.messages)")
        }

        @Test("where the keyring hangs while the group is made")
        func hanging() throws {
            let keyring = try PrivateKeyring()
            try keyring.freeze()
            let options = ["--storage", "keyring", "--timeout", "0.5", "--no-prompt"]
            let done = try run(["import", "-"] + options, input: SampleCache().document, [Self.bus: keyring.address])
            #expect(done.exitCode == 6, "\(done.messages)")
            try keyring.thaw()
            try expectNothing()
        }

        @Test("where nothing can be adopted")
        func adoption() throws {
            #expect(try run(["repair", "--adopt", "--yes"]).exitCode != 0)
            try expectNothing()
        }

        @Test("and one that was there stays as it was")
        func existing() throws {
            #expect(try run(["import", "-"], input: SampleCache().document).exitCode == 0)
            #expect(try run(["import", "-"], input: Data("garbage".utf8)).exitCode == 7)
            #expect(try run(["accounts"]).exitCode == 0)
        }

        @Test("unless another process has stored something in it meanwhile")
        func used() throws {
            let running = try Program.cachetool.start(["import", "-"], environment: environment)
            running.write(Data("{\"AccessToken\":{".utf8))
            let end = ContinuousClock.now + .seconds(60)
            while try !run(["groups", "--json"]).text.contains("\"ready\""), ContinuousClock.now < end { usleep(2_000) }
            #expect(try run(["import", "-"], input: SampleCache().document).exitCode == 0)
            #expect(try running.finish().exitCode == 7)
            #expect(try run(["accounts"]).exitCode == 0)
        }
    }
}
