// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import SeededRandom
import Testing

/// Eight processes save into one group at once, and some of them are killed at random moments all the while.
@Suite("kills in a crowd", .serialized, .timeLimit(.minutes(Scale.pick(10, release: 240))))
struct CrowdedKillTests {
    struct Load: Sendable, CustomTestStringConvertible {
        let storage: TestStorage
        /// How many saves each process gets acknowledged.
        let saves: Int
        /// Characters of an access token.
        let size: Int

        var testDescription: String { "\(saves) saves each, tokens of \(size) characters, in a \(storage)" }
    }

    private static let accounts = 3

    private static let loads = [
        Load(storage: .file, saves: Scale.pick(100, release: 2_000), size: 1_500),
        Load(storage: .keyring, saves: Scale.pick(40, release: 200), size: 1_500),
        Load(storage: .keyring, saves: Scale.pick(5, release: 200), size: 200_000),
    ]

    /// One who saves for accounts of its own, and is started anew after each kill.
    private final class Saver {
        let number: Int
        private let workers: Workers
        private let load: Load
        private(set) var acknowledged = Acknowledged()
        private(set) var count = 0
        /// The first number of the process that runs now.
        private var first = 0
        private(set) var process: RunningProgram?

        init(_ number: Int, _ workers: Workers, _ load: Load) throws {
            (self.number, self.workers, self.load) = (number, workers, load)
            try start()
        }

        private func start() throws {
            var options = ["writer": number, "accounts": accounts, "from": first, "count": load.saves - count]
            options["size"] = load.size
            process = try workers.launch(workers.arguments("save", options))
        }

        /// Takes over what the process said once it has come to its end.
        func takeOver() throws {
            guard let finished = try process?.finish() else { return }
            process = nil
            if finished.exitCode != 0 { throw Unfit(reason: "writer \(number): \(finished.messages)") }
            try note(finished.lines)
        }

        /// Kills the process, and looks what a fresh one finds while the others go on.
        func dieAndCheck() throws {
            guard let killed = process else { return }
            killed.kill()
            try note(killed.finish().lines)
            // The save that was under way may have come true without having been acknowledged.
            let possible = max(acknowledged.highest, first - 1) + 1
            try check(upTo: possible)
            first = possible + 1
            process = nil
            if count < load.saves { try start() }
        }

        private func note(_ lines: [String]) throws {
            try acknowledged.add(lines)
            count += lines.count { $0.hasPrefix("saved ") }
        }

        /// - Returns: how many of its accounts are stored: one whose saves were all killed may not be.
        @discardableResult
        func check(upTo possible: Int) throws -> Int {
            let holdings = try workers.holdings(writer: number, accounts: accounts)
            for holding in holdings {
                #expect(holding.accessToken == holding.refreshToken, "writer \(number), half a save: \(holding)")
                let owed = acknowledged.last[holding.account] ?? -1
                let range = owed...max(owed, possible)
                #expect(range.contains(holding.accessToken ?? -1), "writer \(number), not in \(range): \(holding)")
            }
            return holdings.count { $0.accessToken != nil }
        }
    }

    @Test("lose no save that was acknowledged, tear none, and bring none back", arguments: loads)
    func crowd(_ load: Load) throws {
        let workers = try Workers(in: load.storage.makeKeyring())
        var random = SeededGenerator(for: "kills in a crowd")
        let start = ContinuousClock.now
        let savers = try (0..<8).map { try Saver($0, workers, load) }
        let reader = try workers.start("watch", ["accounts": Self.accounts])
        var kills = 0
        let most = Scale.pick(24, release: 100)
        while case let running = savers.filter({ $0.process != nil }),
            let victim = running.randomElement(using: &random)
        {
            usleep(UInt32.random(in: 0..<60_000, using: &random))
            for saver in running where saver.process?.isRunning == false { try saver.takeOver() }
            if kills < most, victim.process?.isRunning == true {
                try victim.dieAndCheck()
                kills += 1
            }
        }
        let time = ContinuousClock.now - start
        let saves = savers.reduce(0) { $0 + $1.count }
        print("\(saves) acknowledged saves of 8 processes into a \(load.storage), \(kills) kills, in \(time)")
        #expect(saves >= 8 * load.saves && kills >= 8)

        let stored = try savers.reduce(0) { try $0 + $1.check(upTo: max($1.acknowledged.highest, 0)) }
        let seen = try reader.finish()
        #expect(seen.exitCode == 0, "\(seen.messages)")
        #expect(seen.lines.filter { $0.hasPrefix("violation") }.isEmpty)
        let stats = try workers.group.attempt("stats", "--json").json
        #expect(stats["accounts"] as? Int == stored)
        // Four of each account, and what is said of the application.
        #expect(stats["entries"] as? Int == stored * 4 + 1)
        let verified = try workers.group.attempt("verify")
        #expect(verified.exitCode == 0, "\(verified.messages)")
    }
}
