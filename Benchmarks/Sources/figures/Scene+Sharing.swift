// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Operations
import SampleAccounts
import Synchronization
import TokenCaching

/// What one process sees of the saves of another one.
extension Scene {
    private static let saves = 300

    /// Saves for each line of standard input, and notes in a file when it began and when it was done.
    func saveOnDemand() throws {
        let cache = try open()
        let stamps = fopen(stampPath, "w")
        var round = 0
        while readLine() != nil {
            let begin = monotonicTime()
            _ = try save(into: cache, account: round % count, round: 1_000 + round)
            fputs("\(begin) \(monotonicTime())\n", stamps)
            fflush(stamps)
            round += 1
        }
        fclose(stamps)
    }

    func measureSharing() throws {
        let cache = try open()
        let queries = (0..<min(count, Self.saves)).map(query)
        for query in queries { _ = try cache.token(for: query) }
        let told = TellingTimes()
        let begun = DispatchSemaphore(value: 0)
        Task.detached {
            var changes = cache.changes().makeAsyncIterator()
            try await changes.begin()
            begun.signal()
            while let change = try await changes.next() {
                if change.kind.name == "AccessToken" { told.note() }
            }
        }
        guard begun.wait(timeout: .now() + .seconds(20)) == .success else {
            return report("sharing", "no changes are told")
        }
        guard let saver = popen("exec '\(CommandLine.arguments[0])' saver \(count) '\(folder)'", "w") else {
            return report("sharing", "no second process")
        }
        var lookups: [Double] = []
        var missed = 0
        for round in 0..<Self.saves {
            let query = queries[round % queries.count]
            let before = try secret(of: query, in: cache)
            fputs("go\n", saver)
            fflush(saver)
            while stamps().count <= round { usleep(200) }
            let watch = Stopwatch()
            let decision = try cache.token(for: query)
            lookups.append(watch.seconds)
            if case .valid(let token) = decision, try token.secretString != before {} else { missed += 1 }
            for _ in 0..<10_000 where told.all.count <= round { usleep(200) }
            // Idle, as most of the time.
            usleep(3_000)
        }
        pclose(saver)
        let all = stamps()
        let times = zip(told.all, all)
        let sinceBegin = times.map { Double($0 - $1.begin) / 1e6 }
        let sinceDone = times.map { (Double($0) - Double($1.done)) / 1e6 }
        report(
            "first lookup after a foreign save",
            "\((lookups.median * 1e6).rounded(to: 0)) us, p99 \((lookups.p99 * 1e6).rounded(to: 0)) us, "
                + "\(missed) of \(Self.saves) missed it"
        )
        report(
            "change told to another process",
            "\(told.all.count) of \(Self.saves); \(sinceBegin.median.rounded(to: 2)) ms, p99 "
                + "\(sinceBegin.p99.rounded(to: 2)) ms after the save began, "
                + "\(sinceDone.median.rounded(to: 2)) ms after it was done"
        )
    }

    private var stampPath: String { folder + "/stamps" }

    private func secret(of query: TokenQuery, in cache: TokenCache) throws -> String {
        guard case .valid(let token) = try cache.token(for: query) else { return "" }
        return try token.secretString
    }

    private func stamps() -> [(begin: UInt64, done: UInt64)] {
        guard let file = fopen(stampPath, "r") else { return [] }
        defer { fclose(file) }
        var stamps: [(UInt64, UInt64)] = []
        var line = [CChar](repeating: 0, count: 128)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            let words = text.split(whereSeparator: \.isWhitespace).compactMap { UInt64($0) }
            if words.count == 2, text.hasSuffix("\n") { stamps.append((words[0], words[1])) }
        }
        return stamps
    }
}

/// When changes were told.
private final class TellingTimes: Sendable {
    private let times = Mutex<[UInt64]>([])

    var all: [UInt64] { times.withLock { $0 } }

    func note() {
        let now = monotonicTime()
        times.withLock { $0.append(now) }
    }
}

/// Nanoseconds of a clock that all processes share.
private func monotonicTime() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
