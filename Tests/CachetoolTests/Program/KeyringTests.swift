// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import SeededRandom
import Testing

extension ProgramTests {
    @Suite("The keyring", .serialized)
    struct KeyringTests {
        private static let bus = "DBUS_SESSION_BUS_ADDRESS"

        @Test("a new group gets the keyring where there is one, and stats says so and why")
        func automatic() throws {
            let keyring = try PrivateKeyring()
            let tool = try Tool()
            let environment = [Self.bus: keyring.address]
            let made = try tool.run("import", "-", input: SampleCache().document, environment: environment)
            #expect(made.exitCode == 0, "\(made.messages)")
            let stats = try tool.run("stats", "--json", environment: environment).json
            #expect(stats["storage"] as? String == "keyring")
            #expect((stats["storage_reason"] as? String)?.contains("gnome-keyring") == true)
            #expect(try tool.run("list", environment: environment).lines.count == 16)
            let groups = try tool.run("groups", "--json").json["groups"] as? [[String: Any]]
            #expect(groups?.first?["storage"] as? String == "keyring")
        }

        @Test("a collection alone means the keyring, unless the group is in a file")
        func collectionAlone() throws {
            let keyring = try PrivateKeyring()
            let tool = try Tool()
            let environment = [Self.bus: keyring.address]
            let named = ["--collection", "login"]
            let sample = try SampleCache().document
            let made = try tool.run(["import", "-"] + named, input: sample, environment: environment)
            #expect(made.exitCode == 0, "\(made.messages)")
            let stats = try tool.run(["stats", "--json"] + named, environment: environment)
            let storageName = try stats.json["storage"] as? String
            #expect(storageName == "keyring", "\(stats.messages)")
            var filed = tool
            filed.group = "filed"
            let storage = ["--storage", "file"]
            let imported = try filed.run(["import", "-"] + storage, input: sample, environment: environment)
            #expect(imported.exitCode == 0, "\(imported.messages)")
            let listed = try filed.run(["list"] + named, environment: environment)
            #expect(listed.exitCode == 0 && listed.lines.count == 16, "\(listed.messages)")
        }

        @Test("without its keyring a group is unreachable, and the message names its kind of store")
        func away() throws {
            let keyring = try PrivateKeyring()
            let tool = try Tool()
            let environment = [Self.bus: keyring.address]
            #expect(
                try tool.run(
                    "import",
                    "-",
                    "--storage",
                    "keyring",
                    input: SampleCache().document,
                    environment: environment
                )
                .exitCode == 0
            )
            #expect(try tool.run("list").exitCode == 5)
            #expect(try tool.run("list", "--storage", "file").exitCode == 5)
            try keyring.lock()
            #expect(try tool.run("list", "--no-prompt", environment: environment).exitCode == 4)
        }

        @Test("rekey re-encrypts the group, and everything is there")
        func newKeys() throws {
            let keyring = try PrivateKeyring()
            let tool = try Tool()
            let environment = [Self.bus: keyring.address]
            let made = try tool.run("import", "-", input: SampleCache().document, environment: environment)
            #expect(made.exitCode == 0, "\(made.messages)")
            let before = try tool.run("export", "--all", "--yes", "-", environment: environment)
            #expect(before.exitCode == 0)
            let changed = try tool.run("rekey", "--json", environment: environment)
            #expect(try changed.json["epoch"] as? Int == 2, "\(changed.messages)")
            #expect(try tool.run("export", "--all", "--yes", "-", environment: environment).output == before.output)
            #expect(try tool.run("rekey", environment: environment).exitCode == 0)
            #expect(try tool.run("export", "--all", "--yes", "-", environment: environment).output == before.output)
        }

