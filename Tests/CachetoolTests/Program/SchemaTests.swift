// SPDX-License-Identifier: Apache-2.0

import CacheAdministration
import Foundation
import Programs
import Sealing
import Testing
import TokenCaching

extension ProgramTests {
    /// What programs rely on: Documentation/cachetool.schema.json. What the commands write here, as in all tests, is compared with it
    /// once the tests have run: see `KeptRun`.
    @Suite("JSON documents")
    struct SchemaTests {
        /// In this order on one group. `@root`, `@entry` and `@slot` stand for what only the test knows.
        private static let commands: [[String]] = [
            ["groups", "list"],
            ["doctor"],
            ["import", ScratchGroup.sample],
            ["accounts"],
            ["status"],
            ["profiles"],
            ["list"],
            ["stats"],
            ["verify"],
            ["repair"],
            ["compact"],
            ["slots", "list"],
            ["rekey"],
            ["clear", "--expired", "--dry-run"],
            ["sign-out", SampleCache.zoe, "--client", SampleCache.client, "--yes"],
            ["lookup", "--account", SampleCache.adeleID, "--client", SampleCache.client, "--scopes", "User.Read"],
            ["lookup", "--account", SampleCache.adeleID, "--client", SampleCache.client, "--scopes", "Files.Read"],
            ["export", "@root/exported"],
            ["inspect", "@entry"],
            ["slots", "add", "--new-key-file", "@root/key"],
            ["slots", "remove", "@slot", "--yes"],
            ["groups", "remove", "--dry-run"],
            ["unlock"],
            ["migrate", "--to", "keyring"],
            ["stats"],
        ]

        @Test("every command but those that write line by line writes one")
        func written() throws {
            let tool = try Tool.withSample()
            let keyring = try PrivateKeyring()
            for command in Self.commands {
                let words = try command.map { word in
                    switch word {
                    case "@entry": try tool.id(["list"], "entries") { _ in true }
                    case "@slot": try tool.id(["slots", "list"], "slots") { $0["kind"] as? String == "key_file" }
                    default: word.replacing("@root", with: tool.root.path)
                    }
                }
                let done = try tool.run(words + ["--json"], environment: ["DBUS_SESSION_BUS_ADDRESS": keyring.address])
                #expect(done.exitCode == 0, "\(command): \(done.messages)")
                #expect(try done.json["schema_version"] as? Int == 1, "\(command)")
            }
        }

        @Test("the tests write one of every command, but for those that write line by line")
        func complete() {
            let commands = Set(Self.commands.compactMap(CommandTree.command))
            #expect(CommandTree.leaves.subtracting(commands) == CommandTree.signingIn.union([["watch"]]))
        }

        private static let documentation = URL(filePath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Documentation")

        private static func schema() throws -> [String: Any] {
            let bytes = try Data(contentsOf: documentation.appending(path: "cachetool.schema.json"))
            return try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
        }

        @Test("the schema has the documents of every command, and of no other")
        func schemaIsComplete() throws {
            let references = try #require(try Self.schema()["anyOf"] as? [[String: String]])
            let names = references.compactMap { $0["$ref"]?.replacing("#/$defs/", with: "") }
            #expect(Set(names) == Set(CommandTree.leaves.map { $0.joined(separator: "-") }))
        }

        @Test("an object of the schema has no members but those that it names, and says which may be absent")
        func schemaIsStrict() throws {
            // What refers to these adds members, and closes them.
            let open: Set = ["entry", "partOfGroup"]
            let parts = try #require(try Self.schema()["$defs"] as? [String: Any])
            for (name, part) in parts where !open.contains(name) {
                for object in Self.objects(in: part) {
                    let isClosed = object["additionalProperties"] ?? object["unevaluatedProperties"]
                    #expect(isClosed as? Bool == false, "\(name)")
                    #expect((object["required"] as? [String])?.isEmpty == false, "\(name)")
                }
            }
        }

        @Test("the schema has every kind of store that a group can have")
        func storage() throws {
            let names = Set(StorageNameTests.kinds + [StorageLocation.Kind.memory, .unknown].map(\.rawValue))
            #expect(Set(try Self.names(in: try Self.part("storage"))) == names)
        }

        @Test("the schema and its description have every kind of key slot")
        func slots() throws {
            let kinds = SlotKind.allCases.flatMap(\.shown)
            let names = Set((kinds + [.unknown]).map(\.rawValue))
            let items = try #require(try Self.part("slots")["items"] as? [String: Any])
            let properties = try #require(items["properties"] as? [String: Any])
            #expect(Set(try Self.names(in: try #require(properties["kind"] as? [String: Any]))) == names)
            let text = try String(contentsOf: Self.documentation.appending(path: "CommandOutput.md"), encoding: .utf8)
            let row = try #require(text.split(separator: "\n").first { $0.hasPrefix("| `slots list`") })
            for name in names { #expect(row.contains("`\(name)`"), "\(name)") }
        }

        private static func part(_ name: String) throws -> [String: Any] {
            let parts = try #require(try schema()["$defs"] as? [String: Any])
            return try #require(parts[name] as? [String: Any])
        }

        /// The names that a part of the schema allows.
        private static func names(in part: [String: Any]) throws -> [String] {
            try #require(part["enum"] as? [String])
        }

        @Test("every member of every document is described")
        func described() throws {
            let text = try String(contentsOf: Self.documentation.appending(path: "CommandOutput.md"), encoding: .utf8)
            let objects = Self.objects(in: try Self.schema())
            let names = objects.reduce(into: Set<String>()) { names, object in
                names.formUnion((object["properties"] as? [String: Any] ?? [:]).keys)
            }
            #expect(names.count > 70)
            for name in names.sorted() { #expect(text.contains("`\(name)`"), "\(name)") }
        }

        /// The schemas of objects with members in a part of the schema.
        private static func objects(in part: Any) -> [[String: Any]] {
            switch part {
            case let object as [String: Any]:
                (object["properties"] == nil ? [] : [object]) + object.values.flatMap(objects)
            case let array as [Any]: array.flatMap(objects)
            default: []
            }
        }
    }
}
