// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

extension ProgramTests {
    /// What commands say that refuse, and that doing what they say works. The errors of the library are those of `ErrorCodeTests`.
    @Suite("Messages", .timeLimit(.minutes(10)))
    struct MessageTests {
        struct Refusal: Sendable, CustomTestStringConvertible {
            var make: @Sendable (DoctoredGroup) throws -> Void = { _ in }
            let command: [String]
            let exitCode: Int32
            /// A part of the message: what is wrong, and what to do.
            let says: String
            /// What the person types then, as the message says it. `@id` stands for the first column of what the message has them
            /// look at. Nil if the commands in the message are all, and the command itself is repeated.
            var then: [String]?
            var testDescription: String { command.joined(separator: " ") }
        }

        private static let lookup = ["lookup", "--client", SampleCache.client, "--scopes", "User.Read"]

        private static let refusals: [Refusal] = [
            Refusal(
                command: ["inspect", "zz"],
                exitCode: 2,
                says: "an ID consists of the digits 0-9 and a-f, at least 4 of them. "
                    + "cachetool list --group contoso shows IDs in its first column.",
                then: ["inspect", "@id"]
            ),
            Refusal(
                command: ["inspect", "00000000000000000000000000000000"],
                exitCode: 3,
                says: "cachetool list --group contoso shows them.",
                then: ["inspect", "@id"]
            ),
            Refusal(
                command: lookup,
                exitCode: 2,
                says: "accounts are signed in: select one with --account.",
                then: lookup + ["--account", SampleCache.adele]
            ),
            Refusal(
                command: lookup + ["--account", SampleCache.adele, "--claims", "none"],
                exitCode: 2,
                says: "--claims is not a JSON object, such as {\"access_token\":{...}}.",
                then: lookup + ["--account", SampleCache.adele, "--claims", "{\"access_token\":{}}"]
            ),
            Refusal(
                command: ["lookup", "--account", SampleCache.adele, "--client", SampleCache.client, "--scopes", " "],
                exitCode: 2,
                says: "--scopes is empty. Name at least one scope, such as User.Read.",
                then: lookup + ["--account", SampleCache.adele]
            ),
            Refusal(
                command: ["export", "-", "--json"],
                exitCode: 2,
                says: "With --json, standard output is used for the report: name a file for the export.",
                then: ["export", "@home/exported.json", "--json"]
            ),
            Refusal(
                command: ["export"],
                exitCode: 2,
                says: "Name the file to create, or -",
                then: ["export", "@home/exported.json"]
            ),
            Refusal(
                make: { try Data("{}".utf8).write(to: URL(filePath: $0.home.path + "/there.json")) },
                command: ["export", "@home/there.json"],
                exitCode: 2,
                says: "exists already. Name another file, or replace it with --yes.",
                then: ["export", "@home/there.json", "--yes"]
            ),
            Refusal(
                make: { $0.wrapper = ["/bin/bash", "-c", "exec \"$@\" 3<<<secret", "bash"] },
                command: ["slots", "add", "--new-passphrase", "--no-prompt"],
                exitCode: 2,
                says: "Prompting for the new passphrase is not possible here. Provide it with --new-passphrase-fd.",
                then: ["slots", "add", "--new-passphrase-fd", "3"]
            ),
            Refusal(
                command: ["import", "--schema", "example", ScratchGroup.sample],
                exitCode: 2,
                says: "--schema and --attribute describe an item: use them with --from keyring.",
                then: ["import", ScratchGroup.sample]
            ),
            Refusal(
                command: ["import"],
                exitCode: 2,
                says: "Name the file, or - for standard input.",
                then: ["import", ScratchGroup.sample]
            ),
            Refusal(
                command: ["import", "@home"],
                exitCode: 2,
                says: "is a folder. Name the file in it that holds the cache.",
                then: ["import", ScratchGroup.sample]
            ),
            Refusal(
                command: ["import", "--from", "msal-extensions"],
                exitCode: 2,
                says: "Pass the path of the file exactly as the program passes it to msal-extensions.",
                then: ["import", "--from", "msal-extensions", ScratchGroup.sample]
            ),
            Refusal(
                command: ["migrate", "--to", "keyring", "--new-keyring"],
                exitCode: 2,
                says: "--new-keyring specifies what opens the file. Use it with --to file.",
                then: ["migrate", "--to", "file"]
            ),
            Refusal(
                command: ["sign-out", "nobody@contoso.example", "--client", SampleCache.client, "--yes"],
                exitCode: 3,
                says: "cachetool accounts --group contoso --all lists them.",
                then: ["sign-out", SampleCache.adele, "--client", SampleCache.client, "--yes"]
            ),
            Refusal(
                command: ["clear"],
                exitCode: 2,
                says: "Say what to remove: a filter such as --expired or --account, or --all.",
                then: ["clear", "--all", "--yes"]
            ),
            Refusal(
                command: ["clear", "--all", "--expired"],
                exitCode: 2,
                says: "--all removes everything. Use either --all or filters.",
                then: ["clear", "--expired", "--yes"]
            ),
            Refusal(
                command: ["clear", "--all"],
                exitCode: 2,
                says: "nothing was changed. Use --yes to confirm.",
                then: ["clear", "--all", "--yes"]
            ),
            Refusal(
                make: { $0.options += ["--root", $0.home.path + "/none"] },
                command: ["groups", "remove"],
                exitCode: 3,
                says: "so nothing was removed. Select another folder with --root.",
                then: ["groups", "remove", "--yes", "@standard-root"]
            ),
            Refusal(
                make: damageRecord,
                command: ["verify"],
                exitCode: 7,
                says: "Nothing was changed; cachetool repair --group contoso saves what can be saved."
            ),
            Refusal(
                make: damageRecord,
                command: ["export", "@home/exported.json"],
                exitCode: 9,
                says: "damaged and was omitted. See cachetool verify --group contoso.",
                then: ["verify", "@repaired"]
            ),
        ]

