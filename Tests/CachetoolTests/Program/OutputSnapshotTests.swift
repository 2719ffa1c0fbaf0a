// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

extension ProgramTests {
    /// What people see of each command on a terminal.
    @Suite("Output on a terminal")
    struct OutputSnapshotTests {
        /// In this order on one group. `@root`, `@entry` and `@slot` stand for what only the test knows.
        private static let commands: [(name: String, command: [String])] = [
            ("import", ["import", "@root/cache.json"]),
            ("groups list", ["groups", "list"]),
            ("accounts", ["accounts"]),
            ("status", ["status"]),
            ("list", ["list"]),
            ("inspect", ["inspect", "@entry"]),
            ("stats", ["stats"]),
            ("verify", ["verify"]),
            ("doctor", ["doctor"]),
            ("lookup", ["lookup", "--account", "adele", "--client", SampleCache.client, "--scopes", "User.Read"]),
            (
                "lookup miss",
                ["lookup", "--account", "adele", "--client", SampleCache.client, "--scopes", "Files.Read"]
            ),
            ("profiles", ["profiles"]),
            ("watch", ["watch"]),
            ("export", ["export", "@root/exported.json"]),
            ("repair", ["repair"]),
            ("compact", ["compact"]),
            ("slots add", ["slots", "add", "--new-key-file", "@root/key"]),
            ("slots list", ["slots", "list"]),
            ("slots remove", ["slots", "remove", "@slot", "--yes"]),
            ("rekey", ["rekey"]),
            ("clear", ["clear", "--expired", "--yes"]),
            ("sign-out", ["sign-out", SampleCache.zoe, "--client", SampleCache.client, "--yes"]),
            ("unlock", ["unlock"]),
            ("migrate", ["migrate", "--to", "keyring"]),
            ("groups remove", ["groups", "remove", "--yes"]),
        ]

        @Test("equals its snapshot for each command", arguments: [80, 200])
        func snapshots(columns: Int) throws {
            let tool = try Tool()
            let keyring = try PrivateKeyring()
            // Two minutes ago, so that no token has a whole hour left.
            let now = Int64(Date().timeIntervalSince1970) - 120
            try SampleCache(now: now).document.write(to: URL(filePath: tool.root.path + "/cache.json"))
            try BrokenState.chmod(0o600, tool.root.path + "/cache.json")
            for (name, command) in Self.commands {
                let words = try command.map { word in
                    switch word {
                    case "@entry":
                        try tool.id(["list"], "entries") { entry in
                            entry["kind"] as? String == "IdToken" && entry["username"] as? String == SampleCache.adele
                        }
                    case "@slot": try tool.id(["slots", "list"], "slots") { $0["kind"] as? String == "key_file" }
                    default: word.replacing("@root", with: tool.root.path)
                    }
                }
                let needsKeyring = ["unlock", "migrate", "groups remove"].contains(name)
                let done = try tool.terminal(
                    words,
                    answers: name == "watch" ? [("Ctrl-C", "\u{3}")] : [],
                    columns: columns,
                    environment: ["NO_COLOR": "1"].merging(
                        needsKeyring ? ["DBUS_SESSION_BUS_ADDRESS": keyring.address] : [:]
                    ) { $1 }
                )
                #expect(done.exitCode == 0, "\(name): \(done.text)")
                try Snapshot.check(
                    Self.steady(done.text, tool) + "\n",
                    "output-\(columns)/\(name.replacing(" ", with: "-")).txt"
                )
            }
        }

        @Test("is recorded for every command but those that ask servers, and for no other")
        func complete() throws {
            let commands = Set(Self.commands.compactMap { CommandTree.command(of: $0.command) })
            #expect(CommandTree.leaves.subtracting(commands) == CommandTree.signingIn)
            let names = Set(Self.commands.map { $0.name.replacing(" ", with: "-") + ".txt" })
            for columns in [80, 200] { #expect(try Set(Snapshot.names(in: "output-\(columns)")) == names) }
        }

        /// The text without what differs from run to run and from machine to machine: the root, ids, times and sizes.
        private static func steady(_ text: String, _ tool: Tool) -> String {
            text.replacing(tool.root.path, with: "ROOT")
                .replacing(#/…[^ \n]*/test$/#.anchorsMatchLineEndings(), with: "…/test")
                .replacing(#/(keys/)[0-9a-f-]{36}(\.[0-9a-z.]+)?/#) { "\($0.output.1)FILE" }
                .replacing(#/\b[0-9a-f]{32}\b/#, with: "ID")
                .replacing(#/^[0-9a-f]{8}(?=  )/#.anchorsMatchLineEndings(), with: "ID-SHORT")
                .replacing(#/(slots +)[0-9a-f]{8}:/#) { "\($0.output.1)ID-SHORT:" }
                .replacing(#/(key file )[0-9a-f]{8}\b/#) { "\($0.output.1)ID-SHORT" }
                .replacing(#/\/[^ ]*token-cache-test[^ ]*…/#, with: "ROOT…")
                .replacing(#/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/#, with: "TIME")
                .replacing(#/[0-9][0-9.,]* (ms|s|min|d|y|B|KiB|MiB|GiB)\b/#) { "N \($0.output.1)" }
                // What a machine has.
                .split(separator: "\n", omittingEmptySubsequences: false)
                .filter { !$0.hasPrefix("fine   space") && !$0.contains("  memory  ") }
                .map(String.init)
                // Entries of one kind and account are sorted by their handles.
                .reduce(into: [[]]) { blocks, line in
                    if line.hasPrefix("ID-SHORT") {
                        blocks[blocks.count - 1].append(line)
                    } else {
                        blocks.append([line])
                    }
                }
                .flatMap { $0.count > 1 ? [$0[0]] + $0.dropFirst().sorted() : $0 }
                .joined(separator: "\n")
        }
    }
}
