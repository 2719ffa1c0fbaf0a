// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import Synchronization

/// Starts workers, gives each a part of the cases, and goes on behind a case that ended one.
final class Supervisor: Sendable {
    /// How long a case may take before it counts as one without an end. Every call has a deadline of two seconds.
    private static let timeLimit: Duration = .seconds(60)
    /// Cases of one worker: it makes its groups anew after so many. Fewer where only the time says when it ends.
    private let share: Int

    private let options: Options
    private let kind: TrialKind
    private let environment: [String: String]
    /// When no further worker starts; nil where all cases are made.
    private let deadline: ContinuousClock.Instant?
    private let state: Mutex<(next: UInt64, end: UInt64, findings: [String])>

    init(_ options: Options, _ kind: TrialKind, count: Int, environment: [String: String]) {
        self.options = options
        self.kind = kind
        self.environment = environment
        let isLimited = options.seconds < .max
        share = isLimited ? (kind == .library ? 100 : 20) : 250
        deadline = isLimited ? .now + .seconds(options.seconds) : nil
        state = Mutex((options.seed, options.seed &+ UInt64(count), []))
    }

    /// - Returns: how many cases were made, and what was found.
    func run() -> (cases: UInt64, findings: [String]) {
        let threads = (0..<options.jobs).map { job in
            let done = DispatchSemaphore(value: 0)
            let thread = Thread { [self] in
                while let (seed, count) = next() { work(job, seed, count) }
                done.signal()
            }
            thread.start()
            return done
        }
        for thread in threads { thread.wait() }
        return state.withLock { ($0.next - options.seed, $0.findings) }
    }

    private func next() -> (UInt64, Int)? {
        state.withLock { state in
            guard state.next < state.end, state.findings.count < options.failures else { return nil }
            // One share of cases is made, however slow the machine is.
            if let deadline, state.next > options.seed, deadline < .now { return nil }
            let count = min(share, Int(state.end - state.next))
            defer { state.next += UInt64(count) }
            return (state.next, count)
        }
    }

    private func work(_ job: Int, _ seed: UInt64, _ count: Int) {
        var (seed, count) = (seed, count)
        while count > 0 {
            let end = once(job, seed, count, mask: .max)
            for finding in end.findings { report(finding, job) }
            guard let dead = end.dead else { return }
            report((dead.seed, "ended: \(dead.how)during “\(dead.step)\(dead.text)"), job)
            count -= Int(dead.seed - seed) + 1
            seed = dead.seed + 1
            if state.withLock({ $0.findings.count >= options.failures }) { return }
        }
    }

    /// Which of the mutations it takes, and what there is to do to see it again.
    private func report(_ finding: (seed: UInt64, text: String), _ job: Int) {
        let number = state.withLock { $0.findings.count }
        guard number < options.failures else { return }
        var alone: [Int] = []
        // Where there are many, they are of a few kinds.
        for mutation in 0..<3 where number < 10 {
            let end = once(job, finding.seed, 1, mask: 1 << UInt64(mutation))
            if end.dead != nil || !end.findings.isEmpty { alone.append(mutation) }
        }
        let hint =
            alone.isEmpty
            ? "" : "\n  number \(alone.map(String.init).joined(separator: ", ")) of these (from 0) is enough"
        let count = kind == .library ? "--cases 1" : "--cases 0 --\(kind.rawValue) 1"
        let text = "seed \(finding.seed), \(finding.text)\(hint)\n  again: group-fuzzer \(count) --seed \(finding.seed)"
        say(text)
        state.withLock { $0.findings.append(text) }
    }

    private struct End {
        var findings: [(seed: UInt64, text: String)] = []
        /// Where it did not come to its end.
        var dead: (seed: UInt64, step: String, text: String, how: String)?
    }

    /// Runs a worker to its end.
    private func once(_ job: Int, _ seed: UInt64, _ count: Int, mask: UInt64) -> End {
        let status = "/tmp/group-fuzzer.\(ProcessInfo.processInfo.processIdentifier).\(kind).\(job)"
        defer { Disk.remove(status) }
        var end = End()
        guard
            let worker = try? Program(path: ProcessInfo.processInfo.arguments[0]).start(
                [
                    "--status", status, "--kind", kind.rawValue, "--seed", "\(seed)", "--count", "\(count)", "--mask",
                    "\(mask)",
                ],
                environment: environment
            )
        else {
            end.dead = (seed, "start”", "", "it did not start, ")
            return end
        }
        var isStuck = false
        var (seen, since) = ("", ContinuousClock.now)
        while worker.isRunning {
            usleep(20_000)
            let now = String(decoding: Disk.read(status) ?? [], as: UTF8.self)
            if now != seen { (seen, since) = (now, .now) }
            // Every command has a minute of its own.
            if ContinuousClock.now - since > Self.timeLimit * (kind == .commands ? 2 : 1) {
                isStuck = true
                worker.kill()
            }
        }
        let finished = try? worker.finish()
        for line in finished?.lines ?? [] {
            if let number = line.split(separator: " ").first.flatMap({ UInt64($0) }) {
                end.findings.append((number, String(line.drop { $0 != " " }.dropFirst())))
            } else if !end.findings.isEmpty {
                end.findings[end.findings.count - 1].text += "\n" + line
            }
        }
        if finished?.exitCode != 0 {
            let how = isStuck ? "no end" : finished?.exitCode.map { "exit code \($0)" } ?? "a signal"
            let lines = seen.split(separator: "\n", maxSplits: 1)
            let parts = (lines.first ?? "").split(separator: " ", maxSplits: 1)
            let said = finished?.messages.suffix(300) ?? ""
            end.dead = (
                parts.first.flatMap { UInt64($0) } ?? seed, (parts.dropFirst().first ?? "") + "”",
                lines.count > 1 ? "\n" + lines[1] : "", "\(how) \(said)\(said.isEmpty ? "" : " ")"
            )
        }
        return end
    }
}
