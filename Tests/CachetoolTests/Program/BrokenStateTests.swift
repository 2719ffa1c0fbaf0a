// SPDX-License-Identifier: Apache-2.0

import CacheAdministration
import Foundation
import Programs
import Testing
import TokenCaching

/// A state that a group or its surroundings get into, what doctor says of it, and what that leads to.
struct BrokenState: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let topic: String
    /// A note does not make the exit status 1.
    var level = "problem"
    /// A part of the description.
    let cause: String
    /// A part of the advice.
    let fix: String
    /// Whether doctor says since when.
    var hasSince = false
    /// The number of times that doctor has to be asked, because one thing hides the next.
    var rounds = 1
    /// Whether the group needs a keyring.
    var usesKeyring = false
    /// Whether root is needed to set the scene.
    var needsRoot = false
    let make: @Sendable (DoctoredGroup) throws -> Void
    /// What the person does whom the advice tells to do something that is no command.
    var person: (@Sendable (DoctoredGroup, String) throws -> Void)?

    static let byFiles: [BrokenState] = [
        BrokenState(
            testDescription: "a journal that others can read",
            topic: "files",
            cause: "mode 0644",
            fix: "chmod 600",
            make: { try chmod(0o644, $0.journal.path()) }
        ),
        BrokenState(
            testDescription: "a folder of the group that others can read",
            topic: "folder",
            cause: "mode 0755",
            fix: "chmod 700",
            make: { try chmod(0o755, $0.folder) }
        ),
        BrokenState(
            testDescription: "a root that others can write",
            topic: "folder",
            cause: "mode 0777",
            fix: "chmod go-w",
            make: { try chmod(0o777, $0.root) }
        ),
        BrokenState(
            testDescription: "a key file that others can read",
            topic: "opening",
            cause: "mode 0644",
            fix: "chmod 600",
            make: { try chmod(0o644, $0.keyFile) }
        ),
        BrokenState(
            testDescription: "a damaged state file",
            topic: "opening",
            cause: "state file",
            fix: "cachetool repair --group contoso",
            make: { group in try group.change(group.folder + "/store") { $0[$0.count / 2] ^= 1 } }
        ),
        BrokenState(
            testDescription: "a state file that is none",
            topic: "opening",
            cause: "state file",
            fix: "cachetool repair --group contoso",
            make: { group in try group.change(group.folder + "/store") { $0 = Data("garbage".utf8) } }
        ),
        BrokenState(
            testDescription: "a damaged record",
            topic: "records",
            cause: "verify",
            fix: "cachetool repair --group contoso",
            make: { group in
                try group.change(group.journal.path()) { bytes in
                    let used = bytes.lastIndex { $0 != 0 } ?? 0
                    bytes[used - 40] ^= 1
                }
            }
        ),
        BrokenState(
            testDescription: "a journal that lost its last byte",
            topic: "opening",
            cause: "damaged",
            fix: "cachetool repair --group contoso",
            make: { group in
                try group.change(group.journal.path()) { bytes in
                    bytes = bytes.prefix(bytes.lastIndex { $0 != 0 } ?? 0)
                }
            }
        ),
        BrokenState(
            testDescription: "a damaged header",
            topic: "opening",
            cause: "The stored data is damaged",
            fix: "cachetool repair --group contoso",
            make: { group in try group.change(group.journal.path()) { $0[200] ^= 1 } }
        ),
        BrokenState(
            testDescription: "an empty journal",
            topic: "opening",
            cause: "is empty",
            fix: "cachetool repair --group contoso",
            make: { group in try group.change(group.journal.path()) { $0 = Data() } }
        ),
        BrokenState(
            testDescription: "a journal that is gone",
            topic: "opening",
            cause: "is gone",
            fix: "cachetool repair --group contoso",
            make: { try FileManager.default.removeItem(at: $0.journal) }
        ),
        BrokenState(
            testDescription: "a journal of something else",
            topic: "opening",
            cause: "is not a journal",
            fix: "cachetool repair --group contoso",
            make: { group in
                try group.change(group.journal.path()) { $0 = Data(repeating: UInt8(ascii: "x"), count: 9_000) }
            }
        ),
        BrokenState(
            testDescription: "a folder of another group",
            topic: "opening",
            cause: "contained another group",
            fix: "cachetool repair --group contoso --adopt",
            make: { group in
                var other = try SampleCache().document
                (group.options, other) = (["--group", "other"], other)
                try group.fill(other)
                group.options = ["--group", DoctoredGroup.name]
                for name in ["store", "journal"] {
                    let bytes = try Data(contentsOf: URL(filePath: group.root + "/other/" + name))
                    try group.change(group.folder + "/" + name) { $0 = bytes }
                }
            }
        ),
        BrokenState(
            testDescription: "a symbolic link in the place of the journal",
            topic: "files",
            cause: "symbolic link",
            fix: "remove it",
            // Behind the link the journal is gone.
            rounds: 2,
            make: { group in
                try FileManager.default.moveItem(atPath: group.journal.path(), toPath: group.home.path + "/elsewhere")
                try FileManager.default.createSymbolicLink(
                    atPath: group.journal.path(),
                    withDestinationPath: group.home.path + "/elsewhere"
                )
            },
            person: { group, advice in
                if advice.contains("remove it") { try FileManager.default.removeItem(at: group.journal) }
            }
        ),
        BrokenState(
            testDescription: "a key file that is gone",
            topic: "opening",
            cause: "there is no such key file",
            fix: "away to start over",
            make: { try FileManager.default.removeItem(atPath: $0.keyFile) },
            person: startOver
        ),
        BrokenState(
            testDescription: "a key file of something else",
            topic: "opening",
            cause: "changed or replaced",
            fix: "away to start over",
            make: { group in try group.change(group.keyFile) { $0 = Data(repeating: 7, count: 32) } },
            person: startOver
        ),
        BrokenState(
            testDescription: "another user's folder",
            topic: "folder",
            cause: "belongs to user 65534",
            fix: "Run this as user 65534",
            needsRoot: true,
            make: { group in try chown(65_534, group.home.path) },
            person: { group, _ in group.userID = 65_534 }
        ),
        BrokenState(
            testDescription: "a stopped writer",
            topic: "locks",
            cause: "is stopped (state T)",
            fix: "kill -CONT",
            hasSince: true,
            make: { group in try holdLock(group, namesItself: true) }
        ),
        BrokenState(
            testDescription: "a stopped writer, where the file names a process that has ended",
            topic: "locks",
            cause: "is stopped (state T)",
            fix: "kill -CONT",
            make: { group in try holdLock(group, namesItself: false) }
        ),
    ]

    static let byContent: [BrokenState] = [
        BrokenState(
            testDescription: "an expired token without a refresh token",
            topic: "accounts",
            level: "note",
            cause: "1 account cannot get a token",
            fix: "Sign in again",
            hasSince: true,
            make: { group in
                try group.fill(document(["adele"], expiresIn: -3_600, hasRefreshToken: false))
            },
            person: { group, _ in try group.fill(document(["adele"])) }
        ),
        BrokenState(
            testDescription: "two accounts of one name",
            topic: "accounts",
            level: "note",
            cause: "2 accounts share a name",
            fix: "cachetool accounts --group contoso --all",
            make: { group in try group.fill(document(["adele", "ADELE"])) },
            person: { group, _ in
                let lookup = ["lookup", "--client", SampleCache.client, "--scopes", "User.Read", "--account"]
                let byName = try group.run(lookup + ["adele@contoso.example"])
                #expect(byName.exitCode != 0, "a name alone does not do")
                let accounts = try group.run("accounts", "--all", "--json").json["accounts"] as? [[String: Any]]
                for account in accounts ?? [] {
                    let id = try #require(account["home_account_id"] as? String)
                    #expect(try group.run(lookup + [id]).exitCode == 0)
                }
                // One of the two is signed out.
                let id = try #require(accounts?.last?["home_account_id"] as? String)
                _ = try group.run("clear", "--account", id, "--yes")
            }
        ),
        BrokenState(
            testDescription: "an end in milliseconds",
            topic: "accounts",
            level: "note",
            cause: "milliseconds",
            fix: "the next renewal replaces it",
            make: { group in
                try group.fill(document(["adele"], expiresIn: 1_000 * Int64(Date().timeIntervalSince1970)))
            },
            person: { group, _ in try renew(group) }
        ),
        BrokenState(
            testDescription: "a clock that is an hour behind",
            topic: "accounts",
            level: "note",
            cause: "behind the newest save",
            fix: "Set the clock",
            make: { group in try group.fill(document(["adele"], cachedIn: 3_600)) },
            person: { group, _ in
                // As seen by a clock that is right.
                _ = try group.run("clear", "--all", "--yes")
                try group.fill(document(["adele"]))
            }
        ),
        BrokenState(
            testDescription: "a refusal that is in effect",
            topic: "accounts",
            level: "note",
            cause: "a server refused a request, which no program of the group repeats for",
            fix: "sign in again",
            make: { group in
                try group.fill(document(["adele"], expiresIn: -3_600))
                try withCache(of: group) { cache in
                    guard case .renew(let token, _) = try cache.token(for: query) else {
                        throw Unfit(reason: "there is nothing to renew")
                    }
                    _ = try cache.noteRefusal(of: token, response: TokenErrorResponse(error: "interaction_required"))
                }
            },
            person: { group, _ in try renew(group) }
        ),
        BrokenState(
            testDescription: "a temporary file of a killed process",
            topic: "leftovers",
            level: "note",
            cause: "1 temporary file",
            fix: "cachetool compact --group contoso",
            make: { group in
                try group.fill()
                let path = group.folder + "/tmp.0123456789abcdef0123456789abcdef"
                #expect(FileManager.default.createFile(atPath: path, contents: Data("x".utf8)))
                try chmod(0o600, path)
            }
        ),
        BrokenState(
            testDescription: "a key file of a group that was moved away before it was ever opened",
            topic: "leftovers",
            level: "note",
            cause: "is a key file of a group that is not there",
            fix: "rm ",
            make: { group in
                try group.fill()
                let path = group.keys + "/" + UUID().uuidString.lowercased()
                #expect(FileManager.default.createFile(atPath: path, contents: Data(repeating: 1, count: 32)))
                try chmod(0o600, path)
            }
        ),
    ]

    static let byKeyring: [BrokenState] = [
        BrokenState(
            testDescription: "a keyring that does not answer",
            topic: "keyring",
            cause: "is stopped (state T)",
            fix: "kill -CONT",
            usesKeyring: true,
            make: { try $0.keyring?.freeze() }
        ),
        BrokenState(
            testDescription: "a locked keyring",
            topic: "keyring",
            cause: "is locked: collection login",
            fix: "cachetool unlock --group contoso",
            usesKeyring: true,
            make: { try $0.keyring?.lock() },
            person: { group, _ in
                // Without a display the command says what to type.
                let said = try group.run("unlock").messages
                #expect(said.contains("gnome-keyring-daemon --replace --unlock"), "\(said)")
                try group.keyring?.killDaemon()
                try group.keyring?.startDaemon()
            }
        ),
        BrokenState(
            testDescription: "a session without a keyring",
            topic: "keyring",
            cause: "offers the Secret Service",
            fix: "Start a keyring in this session",
            usesKeyring: true,
            make: { try $0.keyring?.killDaemon() },
            person: { group, _ in try group.keyring?.startDaemon() }
        ),
        BrokenState(
            testDescription: "no session bus",
            topic: "keyring",
            cause: "there is no session bus",
            fix: "set DBUS_SESSION_BUS_ADDRESS",
            usesKeyring: true,
            make: { $0.environment["DBUS_SESSION_BUS_ADDRESS"] = nil },
            person: { group, _ in group.environment["DBUS_SESSION_BUS_ADDRESS"] = group.keyring?.address }
        ),
        BrokenState(
            testDescription: "half a migration",
            topic: "store",
            cause: "on their way to another store",
            fix: "cachetool migrate --group contoso --to file",
            usesKeyring: true,
            make: killMigration
        ),
    ]

    // MARK: - Scenes

    private static func chmod(_ mode: Int, _ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    private static func chown(_ user: Int, _ path: String) throws {
        let done = try Program(path: "/bin/chown").run(["-R", "\(user)", path])
        guard done.exitCode == 0 else { throw Unfit(reason: done.messages) }
    }

    private static let adele = Account.ID("0f4880d8-80ba-4c40-97bc-f7a23c703084.\(SampleCache.tenant)")
    private static let query = TokenQuery(
        accountID: adele,
        scopes: ["User.Read"],
        environment: SampleCache.environment
    )

    /// Saves what a server answers when the person signs in, or a token is renewed.
    private static func renew(_ group: DoctoredGroup) throws {
        let answer = """
            {"access_token": "a", "refresh_token": "r", "expires_in": 3600, "token_type": "Bearer", "scope": "User.Read"}
            """
        try withCache(of: group) { cache in
            let request = TokenRequest(
                environment: SampleCache.environment,
                tenant: SampleCache.tenant,
                scopes: ["User.Read"],
                grant: .interactive,
                accountID: adele
            )
            _ = try cache.save(TokenResponse(json: Array(answer.utf8)), for: request)
        }
    }

    /// Does what an application does with the group.
    private static func withCache(of group: DoctoredGroup, _ body: (TokenCache) throws -> Void) throws {
        let opened = try CacheGroup.open(
            DoctoredGroup.name,
            root: group.root,
            storage: .file(unlockedBy: .keyFile(path: group.keyFile)),
            access: .readWrite
        )
        defer { opened.close() }
        try body(opened.tokenCache(clientID: SampleCache.client))
    }

    /// The text says truly that the content cannot be had back.
    private static func startOver(_ group: DoctoredGroup, _ advice: String) throws {
        #expect(advice.contains("move \(group.folder) away to start over"))
        try FileManager.default.moveItem(atPath: group.folder, toPath: group.home.path + "/away")
        try group.fill()
    }

    /// Has a process take the writer's lock as any program of the group does, and stops it.
    private static func holdLock(_ group: DoctoredGroup, namesItself: Bool) throws {
        let script = """
            import fcntl, os, signal, struct, sys, time
            # Whoever runs the tests may block signals.
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            signal.signal(signal.SIGCONT, lambda *_: sys.exit())
            file = os.open(sys.argv[1], os.O_RDWR)
            fcntl.fcntl(file, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 1, 0))
            os.pwrite(file, b"%-15d\\n" % (os.getpid() if sys.argv[2] == "True" else 4194303), 0)
            print("locked", flush=True)
            time.sleep(600)
            """
        let holder = try Program(path: "/usr/bin/python3").start(
            ["-c", script, group.folder + "/lock", namesItself ? "True" : "False"]
        )
        group.processes.append(holder)
        guard holder.waitForLines(1) == ["locked"] else { throw Unfit(reason: "the lock was not taken") }
        holder.stop()
    }

    /// Kills a migration to the file as soon as it has announced itself.
    private static func killMigration(_ group: DoctoredGroup) throws {
        for _ in 0..<40 {
            let migration = try Program.cachetool.start(
                ["migrate", "--to", "file"] + group.options,
                environment: group.environment
            )
            while migration.isRunning {
                migration.stop()
                let state = try? String(contentsOfFile: group.folder + "/store", encoding: .utf8)
                if state?.contains("phase moving") == true {
                    migration.kill()
                    try migration.finish()
                    return
                }
                migration.resume()
                usleep(200)
            }
            try migration.finish()
            _ = try group.run("migrate", "--to", "keyring")
        }
        throw Unfit(reason: "the migration was always done before it could be killed")
    }

    /// A cache with an account and an access token for each name.
    static func document(
        _ names: [String],
        expiresIn: Int64 = 3_600,
        cachedIn: Int64 = 0,
        hasRefreshToken: Bool = true
    ) throws -> Data {
        let now = Int64(Date().timeIntervalSince1970)
        var sections: [String: [String: [String: String]]] = ["AccessToken": [:], "RefreshToken": [:], "Account": [:]]
        for (index, name) in names.enumerated() {
            let id = "\(index)f4880d8-80ba-4c40-97bc-f7a23c703084.\(SampleCache.tenant)"
            let common = [
                "home_account_id": id, "environment": SampleCache.environment, "client_id": SampleCache.client,
            ]
            let base = "\(id)-\(SampleCache.environment)"
            let expiry = now + cachedIn + expiresIn
            sections["AccessToken"]?["\(base)-accesstoken-\(SampleCache.client)-\(SampleCache.tenant)-user.read"] =
                common.merging([
                    "credential_type": "AccessToken", "secret": "CANARYACCESS", "target": "User.Read",
                    "realm": SampleCache.tenant, "cached_at": "\(min(now + cachedIn, expiry - 3_600))",
                    "expires_on": "\(expiry)", "token_type": "Bearer",
                ]) { $1 }
            if hasRefreshToken {
                sections["RefreshToken"]?["\(base)-refreshtoken-\(SampleCache.client)--"] =
                    common.merging(["credential_type": "RefreshToken", "secret": "1.CANARYREFRESH"]) { $1 }
            }
            sections["Account"]?["\(base)-\(SampleCache.tenant)"] = [
                "home_account_id": id, "environment": SampleCache.environment, "realm": SampleCache.tenant,
                "local_account_id": String(id.prefix(36)), "username": name + "@contoso.example",
                "authority_type": "MSSTS",
            ]
        }
        return try JSONSerialization.data(withJSONObject: sections, options: [.sortedKeys])
    }
}

