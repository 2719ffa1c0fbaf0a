// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

extension ProgramTests {
    /// What programs rely on: a member may be added, none may go or change its name without another `schema_version`.
    @Suite("JSON documents")
    struct SchemaTests {
        /// In this order on one group. `@root`, `@entry` and `@slot` stand for what only the test knows.
        private static let documents: [(command: [String], members: [String])] = [
            (["groups", "list"], ["schema_version", "groups"]),
            (["doctor"], ["schema_version", "group", "healthy", "findings"]),
            (
                ["import", ScratchGroup.sample],
                ["schema_version", "group", "changed", "bytes", "bad", "damaged", "healed", "kinds"]
            ),
            (["accounts"], ["schema_version", "group", "accounts"]),
            (["status"], ["schema_version", "signed_in", "groups"]),
            (["list"], ["schema_version", "group", "entries", "unreadable"]),
            (
                ["stats"],
                [
                    "schema_version", "group", "storage", "collection", "storage_reason", "accounts", "entries",
                    "kinds", "file", "held_leases", "set_aside_files", "set_aside_bytes", "memory_locked",
                ]
            ),
            (["verify"], ["schema_version", "group", "sound", "records", "bytes", "findings"]),
            (
                ["repair"],
                [
                    "schema_version", "group", "dry_run", "damaged", "repaired", "kept", "lost", "lost_at_most",
                    "lost_changes", "already_removed", "signed_out_accounts", "begins_anew", "set_aside_bytes",
                    "set_aside_files", "findings",
                ]
            ),
            (["compact"], ["schema_version", "group", "bytes_before", "bytes_after"]),
            (["slots", "list"], ["schema_version", "group", "slots"]),
            (["rekey"], ["schema_version", "group", "epoch", "slots", "dropped", "kept_key_files"]),
            (
                ["clear", "--expired", "--dry-run"],
                [
                    "schema_version", "group", "dry_run", "removed", "would_remove",
                    "accounts", "unreachable", "kinds",
                ]
            ),
            (
                ["sign-out", SampleCache.zoe, "--client", SampleCache.client, "--yes"],
                [
                    "schema_version", "group",
                    "client_id", "username", "home_account_id", "was_signed_in",
                ]
            ),
            (
                ["lookup", "--account", SampleCache.adeleID, "--client", SampleCache.client, "--scopes", "User.Read"],
                [
                    "schema_version", "group", "decision", "reason", "client_id", "environment", "tenant", "scopes",
                    "token_type", "key_id", "cached_at", "expires_on", "extended_expires_on", "refresh_on",
                    "renew_now", "stale",
                ]
            ),
            (
                ["lookup", "--account", SampleCache.adeleID, "--client", SampleCache.client, "--scopes", "Files.Read"],
                [
                    "schema_version", "group", "decision", "reason", "client_id", "environment", "tenant",
                    "request_tenant", "home_account_id", "family_id", "still_valid_until", "nearest_token",
                    "refresh_token",
                ]
            ),
            (
                ["export", "@root/exported"],
                ["schema_version", "group", "file", "bytes", "signed_out", "damaged", "kinds"]
            ),
            (
                ["inspect", "@entry"],
                [
                    "schema_version", "group", "id", "kind", "account_handle", "username", "home_account_id",
                    "environment", "client_id", "family_id", "tenant", "scopes", "cached_at", "expires_on",
                    "refresh_on", "extended_expires_on", "expired", "bytes", "fields", "hidden_fields", "token",
                ]
            ),
            (["slots", "add", "--new-key-file", "@root/key"], ["schema_version", "group", "added"]),
            (
                ["slots", "remove", "@slot", "--yes"],
                ["schema_version", "group", "epoch", "slots", "dropped", "kept_key_files"]
            ),
            (
                ["groups", "remove", "--dry-run"],
                ["schema_version", "group", "dry_run", "removed", "kept"]
            ),
            (["unlock"], ["schema_version", "program", "collection", "was_locked", "unlocked"]),
            (
                ["migrate", "--to", "keyring"],
                ["schema_version", "group", "from", "to", "moved", "resumed", "records"]
            ),
        ]

        /// Runs each command that writes a document, and hands on what it wrote.
        private func forEachDocument(_ body: ([String], [String], FinishedProgram) throws -> Void) throws {
            let tool = try Tool.withSample()
            let keyring = try PrivateKeyring()
            for (command, members) in Self.documents {
                let words = try command.map { word in
                    switch word {
                    case "@entry": try id(["list"], "entries", in: tool) { _ in true }
                    case "@slot": try id(["slots", "list"], "slots", in: tool) { $0["kind"] as? String == "key_file" }
                    default: word.replacing("@root", with: tool.root.path)
                    }
                }
                let needsKeyring = command.contains("keyring") || command == ["unlock"]
                let environment = needsKeyring ? ["DBUS_SESSION_BUS_ADDRESS": keyring.address] : [:]
                let done = try tool.run(words + ["--json"], environment: environment)
                #expect(done.exitCode == 0, "\(command): \(done.messages)")
                try body(command, members, done)
            }
        }

        /// The id of the first one of a list that a command prints.
        private func id(
            _ command: [String],
            _ list: String,
            in tool: Tool,
            where isWanted: ([String: Any]) -> Bool
        ) throws -> String {
            let all = try #require(try tool.run(command + ["--json"]).json[list] as? [[String: Any]])
            return try #require(all.first(where: isWanted)?["id"] as? String)
        }

        @Test("each has its members, in their order, and begins with its version")
        func members() throws {
            try forEachDocument { (command, members, done) throws in
                #expect(try done.json["schema_version"] as? Int == 1)
                // Outer members stand on lines of their own, two blanks in.
                let names = done.lines.compactMap { line in
                    line.firstMatch(of: #/^  "([a-z_]+)":/#).map { String($0.1) }
                }
                #expect(names == members, "\(command)")
            }
        }

        @Test("there is one of every command, but for those that write line by line")
        func complete() {
            let commands = Set(Self.documents.compactMap { CommandTree.command(of: $0.command) })
            #expect(CommandTree.leaves.subtracting(commands) == CommandTree.signingIn.union([["watch"]]))
        }

        /// Where the project's own documentation is.
        private static let description = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Documentation/CommandOutput.md")

        @Test("every member of every document is described")
        func described() throws {
            let text = try String(contentsOf: Self.description, encoding: .utf8)
            var names: Set<String> = []
            try forEachDocument { _, _, done in names.formUnion(Self.members(try done.json)) }
            #expect(names.count > 70)
            for name in names.sorted() { #expect(text.contains("`\(name)`"), "\(name)") }
        }

        /// The names of all members but those that come from a token or an entry as they are.
        private static func members(_ value: Any) -> Set<String> {
            switch value {
            case let object as [String: Any]:
                object.reduce(into: []) { names, member in
                    names.insert(member.key)
                    if !["fields", "header", "claims"].contains(member.key) { names.formUnion(members(member.value)) }
                }
            case let array as [Any]: array.reduce(into: []) { $0.formUnion(members($1)) }
            default: []
            }
        }
    }
}
