// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import SeededRandom
import Testing

/// What changes all of a group is killed at random moments, and tried again.
@Suite("kills during changes of a whole group", .serialized, .timeLimit(.minutes(Scale.pick(10, release: 240))))
struct UpkeepKillTests {
    private static let accounts = 4
    private static let imported = 40
    /// A loaded machine is no reason to fail.
    private static let generousTimeout = ["--timeout", "60"]

    /// A group with acknowledged saves, and a process that has had it open from the beginning.
    private struct Scene {
        let workers: Workers
        let open: RunningProgram
        private var asked = 1

        init(in keyring: PrivateKeyring?) throws {
            workers = try Workers(in: keyring)
            _ = try workers.run("save", ["count": accounts, "accounts": accounts])
            open = try workers.start("answer", ["accounts": accounts])
        }

        /// What the open process answers.
        mutating func ask(_ question: String) -> String? {
            asked += 1
            open.writeLine(question)
            return open.waitForLines(asked).last
        }

        /// All that was acknowledged is there, for the open process and for a new one, and saves are taken.
        mutating func checkSaves(_ round: String) throws {
            for account in 1..<accounts { #expect(ask("find \(account)") == "found \(account)", "\(round)") }
            let number = asked
            #expect(ask("save 0 \(number)") == "saved 0 \(number)", "\(round)")
            let owed = [number] + Array(1..<accounts)
            for holding in try workers.holdings(accounts: accounts) {
                #expect(holding.accessToken == owed[holding.account], "\(round): \(holding)")
                #expect(holding.refreshToken == holding.accessToken, "\(round): \(holding)")
            }
        }

        func count(_ kind: String) throws -> Int {
            let kinds = try workers.group.attempt("stats", "--json").json["kinds"] as? [[String: Any]] ?? []
            return kinds.first { $0["kind"] as? String == kind }?["entries"] as? Int ?? 0
        }

        /// Everything in the group, as it is exported.
        func export() throws -> Data {
            let exported = try workers.group.attempt(["export", "--all", "--yes", "-"] + generousTimeout)
            guard exported.exitCode == 0 else { throw Unfit(reason: "not exported: \(exported.messages)") }
            return exported.output
        }

        func end() throws {
            #expect(try workers.group.attempt("verify").exitCode == 0)
            try open.finish()
        }
    }

    /// Starts a command and kills it at a random moment of the time that it takes.
    ///
    /// - Returns: whether it had come to its end before.
    private func kill(
        _ arguments: [String],
        in group: ScratchGroup,
        after moment: Duration
    ) throws -> Bool {
        let running = try Program.cachetool.start(arguments + group.options, environment: group.environment)
        usleep(UInt32(moment / .microseconds(1)))
        running.kill()
        return try running.finish().exitCode == 0
    }

    /// Does it once without a kill, then again and again with one, each time in a new scene.
    private func killEverywhere(
        _ storage: TestStorage,
        _ arguments: [String],
        prepare: (Scene) throws -> Void = { _ in },
        check: (inout Scene, _ round: String, _ isDone: Bool) throws -> Void
    ) throws {
        let keyring = try storage.makeKeyring()
        var random = SeededGenerator(for: "kills of \(arguments[0])")
        let first = try Scene(in: keyring)
        try prepare(first)
        var whole: FinishedProgram?
        var time = try ContinuousClock().measure { whole = try first.workers.group.attempt(arguments) }
        try #require(whole?.exitCode == 0, "\(whole?.messages ?? "")")
        try first.end()
        var kills = 0
        let rounds = Scale.pick(storage.pick(file: 4, keyring: 3), release: 100)
        for _ in 0..<rounds * 3 where kills < rounds {
            var scene = try Scene(in: keyring)
            try prepare(scene)
            // Evenly over the time that it takes, so that every step has its turn.
            let share = Double(kills) + Double.random(in: 0..<1, using: &random)
            let moment = time * (share / Double(rounds))
            let isDone = try kill(arguments, in: scene.workers.group, after: moment)
            // Where it was done already, it takes no longer than that: the first time may have been a slow one.
            if isDone { time = min(time, moment) } else { kills += 1 }
            try check(&scene, "killed after \(moment) of \(time)", isDone)
            try scene.end()
        }
        print("\(arguments[0]) in a \(storage): \(kills) kills in the \(time) that it takes")
        #expect(kills * 2 >= rounds, "hardly any kill met it")
    }

