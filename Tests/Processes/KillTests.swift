// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import SeededRandom
import Testing

/// A writer is killed at random moments.
@Suite("kills", .serialized, .timeLimit(.minutes(Scale.pick(10, release: 240))))
struct KillTests {
    @Test("no acknowledged save is lost and the group opens every time, whenever a writer is killed")
    func losesNothingToKills() throws {
        let workers = try Workers()
        let accounts = 7
        var rounds = Rounds("kills of a writer", within: .seconds(15), atLeast: 20, release: 10_000)
        var random = SeededGenerator(for: "kills")
        var acknowledged = Acknowledged()
        var next = 0

        while let round = rounds.next() {
            let writer = try workers.start("save", ["from": next, "count": 1_000_000, "accounts": accounts])
            usleep(UInt32.random(in: 0..<30_000, using: &random))
            writer.kill()
            try acknowledged.add(writer.finish().lines)

            // The save that was under way may have become durable without having been acknowledged.
            let possible = max(acknowledged.highest, next - 1) + 1
            for holding in try workers.holdings(accounts: accounts) {
                #expect(holding.accessToken == holding.refreshToken, "half a save after kill \(round): \(holding)")
                let owed = acknowledged.last[holding.account] ?? -1
                #expect((holding.accessToken ?? -1) >= owed, "kill \(round) lost save \(owed): \(holding)")
                #expect((holding.accessToken ?? -1) <= possible, "kill \(round), from nowhere: \(holding)")
            }
            next = possible + 1
        }
        #expect(acknowledged.highest > rounds.begun, "the writers hardly got anything done")
        let verified = try workers.group.attempt("verify")
        #expect(verified.exitCode == 0, "\(verified.messages)")
    }

    @Test("a sign-out that was acknowledged stays, whenever its process is killed", arguments: TestStorage.allCases)
    func keepsSignOutsThroughKills(_ storage: TestStorage) throws {
        let workers = try Workers(in: storage.makeKeyring())
        let accounts = 12
        var random = SeededGenerator(for: "sign-out kills")
        var acknowledged = 0
        var rounds = Rounds(
            "kills of sign-outs in a \(storage)",
            within: .seconds(5),
            atLeast: 5,
            release: storage.pick(file: 1_000, keyring: 200)
        )
        while let round = rounds.next() {
            _ = try workers.run("save", ["from": round * accounts, "count": accounts, "accounts": accounts])
            let leaver = try workers.start("sign-out", ["accounts": accounts])
            usleep(UInt32.random(in: 0..<UInt32(storage.pick(file: 12_000, keyring: 120_000)), using: &random))
            leaver.kill()
            let gone = Set(
                try leaver.finish().lines.filter { $0.hasPrefix("signed out ") }.compactMap { Int($0.dropFirst(11)) }
            )
            acknowledged += gone.count
            for holding in try workers.holdings(accounts: accounts) {
                if gone.contains(holding.account) {
                    #expect(holding.accessToken == nil && holding.refreshToken == nil, "came back: \(holding)")
                } else {
                    #expect(holding.accessToken == holding.refreshToken, "half a sign-out: \(holding)")
                }
            }
        }
        #expect(acknowledged > 0, "nobody got to sign out")
    }
}
