// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

extension ProgramTests {
    /// Caches of other libraries, looked at without a group.
    @Suite("--file")
    struct CachesInPlaceTests {
        private let home: ScratchRoot
        private let folder: ScratchRoot
        private let file: String

        init() throws {
            home = try ScratchRoot()
            folder = try ScratchRoot()
            file = folder.path + "/msal.json"
            try SampleCache().document.write(to: URL(filePath: file))
        }

        private func run(_ arguments: String..., input: Data? = nil) throws -> FinishedProgram {
            try Program.cachetool.run(
                arguments,
                input: input,
                environment: ["PATH": "/usr/bin:/bin", "HOME": home.path]
            )
        }

        @Test(
            "caches are found where the variables of their programs say",
            arguments: [
                ("azure-cli", "AZURE_CONFIG_DIR", "/msal_token_cache.json"),
                ("azure-cli", "HOME", "/.azure/msal_token_cache.json"),
                ("azure-identity", "XDG_DATA_HOME", "/.IdentityService/msal.cache"),
                ("azure-identity", "HOME", "/.IdentityService/msal.cache.nocae"),
                ("azure-identity", "HOME", "/.local/share/.IdentityService/msal.cache.cae"),
                ("git-credential-manager", "HOME", "/.local/.IdentityService/msal.cache"),
            ]
        )
        func moved(library: String, variable: String, path: String) throws {
            let moved = URL(filePath: folder.path + "/moved" + path)
            try FileManager.default.createDirectory(
                at: moved.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try SampleCache().document.write(to: moved)
            var environment = ["PATH": "/usr/bin:/bin", "HOME": home.path]
            let list = ["list", "--from", library, "--json"]
            #expect(try Program.cachetool.run(list, environment: environment).exitCode != 0)
            environment[variable] = folder.path + "/moved"
            let done = try Program.cachetool.run(list, environment: environment)
            #expect(try entries(done).count == 15)
        }

        @Test("the items of an older Azure CLI are found where its variable says")
        func movedItems() throws {
            let moved = folder.path + "/tokens"
            let item = #"""
                [{"_authority": "https://login.microsoftonline.com/t", "_clientId": "c", "accessToken": "a"}]
                """#
            try Data(item.utf8).write(to: URL(filePath: moved))
            let done = try Program.cachetool.run(
                ["list", "--from", "azure-cli", "--json"],
                environment: ["PATH": "/usr/bin:/bin", "HOME": home.path, "AZURE_ACCESS_TOKEN_FILE": moved]
            )
            #expect(try entries(done).count == 1)
        }

        private func entries(_ done: FinishedProgram) throws -> [[String: Any]] {
            try #require(try done.json["entries"] as? [[String: Any]], "\(done.messages)")
        }

        private static let commands: [[String]] = [
            ["list"], ["accounts"], ["inspect", "@id"],
            ["lookup", "--client", SampleCache.client, "--scopes", "User.Read", "--account", SampleCache.adele],
        ]

        @Test("shows what an import would put into a group", arguments: ["list", "accounts"])
        func sameAsImported(command: String) throws {
            let imported = try Tool.withSample().run(command, "--json").json
            let shown = try run(command, "--file", file, "--json").json
            #expect(shown["group"] is NSNull)
            let list = command == "list" ? "entries" : "accounts"
            #expect(try comparable(shown[list]) == comparable(imported[list]))
        }

        /// The entries without what differs between two groups.
        private func comparable(_ list: Any?) throws -> Set<String> {
            let entries = try #require(list as? [[String: Any]])
            return Set(
                try entries.map { entry in
                    let kept = entry.filter { !["id", "account_handle"].contains($0.key) }
                    let data = try JSONSerialization.data(withJSONObject: kept, options: .sortedKeys)
                    return String(decoding: data, as: UTF8.self)
                }
            )
        }

        @Test("an entry that one run lists is inspected by the next, by the beginning of its id")
        func inspected() throws {
            for entry in try entries(run("list", "--file", file, "--json")) {
                let id = try #require(entry["id"] as? String)
                let inspected = try run("inspect", String(id.prefix(8)), "--file", file, "--json").json
                #expect(inspected["id"] as? String == id)
                #expect(inspected["kind"] as? String == entry["kind"] as? String)
            }
        }

        @Test("a lookup answers from the file alone")
        func lookup() throws {
            func answer(for account: String) throws -> FinishedProgram {
                try run(
                    "lookup",
                    "--file",
                    file,
                    "--client",
                    SampleCache.client,
                    "--scopes",
                    "User.Read",
                    "--account",
                    account,
                    "--json"
                )
            }
            let hit = try answer(for: SampleCache.adele)
            #expect(try hit.json["decision"] as? String == "hit")
            let miss = try answer(for: "nobody@contoso.example")
            #expect(miss.exitCode == 3)
            #expect(try miss.json["reason"] as? String == "accountUnknown")
        }

        @Test("nothing is written, renamed or removed anywhere", arguments: commands)
        func writesNothing(command: [String]) throws {
            let id = try #require(try entries(run("list", "--file", file, "--json")).first?["id"] as? String)
            let trace = home.path + ".trace"
            defer { try? FileManager.default.removeItem(atPath: trace) }
            let words = command.map { $0 == "@id" ? id : $0 }
            let done = try Program(path: "/usr/bin/strace").run(
                ["-f", "-o", trace, "-e", "trace=%file,ftruncate,pwrite64,copy_file_range,memfd_create"]
                    + [Program.cachetool.path] + words + ["--file", file],
                environment: ["PATH": "/usr/bin:/bin", "HOME": home.path]
            )
            #expect(done.exitCode == 0, "\(done.messages)")
            let calls = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
            // It is the trace of a run that opened the file.
            #expect(calls.contains { $0.contains("msal.json") })
            let opened = try Regex("O_WRONLY|O_RDWR|O_CREAT|O_TMPFILE|O_TRUNC")
            let changing = try Regex(
                "^[0-9]+ +(mkdir|rename|unlink|link|symlink|rmdir|chmod|fchmod|chown|utime|ftruncate|truncate|pwrite|copy_file|memfd|mknod)"
            )
            for call in calls where call.contains(opened) || call.contains(changing) {
                // What a terminal, the null device or a setting of the process is written to is no file.
                guard !call.contains("\"/dev/"), !call.contains("\"/proc/self/") else { continue }
                Issue.record("\(call)")
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: home.path).isEmpty)
        }

        @Test(
            "an option about a group beside it is refused, and both are named",
            arguments: [
                ("--group", "work"), ("--root", "/tmp"), ("--storage", "file"), ("--collection", "login"),
                ("--key-file", "/tmp/key"), ("--passphrase-fd", "0"),
            ]
        )
        func withGroup(option: String, value: String) throws {
            let done = try run("list", "--file", file, option, value)
            #expect(done.exitCode == 2)
            #expect(
                done.messages
                    == "cachetool: \(option) selects a group, and --file another library's cache: use only one of them.\n"
            )
        }

        @Test("bad entries are named and left out, the others shown, and the status is 9")
        func partial() throws {
            let text = """
                {"RefreshToken": {"good": {"secret": "s", "home_account_id": "u.t", "environment": "h", "client_id": "c"},
                "bad": 5}}
                """
            try Data(text.utf8).write(to: URL(filePath: file))
            let done = try run("list", "--file", file, "--json")
            #expect(done.exitCode == 9)
            #expect(try entries(done).map { $0["kind"] as? String } == ["RefreshToken"])
            #expect(done.messages.contains("1 entry could not be read and was omitted."))
            #expect(done.messages.contains("\(file), line 2, byte 114: an entry must be an object"))
        }

        @Test("an array is taken for ADAL's cache, and - is standard input")
        func formats() throws {
            let text = """
                [{"_authority": "https://login.microsoftonline.com/common", "_clientId": "c", "userId": "ann@contoso.example",
                "resource": "https://graph.windows.net", "refreshToken": "r", "accessToken": "a", "tokenType": "Bearer",
                "expiresOn": "2026-01-01 00:00:00.000000", "isMRRT": true}]
                """
            try Data(text.utf8).write(to: URL(filePath: file))
            let adal = try entries(run("list", "--file", file, "--json"))
            #expect(adal.map { $0["username"] as? String } == ["ann@contoso.example"])
            let input = try SampleCache().document
            #expect(try entries(run("list", "--file", "-", "--json", input: input)).count == 15)
        }

        @Test("what a message advises shows the same cache")
        func advice() throws {
            let done = try run("inspect", "aaaa", "--file", file)
            #expect(done.exitCode == 3)
            let advised = "cachetool list --file \(file)"
            #expect(done.messages.contains(advised + " shows them."))
            let followed = try Program(path: "/bin/sh").run(
                ["-c", advised.replacing("cachetool", with: Program.cachetool.path)],
                environment: ["PATH": "/usr/bin:/bin", "HOME": home.path]
            )
            #expect(followed.exitCode == 0, "\(followed.messages)")
        }

        @Test("--keys shows the key in each library's document, and the keychain item")
        func keys() throws {
            let entry = try #require(
                try entries(run("list", "--file", file, "--json"))
                    .first {
                        $0["kind"] as? String == "RefreshToken"
                            && $0["home_account_id"] as? String == SampleCache.adeleID
                    }
            )
            let id = try #require(entry["id"] as? String)
            let base = "\(SampleCache.adeleID)-\(SampleCache.environment)"
            let shown = try run("inspect", id, "--file", file, "--json", "--keys").json
            let keys = try #require(shown["keys"] as? [String: Any])
            #expect(keys["stored"] as? String == "\(base)-refreshtoken-\(SampleCache.client)--")
            #expect(
                keys["python"] as? String == "\(base)-refreshtoken-\(SampleCache.client)--mail.read user.read"
            )
            #expect(keys["java_script"] as? String == "\(base)-refreshtoken-\(SampleCache.client)----")
            let item = try #require(shown["keychain_item"] as? [String: Any])
            #expect(item["account"] as? String == base)
            #expect(item["service"] as? String == "refreshtoken-\(SampleCache.client)--")
            #expect(item["generic"] as? String == "refreshtoken-\(SampleCache.client)-")
            #expect(item["type"] as? Int == 2_002)
            #expect(try run("inspect", id, "--file", file, "--json").json["keys"] == nil)
        }
    }
}
