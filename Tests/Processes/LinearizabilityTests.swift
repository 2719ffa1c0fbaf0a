// SPDX-License-Identifier: Apache-2.0

import Programs
import SeededRandom
import Testing

/// What many processes do at once, some of them killed, is as if they had done it one after the other.
@Suite("linearizability", .serialized, .timeLimit(.minutes(Scale.pick(10, release: 240))))
struct LinearizabilityTests {
    @Test(
        "mixed calls of eight processes, some killed, can be put in an order that explains every answer",
        arguments: TestStorage.allCases
    )
    func histories(_ storage: TestStorage) throws {
        var random = SeededGenerator(for: "histories in a \(storage)")
        var rounds = Rounds("histories in a \(storage)", within: .seconds(15), release: 100)
        let size = storage.pick(file: Scale.pick(500, release: 1_000), keyring: Scale.pick(200, release: 1_000))
        let keyring = try storage.makeKeyring()
        var (calls, cutOff, failures, undecided) = (0, 0, 0, 0)
        while let number = rounds.next() {
            _ = random.next()
            let run = try HistoryRun(calls: size, in: keyring, random)
            let history = try run.run(kills: Scale.pick(6, release: 10))
            #expect(history.violations.isEmpty, "history \(number): \(history.violations.joined(separator: "\n"))")
            #expect(try run.verify())
            calls += history.callCount
            cutOff += history.cutOffCount
            failures += history.failureCount
            undecided += history.undecidedCount
        }
        print(
            "histories in a \(storage): \(calls) calls, \(cutOff) cut off, \(failures) without an answer, "
                + "\(undecided) accounts undecided"
        )
        #expect(calls >= rounds.begun * size * 9 / 10)
        #expect(cutOff > 0, "no kill met a call")
        #expect(failures * 20 < calls, "too many calls say nothing")
        #expect(undecided * 20 <= rounds.begun * HistoryRun.accounts, "too much happens at once")
    }
}