        @Test("a collection that is named holds the group")
        func collection() throws {
            let keyring = try PrivateKeyring()
            let tool = try Tool()
            let environment = [Self.bus: keyring.address]
            let options = ["--storage", "keyring", "--collection", "session"]
            let made = try tool.run(["import", "-"] + options, input: SampleCache().document, environment: environment)
            #expect(made.exitCode == 0, "\(made.messages)")
            #expect(
                try tool.run("stats", "--json", environment: environment).json["collection"] as? String == "session"
            )
            #expect(
                try tool.run(["list", "--storage", "keyring", "--collection", "login"], environment: environment)
                    .exitCode == 5
            )
        }

        @Test("a key slot for the keyring is added, opens the group, and is removed")
        func slots() throws {
            let keyring = try PrivateKeyring()
            let tool = try Tool.withSample()
            let environment = [Self.bus: keyring.address]
            let added = try tool.run("slots", "add", "--new-keyring", "--json", environment: environment)
            #expect(added.exitCode == 0, "\(added.messages)")
            let slot = try #require((added.json["added"] as? [[String: Any]])?.first)
            #expect(slot["kind"] as? String == "keyring")
            try FileManager.default.removeItem(atPath: tool.root.path + "/.keys")
            #expect(try tool.run("list", environment: environment).lines.count == 16)
            #expect(try tool.run("list").exitCode == 5)
        }

        @Test("a group goes to the keyring and back, and says so")
        func migrate() throws {
            let keyring = try PrivateKeyring()
            let tool = try Tool.withSample()
            let environment = [Self.bus: keyring.address]
            let before = try tool.run("list", "--json").text
            let there = try tool.run("migrate", "--to", "keyring", "--json", environment: environment)
            #expect(there.exitCode == 0, "\(there.messages)")
            let said = try there.json
            #expect(said["from"] as? String == "file")
            #expect(said["to"] as? String == "keyring")
            #expect(said["moved"] as? Bool == true)
            #expect(said["resumed"] as? Bool == false)
            #expect((said["records"] as? Int ?? 0) >= 15)
            #expect(try tool.run("list", "--json", environment: environment).text == before)
            let back = try tool.run("migrate", "--to", "file", environment: environment)
            #expect(back.exitCode == 0, "\(back.messages)")
            #expect(try tool.run("list", "--json").text == before)
        }

        @Test("a migration killed at any step continues when it is repeated", arguments: 0..<6)
        func killed(round: Int) throws {
            let keyring = try PrivateKeyring()
            let tool = try Tool.withSample()
            let environment = [Self.bus: keyring.address]
            let before = try tool.run("list", "--json").text
            var random = SeededGenerator(stream: UInt64(round))
            for target in ["keyring", "file"] {
                let running = try tool.start(["migrate", "--to", target], environment: environment)
                usleep(UInt32.random(in: 1_000...60_000, using: &random))
                running.kill()
                try running.finish()
                let done = try tool.run("migrate", "--to", target, environment: environment)
                #expect(done.exitCode == 0, "\(done.messages)")
                #expect(try tool.run("list", "--json", environment: environment).text == before)
                let stats = try tool.run("stats", "--json", environment: environment).json
                #expect(stats["storage"] as? String == target)
            }
        }

        @Test(
            "an older copy of the file is refused until a repair accepts it, and --sign-out-all empties it then or later",
            arguments: [[], [true], [false, true]]
        )
        func putBack(signsOut: [Bool]) throws {
            let keyring = try PrivateKeyring()
            let tool = try Tool.withSample()
            let environment = [Self.bus: keyring.address]
            #expect(try tool.run("slots", "add", "--new-keyring", environment: environment).exitCode == 0)
            let all = try tool.run("list", "--json", environment: environment).text
            let folder = tool.root.path + "/" + tool.group
            let old = try Data(contentsOf: URL(fileURLWithPath: folder + "/journal"))
            // Not everything: that would change the keys, and the older copy would not open.
            let cleared = try tool.run(
                ["clear", "--account", SampleCache.adeleID, "--yes"],
                environment: environment
            )
            #expect(cleared.exitCode == 0, "\(cleared.messages)")
            for name in ["journal", "revision"] { try FileManager.default.removeItem(atPath: folder + "/" + name) }
            _ = FileManager.default.createFile(
                atPath: folder + "/journal",
                contents: old,
                attributes: [.posixPermissions: 0o600]
            )
            let refused = try tool.run("list", environment: environment)
            #expect(refused.exitCode == 7)
            #expect(
                refused.messages.contains(
                    "cachetool repair --group \(tool.group) --root \(tool.root.path) --accept-rollback"
                ),
                "\(refused.messages)"
            )
            #expect(try tool.run("repair", "--accept-rollback", environment: environment).exitCode == 2)
            #expect(try tool.run("repair", "--sign-out-all", environment: environment).exitCode == 2)
            for signsOut in signsOut.isEmpty ? [false] : signsOut {
                let arguments = ["repair", "--accept-rollback", "--yes"] + (signsOut ? ["--sign-out-all"] : [])
                let repaired = try tool.run(arguments, environment: environment)
                #expect(repaired.exitCode == 0, "\(repaired.messages)")
                #expect(repaired.messages.contains("signed out of every account") == signsOut)
            }
            let listed = try tool.run("list", "--json", environment: environment)
            if signsOut.contains(true) {
                #expect(try (listed.json["entries"] as? [Any])?.count == 0, "\(listed.text)")
            } else {
                #expect(listed.text == all)
            }
        }

        @Test("a group of the keyring whose folder is missing is adopted")
        func adopt() throws {
            let keyring = try PrivateKeyring()
            let tool = try Tool()
            let environment = [Self.bus: keyring.address]
            let made = try tool.run("import", "-", input: SampleCache().document, environment: environment)
            #expect(made.exitCode == 0, "\(made.messages)")
            try FileManager.default.removeItem(atPath: tool.root.path + "/" + tool.group)
            let adopted = try tool.run("repair", "--adopt", "--yes", "--json", environment: environment)
            #expect(adopted.exitCode == 0, "\(adopted.messages)")
            #expect(try adopted.json["damaged"] as? Bool == false)
            #expect(try tool.run("list", environment: environment).lines.count == 16)
            #expect(try tool.run("repair", "--adopt", "--yes", environment: environment).exitCode != 0)
        }

        @Test("where an item was deleted every command leads to a repair, which asks, and after which all of them work")
        func deletedItem() throws {
            let keyring = try PrivateKeyring()
            let tool = try Tool()
            let environment = [Self.bus: keyring.address]
            let document = try SampleCache().document
            #expect(try tool.run("import", "-", input: document, environment: environment).exitCode == 0)
            try Self.deleteOneItem(keyring)
            for command in [["accounts"], ["list"], ["stats"], ["verify"], ["rekey"], ["migrate", "--to", "file"]] {
                let refused = try tool.run(command, environment: environment)
                #expect(refused.exitCode == 7, "\(command): \(refused.messages)")
                #expect(refused.messages.contains("cachetool repair"), "\(command): \(refused.messages)")
            }
            let plan = try tool.run("repair", "--dry-run", "--json", environment: environment)
            #expect(plan.exitCode == 7)
            let lost = try #require(try plan.json["lost"] as? Int)
            #expect(lost > 0)
            #expect(try plan.json["repaired"] as? Bool == false)
            // It asks, and nobody answers.
            #expect(try tool.run("repair", environment: environment).exitCode == 2)
            #expect(try tool.run("verify", environment: environment).exitCode == 7)
            let repaired = try tool.run("repair", "--yes", "--json", environment: environment)
            #expect(repaired.exitCode == 9, "\(repaired.messages)")
            #expect(try repaired.json["lost"] as? Int == lost)
            for command in [
                ["verify"], ["accounts"], ["list"], ["stats"], ["repair"], ["rekey"], ["migrate", "--to", "file"],
                ["migrate", "--to", "keyring"], ["clear", "--all", "--yes"],
            ] {
                let done = try tool.run(command, environment: environment)
                #expect(done.exitCode == 0, "\(command): \(done.messages)")
            }
            #expect(try tool.run("import", "-", input: document, environment: environment).exitCode == 0)
        }

        @Test("an adoption names the items that are missing in the keyring")
        func adoptIncomplete() throws {
            let keyring = try PrivateKeyring()
            let tool = try Tool()
            let environment = [Self.bus: keyring.address]
            let document = try SampleCache().document
            #expect(try tool.run("import", "-", input: document, environment: environment).exitCode == 0)
            try Self.deleteOneItem(keyring)
            try FileManager.default.removeItem(atPath: tool.root.path + "/" + tool.group + "/store")
            let adopted = try tool.run("repair", "--adopt", "--yes", environment: environment)
            #expect(adopted.exitCode == 9, "\(adopted.messages)")
            #expect(adopted.text.contains("is missing in the keyring"), "\(adopted.text)")
            #expect(try tool.run("verify", environment: environment).exitCode == 0)
        }

        /// Deletes the first item with records of one account or the group.
        private static func deleteOneItem(_ keyring: PrivateKeyring) throws {
            try keyring.run(
                """
                service="gdbus call --session -d org.freedesktop.secrets"; \
                item=$($service -o /org/freedesktop/secrets -m org.freedesktop.Secret.Service.SearchItems \
                "{'role': 'partition'}" | grep -o "/org/freedesktop/secrets/collection/[^']*" | head -n 1); \
                $service -o "$item" -m org.freedesktop.Secret.Item.Delete
                """
            )
        }

        @Test("a process that works on a file loads no library of the keyring", arguments: [true, false])
        func libraries(hasBus: Bool) throws {
            let keyring = try PrivateKeyring()
            let tool = try Tool.withSample()
            let environment = hasBus ? [Self.bus: keyring.address] : [:]
            let maps = try mapsOfOpenGroup(tool, environment)
            #expect(maps.contains("libc.so"))
            for library in ["libsecret", "libgio", "libglib"] { #expect(!maps.contains(library)) }
        }

        @Test("a process that works in the keyring does load them")
        func loaded() throws {
            let keyring = try PrivateKeyring()
            let tool = try Tool()
            let environment = [Self.bus: keyring.address]
            _ = try tool.run("import", "-", input: SampleCache().document, environment: environment)
            let maps = try mapsOfOpenGroup(tool, environment)
            #expect(maps.contains("libsecret"))
        }

        /// What is mapped into a process that has the group open.
        private func mapsOfOpenGroup(_ tool: Tool, _ environment: [String: String]) throws -> String {
            let watch = try tool.start(["watch"], environment: environment)
            let end = ContinuousClock.now + .seconds(60)
            while !watch.messagesSoFar.contains("Watching"), watch.isRunning, ContinuousClock.now < end {
                usleep(2_000)
            }
            let maps = try watch.mappedFiles()
            watch.interrupt()
            try watch.finish()
            return maps
        }
    }
}