extension ProgramTests {
    @Suite("Broken states", .serialized, .timeLimit(.minutes(10)))
    struct BrokenStateTests {
        /// Asks doctor, checks what it says of the state, does that word for word, and asks again.
        private func check(_ state: BrokenState, _ group: DoctoredGroup) throws {
            try state.make(group)
            for round in 1...state.rounds {
                let (exitCode, findings) = try group.findings("--timeout", "3")
                let report = findings.filter { $0.level != "fine" }.map { "\($0)" }.joined(separator: "\n")
                #expect(exitCode == (state.level == "problem" ? 1 : 0), "\(report)")
                for finding in findings where finding.level != "fine" {
                    #expect(!finding.advice.isEmpty, "\(finding)")
                }
                let found =
                    findings.first { finding in
                        round > 1
                            ? finding.level == state.level
                            : finding.topic == state.topic && finding.level == state.level
                                && finding.text.contains(state.cause)
                    }
                let finding = try #require(found, "\(report)")
                if round == 1 {
                    #expect(finding.advice.contains(state.fix), "\(finding)")
                    #expect(!state.hasSince || finding.since != nil, "\(finding)")
                }
                try group.follow(finding.advice)
                try state.person?(group, finding.advice)
            }
            let (exitCode, findings) = try group.findings()
            let rest = findings.filter { $0.level != "fine" }.map { "\($0)" }.joined(separator: "\n")
            #expect(exitCode == 0, "\(rest)")
            #expect(!findings.contains { $0.topic == state.topic && $0.text.contains(state.cause) }, "\(rest)")
        }

