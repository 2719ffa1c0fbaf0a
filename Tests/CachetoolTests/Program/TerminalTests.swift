// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

extension ProgramTests {
    @Suite("Tables on a terminal")
    struct TerminalTests {
        /// A group with the sample and a second app, so that ids can be ambiguous.
        private func tool() throws -> Tool {
            let tool = try Tool.withSample()
            let other = String(decoding: try SampleCache().document, as: UTF8.self)
                .replacing(SampleCache.client, with: Self.similarClient)
            #expect(try tool.run("import", "-", input: Data(other.utf8)).exitCode == 0)
            return tool
        }

        /// Begins like the client of the sample.
        private static let similarClient = "6c052f15-9999-4f0a-9b3e-0d1c5a7e2b44"

        @Test(
            "no line is wider than the terminal",
            arguments: ["list", "accounts", "status", "doctor"],
            [60, 80, 120, 200]
        )
        func fits(command: String, columns: Int) throws {
            let tool = try tool()
            let done = try tool.terminal([command], columns: columns, environment: ["NO_COLOR": "1"])
            // Paths and names are not broken: the terminal does that, and they can be copied.
            let lines = done.text.split(separator: "\n").filter {
                !$0.contains(tool.root.path) && !($0.contains("mallory") && command == "status")
            }
            #expect(!lines.isEmpty && lines.allSatisfy { $0.count <= columns })
        }

        /// Commands on a disk that is slow at each call of one kind, in microseconds, and what they show meanwhile.
        private static let slowWork = [
            (["status"], "pread64", 80_000, "Checking: "), (["verify"], "pread64", 40_000, "Verifying: "),
            (["doctor"], "pread64", 40_000, "Opening records: "),
            (["compact"], "fdatasync", 1_600_000, "Compacting: 1 s"),
            (["repair", "--dry-run"], "pread64", 40_000, "Examining: 1 s"),
        ]

        @Test(
            "what takes longer than a second shows that it goes on, and removes that in the end",
            arguments: slowWork.indices
        )
        func progress(index: Int) throws {
            let (command, call, delay, line) = Self.slowWork[index]
            let tool = try Tool.withSample()
            let slow = ProvokedError.injecting(call, "delay_exit=\(delay)")
            let done = try tool.terminal(command, wrapper: slow, environment: ["NO_COLOR": "1"])
            let shown = try #require(done.text.range(of: line), "\(done.text)")
            #expect(done.text[shown.upperBound...].contains("\r\u{1B}[K"))
            let quick = try tool.terminal(command, environment: ["NO_COLOR": "1"])
            #expect(quick.exitCode == done.exitCode && !quick.text.contains("\r"))
        }

        @Test("nothing is shown of the time that passes while a passphrase is asked for")
        func question() throws {
            let tool = try Tool()
            let made = try tool.shell(
                "printf 'correct horse\\n' >\"$HOME/pw\"; $tool import - --passphrase-fd 3 3<\"$HOME/pw\" \"$@\"",
                input: SampleCache().document
            )
            #expect(made.exitCode == 0)
            // The calls that turn the echo off take their time.
            let done = try tool.terminal(
                ["repair", "--dry-run"],
                answers: [("Passphrase of group test:", "correct horse\n")],
                wrapper: ProvokedError.injecting("ioctl", "delay_exit=800000")
            )
            #expect(done.exitCode == 0, "\(done.text)")
            let question = try #require(done.text.range(of: "Passphrase of group test:"))
            #expect(!done.text[..<question.lowerBound].contains("Examining"))
        }

