import Foundation
import Programs
import Testing

extension ProgramTests {
    /// What programs rely on: a member may be added, none may go or change its name without another `schema_version`.
    @Suite("JSON documents")
    struct SchemaTests {
        private static let documents: [(command: [String], members: [String])] = [
            (["groups"], ["schema_version", "groups"]),
            (["doctor"], ["schema_version", "group", "healthy", "findings"]),
            (
                ["import", ScratchGroup.sample],
                ["schema_version", "group", "changed", "bytes", "bad", "damaged", "healed", "kinds"]
            ),
            (["accounts"], ["schema_version", "group", "accounts"]),
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
                    "request_tenant", "home_account_id", "family_id", "still_valid_until",
                ]
            ),
        ]

        @Test("each has its members, in their order, and begins with its version")
        func members() throws {
            let tool = try Tool.withSample()
            for (command, members) in Self.documents {
                let done = try tool.run(command + ["--json"])
                #expect(done.exitCode == 0, "\(command): \(done.messages)")
                #expect(try done.json["schema_version"] as? Int == 1)
                // Outer members stand on lines of their own, two blanks in.
                let names = done.lines.compactMap { line in
                    line.firstMatch(of: #/^  "([a-z_]+)":/#).map { String($0.1) }
                }
                #expect(names == members, "\(command)")
            }
        }

        /// The outer members of what a command printed.
        private func names(_ done: FinishedProgram) -> [String] {
            done.lines.compactMap { line in line.firstMatch(of: #/^  "([a-z_]+)":/#).map { String($0.1) } }
        }

        @Test("those of slots have theirs")
        func slots() throws {
            let tool = try Tool.withSample()
            let added = try tool.run("slots", "add", "--new-key-file", tool.root.path + "/key", "--json")
            #expect(names(added) == ["schema_version", "group", "added"], "\(added.messages)")
            let slots = try #require(try added.json["added"] as? [[String: Any]])
            let id = try #require(slots.first?["id"] as? String)
            let removed = try tool.run("slots", "remove", id, "--yes", "--json")
            #expect(removed.exitCode == 0, "\(removed.messages)")
            #expect(names(removed) == ["schema_version", "group", "epoch", "slots", "dropped", "kept_key_files"])
        }

        @Test("that of one entry has its own")
        func entry() throws {
            let tool = try Tool.withSample()
            let entries = try #require(try tool.run("list", "--json").json["entries"] as? [[String: Any]])
            let id = try #require(entries.first?["id"] as? String)
            #expect(
                names(try tool.run("inspect", id, "--json")) == [
                    "schema_version", "group", "id", "kind", "account_handle", "username", "home_account_id",
                    "environment", "client_id", "family_id", "tenant", "scopes", "cached_at", "expires_on",
                    "refresh_on", "extended_expires_on", "expired", "bytes", "fields", "hidden_fields", "token",
                ]
            )
        }

        @Test("that of a migration has its own")
        func migration() throws {
            let tool = try Tool.withSample()
            let keyring = try PrivateKeyring()
            let done = try tool.run(
                "migrate",
                "--to",
                "keyring",
                "--json",
                environment: ["DBUS_SESSION_BUS_ADDRESS": keyring.address]
            )
            #expect(done.exitCode == 0, "\(done.messages)")
            #expect(names(done) == ["schema_version", "group", "from", "to", "moved", "resumed", "records"])
        }

        /// Where the project's own documentation is.
        private static let description = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Documentation/CommandOutput.md")

        @Test("every member of every document is described")
        func described() throws {
            let text = try String(contentsOf: Self.description, encoding: .utf8)
            let tool = try Tool.withSample()
            let entry = try #require(
                (try tool.run("list", "--json").json["entries"] as? [[String: Any]])?.first?["id"] as? String
            )
            var names: Set<String> = []
            for command in [["inspect", entry]] + Self.documents.map(\.command) {
                names.formUnion(Self.members(try tool.run(command + ["--json"]).json))
            }
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
