// SPDX-License-Identifier: Apache-2.0

import Glibc
import Operations
import SampleAccounts
import TokenCaching

/// What operations take on this machine, each beside its floor: lines of a name and nanoseconds, medians.
struct Times {
    let folder: CacheFolder
    let workbench: Workbench
    let order: [Int]

    init(_ folder: CacheFolder) throws {
        self.folder = folder
        workbench = try Workbench(folder, using: folder.count)
        order = folder.randomOrder
    }

    func report() async throws {
        try reportLookups()
        try await reportSilentRequests()
        try reportThreads()
        try reportDictionary()
        for operation in workbench.operations where reported.contains(operation.name) {
            print(operation.name, try median(operation, repetitions: 31))
        }
        print("id-token-claims", try median(workbench.idTokenClaims, repetitions: 31))
        let list = workbench.listing
        try list.warmUp()
        print("accounts", try (0..<15).map { try nanoseconds(list, round: $0) }.median)
        try reportChanges()
    }

    /// Those that are not reported by accounts in random order.
    private let reported: Set = [
        "query-building", "new-exact", "new-subset-of-scopes", "new-aliased-cloud", "new-guest-tenant", "new-username",
        "new-family-refresh-token", "new-unknown-id", "account-by-username",
    ]

    private func reportLookups() throws {
        let probes = Floor.DictionaryProbe(count: folder.count, order: order)
        let hits = workbench.hits(in: order)
        let same = workbench.hits(in: [Int](repeating: order[0], count: 20_000))
        var times: [String: [Double]] = [:]
        for _ in 0..<31 {
            times["dictionary-probe", default: []].append(probes.nanoseconds())
            times["hit-random", default: []].append(try nanoseconds(hits) / Double(order.count))
            times["hit-same", default: []].append(try nanoseconds(same) / 20_000)
        }
        for (name, values) in times.sorted(by: { $0.key < $1.key }) { print(name, values.median) }
        let handOuts = workbench.handOuts(in: order, scopes: SampleAccounts.scopes)
        print("hand-out", try (0..<15).map { _ in try nanoseconds(handOuts) / Double(order.count) }.median)
        let subsets = workbench.handOuts(in: order, scopes: ["User.Read"])
        print("hand-out-subset", try (0..<15).map { _ in try nanoseconds(subsets) / Double(order.count) }.median)
    }

    /// Silent requests that the cache satisfies, each in turns with the lookup that it is made of.
    private func reportSilentRequests() async throws {
        let operations = workbench.silentRequests + workbench.silentFloors
        var times: [String: [Double]] = [:]
        for repetition in 0...31 {
            for operation in operations {
                let watch = Stopwatch()
                try await operation.runAsynchronously(0..<operation.rounds)
                if repetition > 0 {
                    times[operation.name, default: []].append(watch.seconds / Double(operation.rounds) * 1e9)
                }
            }
        }
        for operation in operations { print(operation.name, times[operation.name, default: []].median) }
    }

    /// How much more two threads do than one.
    private func reportThreads() throws {
        let same = [Int](repeating: order[0], count: 2)
        print("two-threads-same", try (0..<15).map { _ in try speedUp(askingFor: same) }.median)
        // Another two accounts each time.
        let pairs = (0..<15).map { [order[$0 * 2 % order.count], order[($0 * 2 + 1) % order.count]] }
        print("two-threads-random", try pairs.map { try speedUp(askingFor: $0) }.median)
        let all = [workbench.hits(in: order), workbench.hits(in: order.reversed())]
        print("two-threads-all", try (0..<15).map { _ in try speedUp(all, rounds: 0..<100) }.median)
        let visits = [Floor.visits(of: folder.count, in: order), Floor.visits(of: folder.count, in: order.reversed())]
        print("two-threads-visits", try (0..<15).map { _ in try speedUp(visits, rounds: 0..<100) }.median)
    }

    /// Each thread asks one prepared query of its own again and again.
    private func speedUp(askingFor accounts: [Int]) throws -> Double {
        try speedUp(accounts.map { workbench.repeatedHit($0) }, rounds: 0..<2_000_000)
    }

    /// How often two threads do their work in the time in which one does its own once. It takes a tenth of a second, beside
    /// which the time until both run on a processor of their own does not count.
    private func speedUp(_ work: [Operation], rounds: Range<Int>) throws -> Double {
        let one = Stopwatch()
        try work[0].run(rounds)
        let alone = one.seconds
        let both = Stopwatch()
        Threads.run(2) { number in try? work[number].run(rounds) }
        return 2 * alone / both.seconds
    }

    /// A dictionary from the keys of the unified cache to tokens in plain memory, beside strings to a token in hand.
    private func reportDictionary() throws {
        let accounts = folder.accounts
        let names = (0..<folder.count).map { (accounts.homeAccountID($0), accounts.tenant($0)) }
        func key(_ index: Int) -> String {
            let (id, tenant) = names[index]
            let scopes = SampleAccounts.scopes.joined(separator: " ")
            return "\(id)-\(SampleAccounts.environment)-accesstoken-\(SampleAccounts.clientID)-\(tenant)-\(scopes)"
                .lowercased()
        }
        let tokens = Dictionary(
            uniqueKeysWithValues: (0..<folder.count).map { (key($0), Array(SampleAccounts.accessTokenSecret($0).utf8)) }
        )
        let times = (0..<15).map { _ in
            let watch = Stopwatch()
            for index in order {
                // A copy, as whoever sends it makes one.
                blackHole(tokens[key(index)].map { $0.withUnsafeBytes { Array($0) } })
            }
            return watch.seconds / Double(order.count) * 1e9
        }
        print("dictionary-hand-out", times.median)
    }

    private func reportChanges() throws {
        let others: Set = ["open-to-first-token", "save-response"]
        for operation in workbench.changes where !others.contains(operation.name) {
            try operation.warmUp()
            print(operation.name, try (0..<61).map { try nanoseconds(operation, round: $0) }.median)
        }
        let saving = workbench.savingResponses
        try saving.warmUp()
        var own: [Double] = []
        let floor = Floor.appends(of: [UInt8](repeating: 7, count: 5_600), rounds: 600, in: folder.path) { round in
            own.append((try? nanoseconds(saving, round: round)) ?? .nan)
        }
        print("save", own.median)
        print("save-p99", own.p99)
        print("append", floor.median * 1e9)
        print("append-p99", floor.p99 * 1e9)
    }

    private func nanoseconds(_ operation: Operation, round: Int = 0) throws -> Double {
        try operation.prepare(round)
        let watch = Stopwatch()
        try operation.run(round)
        return watch.seconds * 1e9
    }

    private func median(_ operation: Operation, repetitions: Int) throws -> Double {
        try Stopwatch.nanoseconds(perRoundOf: 500, repetitions: repetitions) { try operation.run(0..<500) }
    }
}
