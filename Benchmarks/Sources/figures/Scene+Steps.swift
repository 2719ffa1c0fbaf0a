// SPDX-License-Identifier: Apache-2.0

import CacheAdministration
import Glibc
import Operations
import SampleAccounts
import TokenCaching

extension Scene {
    func measureImport() throws {
        let byteCount = accounts.writeUnifiedJSON(to: document)
        let megabytes = Double(byteCount) / 1e6
        let floor = Floor.write(byteCount, in: folder)
        let before = Memory.resident
        let group = try CacheGroup.open("figures", root: folder, access: .create)
        var options = ImportOptions()
        options.maximumByteCount = 2 << 30
        let watch = Stopwatch()
        let report = try group.importEntries(from: .path(document), options: options)
        let seconds = watch.seconds
        let peak = Double(Memory.peak - before) / 1e6
        self.report(
            "import of \(megabytes.rounded(to: 1)) MB",
            "\(seconds.rounded(to: 3)) s, \((megabytes / seconds).rounded(to: 0)) MB/s, \(report.counts.new) new, "
                + "peak +\(peak.rounded(to: 1)) MB; write + fsync of the same bytes \(floor.rounded(to: 3)) s"
        )
    }

    func measureOpening() throws {
        var times: [Double] = []
        for round in 0..<(count > 10_000 ? 9 : 41) {
            let query = query(round * 7919 % count)
            let watch = Stopwatch()
            let cache = try open()
            guard case .valid(let token) = try cache.token(for: query) else { return report("open", "no token") }
            let length = try token.withSecret { $0.byteCount }
            times.append(watch.seconds)
            blackHole(length)
            cache.close()
        }
        report("cold open to first token", "\((times.median * 1e6).rounded(to: 0)) us")
    }

    func measureMemory() throws {
        let before = Memory.resident
        let cache = try open()
        _ = try cache.token(for: query(0))
        let opened = Memory.resident
        for index in 0..<count { _ = try cache.token(for: query(index)) }
        let used = Memory.resident
        report(
            "resident bytes per account",
            "\((opened - before) / count) after open, \((used - opened) / count) once used"
        )
    }

    func measureLookups() throws {
        let cache = try open()
        let order = randomOrder(100_000)
        let rounds = order.count < 10_000 ? (0..<(100_000 / order.count)).flatMap { _ in order } : order
        let queries = (0..<count).map(query)
        for index in order { _ = try cache.token(for: queries[index]) }
        let probes = Floor.DictionaryProbe(count: count, order: rounds)
        let probe = (0..<7).map { _ in probes.nanoseconds() }.median
        let hit = try Stopwatch.nanoseconds(perRoundOf: rounds.count) {
            var hits = 0
            for index in rounds {
                if case .valid = try cache.token(for: queries[index]) { hits += 1 }
            }
            precondition(hits == rounds.count)
        }
        let one = queries[order[0]]
        let same = try Stopwatch.nanoseconds(perRoundOf: 1_000_000) {
            for _ in 0..<1_000_000 {
                guard case .valid = try cache.token(for: one) else { preconditionFailure("no hit") }
            }
        }
        report(
            "silent hit, prepared query",
            "\(same.rounded(to: 1)) ns the same, \(hit.rounded(to: 1)) ns random; dictionary probe "
                + "\(probe.rounded(to: 1)) ns; ratio \((hit / probe).rounded(to: 2))"
        )
        let some = Array(rounds.prefix(20_000))
        let fromStrings = try Stopwatch.nanoseconds(perRoundOf: some.count, repetitions: 3) {
            var length = 0
            for index in some {
                guard case .valid(let token) = try cache.token(for: query(index)) else { continue }
                length += try token.withSecret { $0.byteCount }
            }
            blackHole(length)
        }
        report("from strings to token in hand", "\((fromStrings / 1000).rounded(to: 2)) us")
    }

    func measureSaves() throws {
        let cache = try open()
        var own: [Double] = []
        let size = 5_600
        let raw = Floor.appends(of: [UInt8](repeating: 7, count: size), rounds: 300, in: folder) { round in
            do {
                own.append(try save(into: cache, account: round * 7919 % count, round: round))
            } catch {
                print("  save failed: \(error)")
            }
        }
        report(
            "durable save of a token response",
            "\((own.median * 1e6).rounded(to: 0)) us, p99 \((own.p99 * 1e6).rounded(to: 0)) us; raw append + fdatasync "
                + "\((raw.median * 1e6).rounded(to: 0)) us, p99 \((raw.p99 * 1e6).rounded(to: 0)) us; ratio "
                + (own.median / raw.median).rounded(to: 2)
        )
    }
}

extension Floor {
    /// Seconds to write `count` bytes and make them durable.
    static func write(_ count: Int, in folder: String) -> Double {
        let path = folder + "/floor"
        let file = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0o600)
        guard file >= 0 else { return .nan }
        defer {
            close(file)
            unlink(path)
        }
        let piece = [UInt8](repeating: 7, count: 1 << 20)
        let watch = Stopwatch()
        var left = count
        while left > 0 {
            let written = piece.withUnsafeBytes { Glibc.write(file, $0.baseAddress, min(left, $0.count)) }
            guard written > 0 else { return .nan }
            left -= written
        }
        fsync(file)
        return watch.seconds
    }
}
