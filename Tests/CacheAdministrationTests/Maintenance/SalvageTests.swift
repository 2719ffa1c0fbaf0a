// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import RecordStorage
import SeededRandom
import Testing

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

/// Flips single bits of a journal behind its header, and cuts it there, and holds what a repair keeps and says against what
/// was in the group before. Every day some dozens of each; before a release 2,000 of each, on a group of 1,000 entries.
@Suite("Repairing record by record", .serialized)
struct SalvageTests {
    private static let count = Scale.pick(40, release: 2_000)

    @Test(
        "a flipped bit costs no more than the record that it hits",
        arguments: SalvageSample.Shape.allCases,
        [true, false]
    )
    func flips(shape: SalvageSample.Shape, hasNote: Bool) throws {
        let sample = try SalvageSample(shape)
        var random = SeededGenerator(for: "flips, \(shape), with note: \(hasNote)")
        for number in 0..<Self.count / 4 {
            let offset = Int.random(in: 4096..<sample.journal.count, using: &random)
            let bit = UInt8.random(in: 0..<8, using: &random)
            try check(
                sample,
                hasNote: hasNote,
                isPlanned: number % 5 == 0,
                isExact: true,
                "bit \(bit) of byte \(offset)"
            ) { bytes in
                bytes[offset] ^= 1 << bit
            } mayLose: {
                sample.mayLose($0, flippedAt: UInt64(offset))
            } outcome: { outcome in
                let range = UInt64(offset)..<UInt64(offset) + 1
                #expect(outcome.signedIn.isDisjoint(with: sample.signedOut), "byte \(offset)")
                // Nothing stands up behind the newest version of the token, lost or not.
                #expect(outcome.isNewestOrGone(sample), "byte \(offset)")
                #expect(outcome.lostCount <= sample.largestLoss(range), "byte \(offset)")
            }
        }
    }

    @Test("a cut costs no record whose boxes are before it", arguments: SalvageSample.Shape.allCases, [true, false])
    func cuts(shape: SalvageSample.Shape, hasNote: Bool) throws {
        let sample = try SalvageSample(shape)
        var random = SeededGenerator(for: "cuts, \(shape), with note: \(hasNote)")
        for number in 0..<Self.count / 4 {
            let end = Int.random(in: 4096..<sample.journal.count, using: &random)
            try check(sample, hasNote: hasNote, isPlanned: number % 5 == 0, isExact: false, "cut at \(end)") { bytes in
                bytes.removeSubrange(end...)
            } mayLose: {
                $0.reaches(UInt64(end))
            } outcome: { outcome in
                for (account, frameEnd) in sample.signOutEnds where frameEnd <= end {
                    #expect(!outcome.signedIn.contains(account), "cut at \(end)")
                }
                if hasNote { #expect(outcome.summary.wasDamaged, "cut at \(end)") }
            }
        }
    }

    /// Spoils the journal, repairs the group and compares it with what it was.
    private func check(
        _ sample: SalvageSample,
        hasNote: Bool,
        isPlanned: Bool,
        isExact: Bool,
        _ comment: Comment,
        _ spoil: (inout [UInt8]) -> Void,
        mayLose: (SalvageSample.Record) -> Bool,
        outcome check: (SalvageSample.Outcome) throws -> Void
    ) throws {
        var bytes = sample.journal
        spoil(&bytes)
        try sample.put(bytes, hasNote: hasNote)
        let plan = isPlanned ? try sample.fixture.opener().repair(isDryRun: true) : nil
        let summary = try sample.fixture.opener().repair(isDryRun: false)
        if let plan {
            #expect(plan.keptCount == summary.keptCount && plan.lostCount == summary.lostCount, comment)
            #expect(plan.maximumLostCount == summary.maximumLostCount, comment)
            #expect(plan.signedOutAccountCount == summary.signedOutAccountCount, comment)
        }
        let outcome = try sample.outcome(summary)
        for (key, record) in sample.records where !mayLose(record) {
            guard let now = outcome.records[key] else {
                Issue.record("a record of kind \(record.kind.rawValue) is gone, \(comment): \(summary)")
                continue
            }
            // What was written anew in its place keeps somebody out.
            #expect(now.boxes == record.boxes || now.kind.rawValue >= 128, comment)
        }
        // What a repair adds are marks alone.
        for (key, record) in outcome.records where sample.records[key] == nil {
            #expect(record.kind.rawValue >= 128 || sample.older.contains(record.boxes), comment)
        }
        #expect(summary.removedCount <= sample.older.count, comment)
        if summary.isRepaired {
            let lost = outcome.lostCount - outcome.replacedCount...outcome.lostCount
            #expect(summary.keptCount >= outcome.keptCount, comment)
            #expect(summary.keptCount <= outcome.keptCount + outcome.replacedCount, comment)
            if let largest = summary.maximumLostCount { #expect(lost.lowerBound <= largest, comment) }
            // Where the change is cut off that removed a token, its secret is gone without a word of it.
            let excess = isExact ? 0 : sample.older.count
            #expect(summary.lostCount <= lost.upperBound + excess, comment)
            if isExact, summary.maximumLostCount == summary.lostCount {
                #expect(lost.contains(summary.lostCount), comment)
            }
        }
        try check(outcome)
    }
}