        @Test("of files and processes are named with a way out that works", arguments: BrokenState.byFiles)
        func files(state: BrokenState) throws {
            if state.needsRoot, !Root.isHere { return }
            let group = try DoctoredGroup()
            try group.fill()
            try check(state, group)
        }

        @Test("of what is cached are named with a way out that works", arguments: BrokenState.byContent)
        func content(state: BrokenState) throws {
            try check(state, DoctoredGroup())
        }

        @Test("of the keyring are named with a way out that works", arguments: BrokenState.byKeyring)
        func keyring(state: BrokenState) throws {
            let group = try DoctoredGroup(keyring: PrivateKeyring())
            try group.fill(nil, "--storage", "keyring")
            try check(state, group)
        }

        @Test("accounts that have to sign in are a problem only for those who ask")
        func accounts() throws {
            let group = try DoctoredGroup()
            try group.fill(BrokenState.document(["adele"], expiresIn: -3_600, hasRefreshToken: false))
            #expect(try group.findings().exitCode == 0)
            let (exitCode, findings) = try group.findings("--accounts")
            #expect(exitCode == 1)
            #expect(findings.contains { $0.topic == "accounts" && $0.level == "problem" })
            try group.fill(BrokenState.document(["adele"]))
            #expect(try group.findings("--accounts").exitCode == 0)
        }

