// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

extension ProgramTests {
    @Suite("cachetool status", .serialized)
    struct StatusTests {
        private func clients(
            _ done: FinishedProgram,
            group: String = "test",
            of username: String = SampleCache.adele
        ) throws -> [[String: Any]] {
            let groups = try #require(try done.json["groups"] as? [[String: Any]])
            let found = try #require(groups.first { $0["name"] as? String == group })
            let accounts = try #require(found["accounts"] as? [[String: Any]])
            let account = try #require(accounts.first { $0["username"] as? String == username })
            return try #require(account["clients"] as? [[String: Any]])
        }

        @Test("says who is signed in where, until when and how, of all groups, without a client id")
        func signedIn() throws {
            var tool = try Tool.withSample()
            let first = tool
            tool.group = "other"
            #expect(try tool.run("import", "-", input: SampleCache().document).exitCode == 0)
            let done = try Program.cachetool.run(
                ["status", "--root", tool.root.path, "--json"],
                environment: ["PATH": "/usr/bin:/bin", "HOME": tool.root.path]
            )
            #expect(done.exitCode == 0, "\(done.messages)")
            #expect(try done.json["signed_in"] as? Bool == true)
            for group in [first.group, "other"] {
                let client = try #require(try clients(done, group: group).first)
                #expect(client["client_id"] as? String == SampleCache.client)
                #expect(client["state"] as? String == "signed_in")
                #expect(client["renewable"] as? Bool == true)
                let end = try #require(client["token_valid_until"] as? Int64)
                #expect(abs(end - Int64(Date().timeIntervalSince1970) - 3_540) < 60)
            }
            let text = try tool.run("status")
            #expect(text.text.contains(SampleCache.adele) && text.text.contains(SampleCache.tenant), "\(text.text)")
            #expect(text.text.contains("token for 5") && text.text.contains("min, renewable"), "\(text.text)")
        }

        @Test("without a refresh token it says when the token ends, and after it that the user has to sign in")
        func expired() throws {
            let tool = try Tool.withSample()
            #expect(try tool.run("clear", "--kind", "refresh-token", "--yes").exitCode == 0)
            let valid = try tool.run("status")
            #expect(valid.exitCode == 0, "\(valid.messages)")
            #expect(valid.text.contains("then sign in: no refresh token"), "\(valid.text)")
            let later = try Tool()
            let old = SampleCache(now: Int64(Date().timeIntervalSince1970) - 86_400)
            #expect(try later.run("import", "-", input: old.document).exitCode == 0)
            #expect(try later.run("clear", "--kind", "refresh-token", "--yes").exitCode == 0)
            let done = try later.run("status", "--json")
            #expect(done.exitCode == 3, "\(done.text)")
            let client = try #require(try clients(done).first)
            #expect(client["state"] as? String == "needs_sign_in")
            #expect(client["reason"] as? String == "refreshTokenMissing")
            #expect(try later.run("status").text.contains("sign in: expired 23 h ago, no refresh token"))
        }

        @Test("a sign-out shows, and if nobody else is signed in, as status 3")
        func signedOut() throws {
            let tool = try Tool.withSample()
            for account in [SampleCache.adeleID, SampleCache.zoeID, SampleCache.hostileID] {
                #expect(try tool.run("sign-out", account, "--client", SampleCache.client, "--yes").exitCode == 0)
            }
            let done = try tool.run("status", "--json")
            #expect(done.exitCode == 3)
            #expect(try clients(done).first?["state"] as? String ?? "signed_out" == "signed_out")
        }

        @Test("a group that cannot be opened does not hide the others, and says why and what to do")
        func unusable() throws {
            var tool = try Tool.withSample()
            tool.group = "lost"
            #expect(try tool.run("import", "-", input: SampleCache().document).exitCode == 0)
            try Data().write(to: URL(filePath: tool.root.path + "/lost/journal"))
            let all = try Program.cachetool.run(
                ["status", "--root", tool.root.path],
                environment: ["PATH": "/usr/bin:/bin", "HOME": tool.root.path]
            )
            #expect(all.exitCode == 0)
            #expect(all.text.contains("cannot be opened: ") && all.text.contains("--group lost"), "\(all.text)")
            #expect(all.text.contains(SampleCache.adele))
            #expect(try tool.run("status").exitCode == 7)
        }

        @Test("a locked keyring is named, and nobody is asked")
        func locked() throws {
            let keyring = try PrivateKeyring()
            let tool = try Tool()
            let environment = ["DBUS_SESSION_BUS_ADDRESS": keyring.address]
            let made = try tool.run("import", "-", input: SampleCache().document, environment: environment)
            #expect(made.exitCode == 0, "\(made.messages)")
            try keyring.lock()
            let done = try tool.terminal(["status"], environment: environment)
            #expect(done.exitCode == 4)
            #expect(done.text.contains("collection login") && done.text.contains("cachetool unlock"), "\(done.text)")
        }

        @Test("where there is no group, nobody is signed in: status 3")
        func none() throws {
            let root = try ScratchRoot()
            let done = try Program.cachetool.run(
                ["status", "--root", root.path],
                environment: ["PATH": "/usr/bin:/bin", "HOME": root.path]
            )
            #expect(done.exitCode == 3)
            #expect(done.messages.contains("No account is signed in"))
        }
    }
}
