// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Testing

/// Several processes work on one group at the same time.
@Suite("several processes", .serialized, .timeLimit(.minutes(Scale.pick(10, release: 240))))
struct ContentionTests {
    @Test(
        "a save by one process is found by another that was already open, at its next lookup",
        arguments: TestStorage.allCases
    )
    func seesTheSavesOfOthers(_ storage: TestStorage) throws {
        let workers = try Workers(in: storage.makeKeyring())
        let saver = try workers.start("answer")
        let reader = try workers.start("answer")
        var rounds = Rounds("saves that another process finds, in a \(storage)", within: .seconds(3), release: 10_000)
        while let number = rounds.next() {
            saver.writeLine("save \(number % 3) \(number)")
            #expect(saver.waitForLines(number + 2).last == "saved \(number % 3) \(number)")
            reader.writeLine("find \(number % 3)")
            #expect(reader.waitForLines(number + 2).last == "found \(number)")
        }
        #expect(try saver.finish().exitCode == 0)
        #expect(try reader.finish().exitCode == 0)
    }

    @Test("two writers and two readers lose nothing and see no half transaction, with compactions between")
    func losesNothingUnderLoad() throws {
        let workers = try Workers()
        let accounts = 20
        let each = Scale.pick(3_000, release: 200_000)
        for writer in 0...1 {
            _ = try workers.run("save", ["count": accounts, "accounts": accounts, "writer": writer])
        }
        let readers = try (0...1).map { try workers.start("watch", ["accounts": accounts, "writer": $0]) }
        let writers = try (0...1).map {
            try workers.start("save", ["from": accounts, "count": each, "accounts": accounts, "writer": $0])
        }
        var compactions = 0
        while writers.contains(where: \.isRunning) {
            let compacted = try workers.group.attempt("compact", "--timeout", "60")
            #expect(compacted.exitCode == 0, "\(compacted.messages)")
            compactions += 1
            usleep(150_000)
        }
        #expect(compactions > 3)

        for (number, writer) in writers.enumerated() {
            let finished = try writer.finish()
            #expect(finished.exitCode == 0, "writer \(number): \(finished.messages)")
            var acknowledged = Acknowledged()
            try acknowledged.add(finished.lines)
            #expect(acknowledged.highest == accounts + each - 1)
            for holding in try workers.holdings(writer: number, accounts: accounts) {
                #expect(holding.accessToken == acknowledged.last[holding.account], "\(holding)")
                #expect(holding.refreshToken == holding.accessToken, "\(holding)")
            }
        }
        for reader in readers {
            let finished = try reader.finish()
            #expect(finished.exitCode == 0, "\(finished.messages)")
            #expect(finished.lines.filter { $0.hasPrefix("violation") }.isEmpty)
            #expect(finished.lines.last?.hasPrefix("watched ") == true)
        }
        #expect(try workers.group.attempt("verify").exitCode == 0)
    }

    @Test(
        "two processes that create the same group at once get one group, and both work",
        arguments: TestStorage.allCases
    )
    func createsOneGroup(_ storage: TestStorage) throws {
        let keyring = try storage.makeKeyring()
        var rounds = Rounds(
            "creations in a \(storage)",
            within: .seconds(5),
            atLeast: 3,
            release: storage.pick(file: 2_000, keyring: 200)
        )
        while let round = rounds.next() {
            let workers = try Workers(in: keyring)
            let racers = try (0...1).map { writer in
                try workers.launch(workers.arguments("race", ["writer": writer]))
            }
            for racer in racers { #expect(racer.waitForLines(1) == ["waiting"]) }
            for racer in racers { racer.writeLine("go") }
            for racer in racers {
                let finished = try racer.finish()
                #expect(finished.exitCode == 0, "round \(round): \(finished.messages)")
            }
            for writer in 0...1 {
                let holdings = try workers.holdings(writer: writer, accounts: 1)
                #expect(holdings.first?.accessToken == 0, "round \(round): the save of writer \(writer) is gone")
            }
        }
    }

    @Test("a process that was open during a rekey continues to work", arguments: TestStorage.allCases)
    func followsARekey(_ storage: TestStorage) throws {
        let workers = try Workers(in: storage.makeKeyring())
        let open = try workers.start("answer")
        open.writeLine("save 0 1")
        _ = open.waitForLines(2)
        let rekeyed = try workers.group.attempt("rekey", "--yes")
        #expect(rekeyed.exitCode == 0, "\(rekeyed.messages)")
        open.writeLine("find 0")
        #expect(open.waitForLines(3).last == "found 1")
        open.writeLine("save 0 2")
        #expect(open.waitForLines(4).last == "saved 0 2")
        #expect(try open.finish().exitCode == 0)
        #expect(try workers.holdings(accounts: 1).first?.accessToken == 2)
    }
}