        @Test("a full disk is named with its file system, and making room mends it", .enabled(if: Root.isHere))
        func fullDisk() throws {
            let group = try DoctoredGroup()
            let script = """
                mount -t tmpfs -o size=2m,mode=0700 tmpfs "$HOME" || exit 99
                cachetool import "$1" --group contoso >/dev/null || exit 98
                head -c 4M /dev/zero >"$HOME/filler" 2>/dev/null
                cachetool doctor --group contoso; echo "full: $?"
                rm "$HOME/filler"
                cachetool doctor --group contoso --probe-write >/dev/null; echo "free: $?"
                """
            let sample = URL(filePath: group.home.path + ".json")
            try SampleCache().document.write(to: sample)
            defer { try? FileManager.default.removeItem(at: sample) }
            let done = try Program(path: "/usr/bin/unshare").run(
                ["--mount", "/bin/bash", "-uc", script, "bash", sample.path()],
                environment: group.environment
            )
            #expect(done.text.contains("WRONG  space       the file system \(group.home.path) is full"), "\(done.text)")
            #expect(done.text.contains("a save needs up to 128 KiB"), "\(done.text)")
            #expect(done.lines.contains("full: 1") && done.lines.contains("free: 0"), "\(done.text)\(done.messages)")
        }
    }
}