        /// One bit of the record that was written last.
        @Sendable private static func damageRecord(_ group: DoctoredGroup) throws {
            try group.change(group.journal.path()) { bytes in
                // Before the trailer of the last transaction and the mark behind it.
                bytes[(bytes.lastIndex { $0 != 0 } ?? 0) - 120] ^= 1
            }
        }

        @Test("a command that refuses says what to do, and that works", arguments: refusals)
        func refusal(_ refusal: Refusal) throws {
            let group = try DoctoredGroup()
            try group.fill()
            try refusal.make(group)
            func typed(_ words: [String]) -> [String] {
                words.map { $0.replacing("@home", with: group.home.path) }
            }
            let refused = try group.run(typed(refusal.command))
            #expect(refused.exitCode == refusal.exitCode, "\(refused.messages)")
            #expect(refused.messages.contains(refusal.says), "\(refused.messages)")

            var words = typed(refusal.then ?? refusal.command)
            let named = DoctoredGroup.commands(in: refused.messages)
            if words.contains("@id") {
                let shown = try group.shell(try #require(named.first))
                let id = try #require(shown.lines.dropFirst().first?.split(separator: " ").first)
                words = words.map { $0 == "@id" ? String(id) : $0 }
            } else {
                try group.follow(refused.messages)
            }
            if words.last == "@repaired" {
                words.removeLast()
                // What tells more says what mends it.
                try group.follow(group.run(words).messages)
            }
            if words.last == "@standard-root" {
                words.removeLast()
                group.options = ["--group", DoctoredGroup.name]
            }
            let done = try group.run(words)
            #expect(done.exitCode == 0, "\(words): \(done.messages)")
        }

        @Test("output that cannot be written is an error that says why")
        func fullOutput() throws {
            let group = try DoctoredGroup()
            try group.fill()
            let done = try group.shell("cachetool list --group contoso >/dev/full")
            #expect(done.exitCode == 1)
            #expect(done.messages.contains("Standard output could not be written: No space left on device."))
        }

        @Test("where only a passphrase opens the group and nobody can be asked, the option that takes one is named")
        func passphrase() throws {
            let group = try DoctoredGroup()
            let script = "printf secret >\"$HOME/pw\"; cachetool import '\(ScratchGroup.sample)' --group contoso"
            #expect(try group.shell(script + " --passphrase-fd 3 3<\"$HOME/pw\"").exitCode == 0)
            let refused = try group.run("list")
            #expect(refused.exitCode == 4)
            #expect(refused.messages.contains("no passphrase was given"), "\(refused.messages)")
            #expect(refused.messages.contains("--passphrase-fd"), "\(refused.messages)")
            let closed = try group.run("list", "--passphrase-fd", "9")
            #expect(
                closed.messages.contains("Open it for cachetool, as in --passphrase-fd 3 3<FILE."),
                "\(closed.messages)"
            )
            #expect(try group.shell("cachetool list --group contoso --passphrase-fd 3 3<\"$HOME/pw\"").exitCode == 0)
        }
    }
}
