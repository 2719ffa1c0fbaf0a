import Foundation
import TokenCaching

/// Runs random sequences of operations against the cache and against the reference model, and says where they part.
///
///     model-check [--sequences N] [--seed S] [--files N] [--failures N]
///
/// Sequence number i follows from seed S + i: `--seed <S + i> --sequences 1` repeats it. One sequence in `--files` is run
/// on an encrypted file, the others in memory. It ends after the first disagreement, or after as many as `--failures` says.
@main
enum ModelCheck {
    static func main() throws {
        let options = Options(CommandLine.arguments.dropFirst())
        var counts: [String: Int] = [:]
        var failures = 0
        for number in 0..<options.sequences {
            let seed = options.seed &+ UInt64(number)
            var generator = SequenceGenerator(seed: seed)
            let operations = generator.sequence()
            let isInFile = options.files > 0 && number % options.files == 0
            guard let disagreement = run(operations, isInFile: isInFile, counting: &counts) else { continue }
            failures += 1
            report(disagreement, operations, seed: seed, isInFile: isInFile)
            if !options.keepsGoing || failures == options.failures { break }
        }
        let summary = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        say("\(options.sequences) sequences from seed \(options.seed), \(failures) disagreements: \(summary)")
        exit(failures == 0 ? 0 : 1)
    }

    private static func run(
        _ operations: [Operation],
        isInFile: Bool,
        counting counts: inout [String: Int]
    ) -> Disagreement? {
        let root = NSTemporaryDirectory() + "model-check-" + UUID().uuidString
        defer { if isInFile { try? FileManager.default.removeItem(atPath: root) } }
        do throws(TokenCacheError) {
            if isInFile {
                try? FileManager.default.createDirectory(
                    atPath: root,
                    withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700]
                )
            }
            var run = try SequenceRun(root: isInFile ? root : nil)
            let disagreement = run.disagreement(in: operations)
            counts.merge(run.counts, uniquingKeysWith: +)
            return disagreement
        } catch {
            return Disagreement(step: 0, sentence: "opening threw \(error.code): \(error)")
        }
    }

    private static func report(_ found: Disagreement, _ operations: [Operation], seed: UInt64, isInFile: Bool) {
        var counts: [String: Int] = [:]
        let shrunk = Shrinking.shrunk(Array(operations.prefix(found.step + 1))) {
            run($0, isInFile: isInFile, counting: &counts)?.kind == found.kind
        }
        let last = run(shrunk, isInFile: isInFile, counting: &counts) ?? found
        say("seed \(seed)\(isInFile ? " (in a file)" : ""): \(last.sentence)")
        for operation in shrunk { say("  \(operation)") }
    }

    /// At once, also where somebody ends the program in the middle.
    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}