    @Test(
        "an import that was killed loses nothing, and is whole once it is tried again",
        arguments: TestStorage.allCases
    )
    func importing(_ storage: TestStorage) throws {
        let document = try ImportedDocument(accounts: Self.imported)
        try killEverywhere(storage, ["import", document.path] + Self.generousTimeout) { scene, round, isDone in
            let count = try scene.count("Account") - Self.accounts
            #expect(isDone ? count == Self.imported : (0...Self.imported).contains(count), "\(round): \(count)")
            try scene.checkSaves(round)
            let again = try scene.workers.group.attempt(["import", document.path] + Self.generousTimeout)
            #expect(again.exitCode == 0, "\(round): \(again.messages)")
            #expect(try document.isContained(in: scene.export()), "\(round)")
            try scene.checkSaves(round)
        }
    }

    @Test("new keys whose maker was killed lose nothing, and can be had again", arguments: TestStorage.allCases)
    func rekeying(_ storage: TestStorage) throws {
        let document = try ImportedDocument(accounts: Self.imported)
        func fill(_ scene: Scene) throws {
            try #require(scene.workers.group.attempt(["import", document.path] + Self.generousTimeout).exitCode == 0)
        }
        try killEverywhere(storage, ["rekey", "--yes"] + Self.generousTimeout, prepare: fill) { scene, round, _ in
            try scene.checkSaves(round)
            let before = try scene.export()
            #expect(document.isContained(in: before), "\(round)")
            let again = try scene.workers.group.attempt(["rekey", "--yes"] + Self.generousTimeout)
            #expect(again.exitCode == 0, "\(round): \(again.messages)")
            #expect(try scene.export() == before, "\(round)")
            try scene.checkSaves(round)
        }
    }

    @Test("a removal of everything that was killed ends once it is tried again", arguments: TestStorage.allCases)
    func clearing(_ storage: TestStorage) throws {
        let document = try ImportedDocument(accounts: Self.imported)
        func fill(_ scene: Scene) throws {
            try #require(scene.workers.group.attempt(["import", document.path] + Self.generousTimeout).exitCode == 0)
        }
        try killEverywhere(storage, ["clear", "--all", "--yes"] + Self.generousTimeout, prepare: fill) {
            scene,
            round,
            isDone in
            for holding in try scene.workers.holdings(accounts: Self.accounts) {
                #expect(holding.accessToken == holding.refreshToken, "\(round), half an account: \(holding)")
                if isDone { #expect(holding.accessToken == nil, "\(round), came back: \(holding)") }
            }
            let again = try scene.workers.group.attempt(["clear", "--all", "--yes"] + Self.generousTimeout)
            #expect(again.exitCode == 0, "\(round): \(again.messages)")
            #expect(try scene.workers.group.attempt("list").lines.isEmpty, "\(round)")
            for account in 0..<Self.accounts { #expect(scene.ask("find \(account)") == "found nothing", "\(round)") }
            // What is saved from now on is there, and nothing else.
            #expect(scene.ask("save 0 7") == "saved 0 7")
            #expect(
                try scene.workers.holdings(accounts: Self.accounts).map(\.accessToken) == [7, nil, nil, nil],
                "\(round)"
            )
        }
    }
}

/// A cache of many accounts, to be imported.
private struct ImportedDocument {
    private let root: ScratchRoot
    private let secrets: [String]

    var path: String { root.path + "/document.json" }

    init(accounts: Int) throws {
        root = try ScratchRoot()
        secrets = (0..<accounts).map { "secret-\($0)-" + String(repeating: "s", count: 1_500) }
        let host = "login.microsoftonline.com"
        var (tokens, people): ([String: Any], [String: Any]) = ([:], [:])
        for (number, secret) in secrets.enumerated() {
            let account = ["home_account_id": "user\(number).t", "environment": host, "realm": "t"]
            tokens["user\(number).t-\(host)-accesstoken-c-t-s"] = account.merging([
                "credential_type": "AccessToken", "client_id": "c", "secret": secret, "target": "s",
                "cached_at": "1700000000", "expires_on": "4000000000",
            ]) { own, _ in own }
            people["user\(number).t-\(host)-t"] = account.merging([
                "local_account_id": "user\(number)", "username": "user\(number)@contoso.example",
                "authority_type": "MSSTS",
            ]) { own, _ in own }
        }
        let document = try JSONSerialization.data(withJSONObject: ["AccessToken": tokens, "Account": people])
        try document.write(to: URL(filePath: path))
    }

    /// Whether all of it is in an export.
    func isContained(in export: Data) -> Bool {
        let document = try? JSONSerialization.jsonObject(with: export) as? [String: [String: [String: Any]]]
        let found = Set((document?["AccessToken"] ?? [:]).values.compactMap { $0["secret"] as? String })
        let people = (document?["Account"] ?? [:]).values.compactMap { $0["local_account_id"] as? String }
        return secrets.allSatisfy(found.contains) && Set(people).isSuperset(of: secrets.indices.map { "user\($0)" })
    }
}
