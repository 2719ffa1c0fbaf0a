// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

extension ProgramTests {
    /// Each state that the keyring of a session gets into, with each command, for both kinds of groups that need it.
    @Suite("A keyring in a bad state", .serialized)
    struct KeyringStateTests {
        enum State: String, CaseIterable {
            case noBus, noService, locked, startedLocked, stopped, otherKeyring, stranger

            /// What a command says that cannot do without it.
            var exitCode: Int32 {
                switch self {
                case .locked, .startedLocked: 4
                case .noBus, .noService, .stranger: 5
                case .stopped: 6
                // The item that the group says it has is not there.
                case .otherKeyring: 7
                }
            }
        }

        enum Storage: String, CaseIterable {
            /// Everything is in the keyring.
            case keyring
            /// The file, and nothing but an item in the keyring opens it.
            case file

            var other: Storage { self == .file ? .keyring : .file }
        }

        private static let bus = "DBUS_SESSION_BUS_ADDRESS"

        /// `@other` stands for the kind of storage that the group does not have.
        private static let commands = [
            ["accounts"], ["list"], ["stats"], ["verify"], ["export", "--all", "--yes", "-"], ["slots", "list"],
            [
                "lookup", "--account", SampleCache.adeleID, "--client", SampleCache.client, "--scopes", "User.Read",
            ],
            ["sign-out", SampleCache.adeleID, "--client", SampleCache.client], ["clear", "--all", "--yes"],
            ["rekey", "--yes"],
            ["slots", "add", "--new-keyring"], ["slots", "remove", "0000", "--yes"], ["import", "-"],
            ["inspect", "0000"], ["compact"], ["watch"], ["repair", "--dry-run"],
            ["migrate", "--to", "@other"],
        ]

        @Test("no command is left out that needs a key")
        func complete() {
            // The first ones need none, and the last ones say what is wrong instead of ending with it.
            let others: Set = [
                ["groups", "list"], ["profiles"], ["groups", "remove"], ["unlock"], ["doctor"], ["status"],
            ]
            #expect(
                CommandTree.leaves.subtracting(Self.commands.compactMap(CommandTree.command))
                    == CommandTree.signingIn.union(others)
            )
        }

        @Test(
            "ends every command in time with the status that says which, changes nothing, and chooses no other store",
            arguments: State.allCases,
            Storage.allCases
        )
        func state(_ state: State, _ storage: Storage) throws {
            let keyring = try PrivateKeyring()
            let tool = try Tool()
            let environment = [Self.bus: keyring.address]
            let document = try SampleCache().document
            let options = ["--storage", storage.rawValue]
            let made = try tool.run(["import", "-"] + options, input: document, environment: environment)
            #expect(made.exitCode == 0, "\(made.messages)")
            if storage == .file {
                #expect(try tool.run("slots", "add", "--new-keyring", environment: environment).exitCode == 0)
                try FileManager.default.removeItem(atPath: tool.root.path + "/.keys")
            }
            let before = try tool.run("list", "--json", environment: environment)
            #expect(before.exitCode == 0)
            let files = try Self.files(tool)

            try enter(state, keyring)
            let location = state == .noBus ? [:] : environment
            // Only a stopped keyring is waited for, and each command waits until its deadline.
            let timeout = state == .stopped ? ["--timeout", "0.2"] : []
            for words in Self.commands {
                let command = words.map { $0 == "@other" ? storage.other.rawValue : $0 }
                let start = SuspendingClock.now
                let done = try tool.run(command + ["--no-prompt"] + timeout, input: document, environment: location)
                #expect(done.exitCode == state.exitCode, "\(command): \(done.messages)")
                #expect(done.output.isEmpty, "\(command)")
                // D-Bus by itself would wait for 25 seconds.
                #expect(SuspendingClock.now - start < .seconds(20), "\(command)")
            }
            let doctor = try tool.run("doctor", "--json", environment: location)
            #expect(doctor.exitCode == 1)
            #expect(try doctor.json["healthy"] as? Bool == false)
            #expect(try Self.files(tool) == files)

            try leave(state, keyring)
            let after = try tool.run("list", "--json", environment: environment)
            #expect(after.text == before.text, "\(after.messages)")
            #expect(try tool.run("import", "-", input: document, environment: environment).exitCode == 0)
        }

        private static func files(_ tool: Tool) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: tool.root.path + "/" + tool.group).sorted()
        }

        private func enter(_ state: State, _ keyring: PrivateKeyring) throws {
            switch state {
            case .noBus: break
            case .noService: try keyring.killDaemon()
            case .locked: try keyring.lock()
            case .startedLocked:
                try keyring.killDaemon()
                try keyring.startDaemon(unlocked: false)
            case .stopped: try keyring.freeze()
            case .otherKeyring: try keyring.startFake("none")
            case .stranger: try keyring.startFake("stranger")
            }
        }

        private func leave(_ state: State, _ keyring: PrivateKeyring) throws {
            switch state {
            case .noBus: break
            case .stopped: try keyring.thaw()
            case .noService: try keyring.startDaemon()
            default:
                try keyring.killDaemon()
                try keyring.startDaemon()
            }
        }
    }
}
