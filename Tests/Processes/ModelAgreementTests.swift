// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import SeededRandom
import Testing

/// The cache against a reference model: a plain list of entries with the rules as filters, made without looking at the
/// engine.
@Suite struct ModelAgreementTests {
    @Test("the cache and a reference model agree about random sequences of saves, imports, lookups and removals")
    func agreement() throws {
        var random = SeededGenerator(for: "reference model")
        let seed = Int.random(in: 0..<1_000_000_000, using: &random)
        let finished = try Program.modelCheck.run(
            ["--sequences", "100000", "--seed", "\(seed)"] + (Scale.isRelease ? [] : ["--seconds", "15"]),
            within: .seconds(Scale.pick(600, release: 3600))
        )
        print(finished.text)
        #expect(finished.exitCode == 0, "\(finished.text)")
        #expect(!Scale.isRelease || finished.text.contains("100000 sequences"), "\(finished.messages)")
        // Every kind of answer was met, or the sequences are one-sided.
        for kind in ["valid", "renew", "renewed", "tokens refused", "signed out", "save refused"] {
            #expect(finished.text.firstMatch(of: try Regex("[1-9][0-9]* \(kind)\\b")) != nil, "\(kind)")
        }
    }
}
