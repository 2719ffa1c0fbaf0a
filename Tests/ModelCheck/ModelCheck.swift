// SPDX-License-Identifier: Apache-2.0

import Foundation
import TokenCaching

/// Runs random sequences of operations against the cache and against the reference models, and says where they part.
///
///     model-check [--sequences N] [--seconds N] [--seed S] [--files N] [--failures N]
///
/// Sequence number i follows from seed S + i: `--seed <S + i> --sequences 1` repeats it. It is one of everything that
/// changes what is stored, and one of renewals and what servers refuse. One in `--files` is run on an encrypted file, the
/// others in memory. It ends after the first disagreement, or after as many as `--failures` says.
@main
enum ModelCheck {
    static func main() throws {
        let options = Options(CommandLine.arguments.dropFirst())
        var counts: [String: Int] = [:]
        var (done, failures) = (0, 0)
        let start = ContinuousClock.now
        for number in 0..<options.sequences {
            if number > 0, options.seconds < .max, .now - start > .seconds(options.seconds) { break }
            done += 1
            let seed = options.seed &+ UInt64(number)
            let isInFile = options.files > 0 && number % options.files == 0
            var operations = SequenceGenerator(seed: seed)
            var renewals = RefusalGenerator(seed: seed)
            let agrees = [
                agree(SequenceRun.self, operations.sequence(), seed: seed, isInFile, &counts, simpler: \.simpler),
                agree(RefusalRun.self, renewals.sequence(), seed: seed, isInFile, &counts, simpler: { _ in [] }),
            ]
            failures += agrees.count { !$0 }
            if failures > 0, !options.keepsGoing || failures >= options.failures { break }
        }
        let summary = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        say("\(done) sequences from seed \(options.seed), \(failures) disagreements: \(summary)")
        exit(failures == 0 ? 0 : 1)
    }

    /// Whether the cache and the model do not part; else says where they do.
    private static func agree<Run: SideBySideRun>(
        _: Run.Type,
        _ steps: [Run.Step],
        seed: UInt64,
        _ isInFile: Bool,
        _ counts: inout [String: Int],
        simpler: (Run.Step) -> [Run.Step]
    ) -> Bool {
        func run(_ steps: [Run.Step]) -> Disagreement? {
            let root = NSTemporaryDirectory() + "model-check-" + UUID().uuidString
            defer { if isInFile { try? FileManager.default.removeItem(atPath: root) } }
            if isInFile {
                try? FileManager.default.createDirectory(
                    atPath: root,
                    withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700]
                )
            }
            do throws(TokenCacheError) {
                var run = try Run(root: isInFile ? root : nil)
                defer { counts.merge(run.counts, uniquingKeysWith: +) }
                return run.disagreement(in: steps)
            } catch {
                return Disagreement(step: 0, sentence: "opening threw \(error.code): \(error)")
            }
        }
        guard let found = run(steps) else { return true }
        let shrunk = Shrinking.shrunk(
            Array(steps.prefix(found.step + 1)),
            whileFailing: { run($0)?.kind == found.kind },
            simpler: simpler
        )
        say("seed \(seed)\(isInFile ? " (in a file)" : ""): \((run(shrunk) ?? found).sentence)")
        for step in shrunk { say("  \(step)") }
        return false
    }

    /// At once, also where somebody ends the program in the middle.
    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}
