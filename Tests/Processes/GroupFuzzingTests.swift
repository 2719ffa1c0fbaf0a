// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import SeededRandom
import Testing

/// Groups whose files somebody changed at random, given to the library and to every command.
@Suite("changed files of groups", .serialized, .timeLimit(.minutes(240)))
struct GroupFuzzingTests {
    /// As many cases as fit in a time every day, and a fixed number before a release.
    private func fuzz(_ kind: String, seconds: Int, release count: Int) throws {
        var random = SeededGenerator(for: "changed files, \(kind)")
        let seed = Int.random(in: 0..<1_000_000_000, using: &random)
        let finished = try Program.groupFuzzer.run(
            (kind == "cases" ? [] : ["--cases", "0"]) + (Scale.isRelease ? [] : ["--seconds", "\(seconds)"]) + [
                "--\(kind)", "\(count)", "--seed", "\(seed)", "--failures", "5",
            ],
            within: .seconds(Scale.pick(1_200, release: 14_000))
        )
        print(finished.text)
        #expect(finished.exitCode == 0, "\(finished.text) \(finished.messages)")
        #expect(finished.text.contains(" cases from seed \(seed), 0 findings"))
        #expect(!Scale.isRelease || finished.text.contains(": \(count) cases "))
    }

    @Test(
        "whatever is done to the files of a group, no call ends the process, reveals a secret or destroys a record that verifies"
    )
    func library() throws { try fuzz("cases", seconds: 30, release: 100_000) }

    @Test(
        "whatever is done to the files of a group, every command ends with an exit code of its own and destroys nothing"
    )
    func commands() throws { try fuzz("commands", seconds: 10, release: 5_000) }

    @Test("whatever is done to the folder of a group in a keyring, its items stay")
    func keyring() throws { try fuzz("keyring", seconds: 10, release: 3_000) }
}