        @Test("doctor says the same in lines that fit as in one", arguments: [60, 80])
        func doctorIsComplete(columns: Int) throws {
            let tool = try tool()
            func words(_ text: String) -> [Substring] {
                // Numbers change from run to run.
                text.replacing(#/[0-9.,]+/#, with: "0").split { $0.isWhitespace }
            }
            let wrapped = try tool.terminal(["doctor"], columns: columns, environment: ["NO_COLOR": "1"])
            #expect(words(wrapped.text) == words(try tool.run("doctor").text))
            let wide = try tool.terminal(["doctor", "--wide"], columns: columns, environment: ["NO_COLOR": "1"])
            #expect(wide.text.split(separator: "\n").count < wrapped.text.split(separator: "\n").count)
        }

        @Test(
            "on a narrow terminal the kind, the username and the beginnings of ids can be read",
            arguments: [80, 120]
        )
        func readable(columns: Int) throws {
            let tool = try tool()
            let list = try tool.terminal(["list", "--account", SampleCache.adele], columns: columns).text
            #expect(list.contains("AccessToken") && list.contains("RefreshToken") && list.contains("adele.vance@con"))
            #expect(list.contains(SampleCache.client.prefix(8)))
            let accounts = try tool.terminal(["accounts", "--client", SampleCache.client], columns: columns).text
            #expect(accounts.contains(SampleCache.adele) && accounts.contains(SampleCache.adeleID.prefix(8)))
            #expect(accounts.contains(SampleCache.client.prefix(8)))
        }

        @Test("--wide cuts nothing")
        func wide() throws {
            let tool = try tool()
            let done = try tool.terminal(["list", "--wide"], columns: 60, environment: ["NO_COLOR": "1"])
            #expect(done.text.contains(SampleCache.client) && done.text.contains("Mail.Read User.Read"))
            #expect(!done.text.contains("…"))
        }

        /// The home account id, the client id and so on, as a narrow table shows them.
        @Test(
            "ids and usernames may be typed in part",
            arguments: [
                (["--account", "9f48"], 11), (["--account", "9f4880d8…"], 11), (["--account", "ADELE.v"], 11),
                (["--client", "6c052f15-3", "--kind", "access-token"], 5),
                (["--tenant", "f645ad92", "--kind", "id-token"], 6),
                (["--account", "9f48", "--client", "6c052f15-9"], 5),
            ]
        )
        func beginnings(filters: [String], count: Int) throws {
            let done = try tool().run(["list", "--json"] + filters)
            #expect((try done.json["entries"] as? [Any])?.count == count, "\(done.messages)")
            #expect(done.messages.contains(" was completed to "), "\(done.messages)")
        }

        @Test("accounts, lookup, sign-out and clear take them, too")
        func everywhere() throws {
            let tool = try tool()
            let accounts = try tool.run("accounts", "--account", "9f48", "--client", "6c052f15-3", "--json")
            #expect((try accounts.json["accounts"] as? [Any])?.count == 1)
            let lookup = [
                "lookup", "--account", "adele", "--client", "6c052f15-3", "--tenant", "f645", "--scopes", "User.Read",
            ]
            #expect(try tool.run(lookup + ["--json"]).json["client_id"] as? String == SampleCache.client)
            #expect(try tool.run("clear", "--account", "1111", "--client", "6c052f15-3", "--yes").exitCode == 0)
            let out = try tool.run("sign-out", "--account", "9f48", "--client", "6c052f15-3", "--yes", "--json")
            #expect(try out.json["username"] as? String == SampleCache.adele)
            #expect(try out.json["client_id"] as? String == SampleCache.client)
            #expect(try tool.run(lookup).text.contains("signed out"))
        }

        @Test(
            "what several names begin with is refused, and they are named",
            arguments: [
                (["list", "--client", "6c05"], [SampleCache.client, similarClient]),
                (["accounts", "--client", "6c05"], [SampleCache.client, similarClient]),
                (
                    ["lookup", "--account", SampleCache.adele, "--client", "6c05", "--scopes", "User.Read"],
                    [SampleCache.client, similarClient]
                ),
                (["sign-out", SampleCache.adele, "--client", "6c05", "--yes"], [SampleCache.client, similarClient]),
                (["clear", "--client", "6c05", "--yes"], [SampleCache.client, similarClient]),
            ]
        )
        func ambiguous(command: [String], candidates: [String]) throws {
            let done = try tool().run(command)
            #expect(done.exitCode == 2)
            #expect(candidates.allSatisfy(done.messages.contains), "\(done.messages)")
        }

        @Test("a handle that several entries begin with is refused with those entries")
        func ambiguousHandle() throws {
            let tool = try Tool()
            // Of so many, two begin alike.
            let entries = (0..<2_000).map {
                "\"k\($0)\":{\"secret\":\"s\",\"client_id\":\"c\($0)\",\"environment\":\"login.example\"}"
            }
            let document = "{\"RefreshToken\":{" + entries.joined(separator: ",") + "}}"
            #expect(try tool.run("import", "-", input: Data(document.utf8)).exitCode == 0)
            let all = try #require(try tool.run("list", "--json").json["entries"] as? [[String: Any]])
            let alike = Dictionary(grouping: all.compactMap { $0["id"] as? String }) { $0.prefix(4) }
            let (beginning, ids) = try #require(alike.first { $0.value.count > 1 })
            let done = try tool.run("inspect", String(beginning))
            #expect(done.exitCode == 2)
            #expect(ids.allSatisfy(done.messages.contains), "\(done.messages)")
        }

        @Test("who removes something has to type usernames completely: somebody else's may begin like that")
        func removal() throws {
            let tool = try tool()
            let before = try tool.run("list", "--json").text
            for command in [["sign-out", "adele", "--client", SampleCache.client], ["clear", "--account", "adele"]] {
                let done = try tool.run(command + ["--yes"])
                #expect(done.exitCode == 2)
                #expect(done.messages.contains("type the whole username, such as adele"), "\(done.messages)")
            }
            #expect(try tool.run("list", "--json").text == before)
        }

        @Test("a whole id or username is never taken for the beginning of another one")
        func whole() throws {
            let tool = try Tool()
            func entry(_ client: String) -> String {
                "\"k-\(client)\":{\"secret\":\"s\",\"client_id\":\"\(client)\",\"environment\":\"login.example\"}"
            }
            let document = "{\"RefreshToken\":{\(entry("portal")),\(entry("portal-admin"))}}"
            #expect(try tool.run("import", "-", input: Data(document.utf8)).exitCode == 0)
            let done = try tool.run("list", "--client", "portal", "--json")
            #expect((try done.json["entries"] as? [Any])?.count == 1)
            #expect(done.messages.isEmpty)
        }
    }
}
