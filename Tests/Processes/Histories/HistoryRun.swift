// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import SeededRandom

/// Eight processes with four threads each work on the same few accounts; some are killed and others take their place.
final class HistoryRun {
    private static let processes = 8
    private static let threads = 4
    static let accounts = 8

    private let workers: Workers
    private let callsPerThread: Int
    private var random: SeededGenerator
    private var logs: [String] = []

    init(calls: Int, in keyring: PrivateKeyring?, _ random: SeededGenerator) throws {
        workers = try Workers(in: keyring)
        callsPerThread = max(1, calls / Self.processes / Self.threads)
        self.random = random
    }

    /// Lets them work. In the middle a file is compacted, and a group in a keyring gets new keys.
    ///
    /// - Parameter kills: how many processes are killed, if they do not end before that.
    /// - Returns: what was found in all that they did, and in what a fresh process finds in the end.
    /// - Throws: where one of them ended early.
    func run(kills: Int) throws -> HistoryFigures {
        try runOnce("begin")
        var running = try (0..<Self.processes).map { _ in try start() }
        for worker in running { worker.writeLine("go") }
        for kill in 0..<kills {
            usleep(UInt32.random(in: 0..<20_000, using: &random))
            if kill == kills / 2 { try invalidateAll() }
            let candidates = running.indices.filter { running[$0].isRunning }
            guard let doomed = candidates.randomElement(using: &random) else { break }
            running[doomed].kill()
            try running[doomed].finish()
            running[doomed] = try start()
            running[doomed].writeLine("go")
        }
        for worker in running {
            let finished = try worker.finish()
            guard finished.exitCode == 0, finished.lines.last == "done" else {
                throw Unfit(reason: "a worker ended early: \(finished.messages)")
            }
        }
        try runOnce("look")
        return try report()
    }

    /// Whether the group is sound.
    func verify() throws -> Bool {
        try workers.group.attempt("verify").exitCode == 0
    }

    private func runOnce(_ verb: String) throws {
        let done = try workers.launch(try arguments(verb)).finish()
        guard done.exitCode == 0 else { throw Unfit(reason: "\(verb) failed: \(done.messages)") }
    }

    private func invalidateAll() throws {
        let group = workers.group
        let command = group.storage == .file ? ["compact"] : ["rekey", "--yes"]
        let done = try group.attempt(command + ["--timeout", "60"])
        guard done.exitCode == 0 else { throw Unfit(reason: "neither compacted nor with new keys: \(done.messages)") }
    }

    private func start() throws -> RunningProgram {
        let worker = try workers.launch(try arguments("mix"))
        guard worker.waitForLines(1).first == "ready" else {
            throw Unfit(reason: "a worker did not get ready: \(worker.messagesSoFar)")
        }
        return worker
    }

    private func arguments(_ verb: String) throws -> [String] {
        let log = workers.group.root.path + "/log\(logs.count)"
        logs.append(log)
        let options = [
            "accounts": Self.accounts, "count": callsPerThread, "from": logs.count * 100_000,
            "seed": Int.random(in: 0..<1_000_000_000, using: &random),
        ]
        return workers.arguments(verb, options) + ["--log", log]
    }

    private func report() throws -> HistoryFigures {
        // Some are killed before they have begun.
        let begun = logs.filter { FileManager.default.fileExists(atPath: $0) }
        let input = Data(begun.map { $0 + "\n" }.joined().utf8)
        let checked = try Program.groupWorker.run(["check"], input: input)
        guard checked.exitCode == 0, let figures = HistoryFigures(checked.lines) else {
            throw Unfit(reason: "the check failed: \(checked.messages)")
        }
        return figures
    }
}
