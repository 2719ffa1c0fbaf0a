// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import GroupRecords
import RecordStorage
import SeededRandom
import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Facts that are kept of the partitions in use")
struct PartitionCacheTests {
    /// Of accounts in the order of their numbers.
    private let facts: [PartitionFacts]

    init() throws {
        let group = try TestGroup()
        try group.put((0..<40).map { .accessToken("at", account: "u\($0).t") })
        let store = MemoryStore(group.backing)
        let loader = PartitionFactsLoader(codec: group.codec, clouds: .builtIn, clientID: TestGroup.client)
        facts = try (0..<40).map { number in
            let partition = try group.codec.partition(ofAccount: Array("u\(number).t".utf8).rawSpan)
            return try loader.load(partition, from: store, until: .standard, knowing: nil)
        }
    }

    private func kept(_ cache: PartitionCache) -> [Int] {
        facts.indices.filter { cache.lastFacts(of: facts[$0].partition) != nil }
    }

    @Test("no more are kept than the bound says")
    func count() {
        var cache = PartitionCache(largestCount: 10)
        for (number, facts) in facts.enumerated() {
            cache.keep(facts)
            #expect(cache.count == min(number + 1, 10))
            #expect(cache.facts(of: facts.partition) === facts)
        }
        #expect(kept(cache).count == 10)
    }

    @Test("no more bytes are kept than the bound says")
    func bytes() {
        let most = facts.map(\.byteCount).max() ?? 0
        var cache = PartitionCache(largestByteCount: most * 5)
        for facts in facts {
            cache.keep(facts)
            let byteCount = kept(cache).reduce(0) { $0 + self.facts[$1].byteCount }
            #expect(byteCount <= most * 5)
        }
        #expect(kept(cache).count >= 5)
    }

    @Test("one that is used again and again stays, whatever else comes")
    func used() {
        var cache = PartitionCache(largestCount: 10)
        cache.keep(facts[0])
        for facts in facts.dropFirst() {
            cache.keep(facts)
            #expect(cache.facts(of: self.facts[0].partition) === self.facts[0])
        }
    }

    @Test("an account is found by its id as long as its facts are kept and current")
    func account() throws {
        var cache = PartitionCache(largestCount: 10)
        let first = facts[0]
        let hash = try #require(first.accountHash)
        func found(in cache: PartitionCache) -> Bool {
            cache.facts(ofAccount: first.span(first.homeAccountID), hash: hash) === first
        }
        cache.keep(first)
        #expect(found(in: cache))
        cache.outdate(first.partition)
        #expect(!found(in: cache))
        #expect(cache.facts(of: first.partition) == nil)
        #expect(cache.lastFacts(of: first.partition) === first)
        cache.keep(first)
        #expect(found(in: cache))
        for facts in facts.dropFirst() { cache.keep(facts) }
        #expect(found(in: cache) == (cache.lastFacts(of: first.partition) != nil))
        cache.removeAll()
        #expect(cache.count == 0 && !found(in: cache))
    }

    @Test("after any sequence of calls it holds the last values that were put and not removed", arguments: 0..<20)
    func model(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var cache = PartitionCache(largestCount: 12)
        var current: Set<Int> = []
        for _ in 0..<2_000 {
            let number = Int.random(in: facts.indices, using: &random)
            let partition = facts[number].partition
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                cache.remove(partition)
                current.remove(number)
            case 1:
                cache.outdate(partition)
                current.remove(number)
            case 2, 3:
                if cache.facts(of: partition) != nil { #expect(current.contains(number), "seed \(seed)") }
            default:
                cache.keep(facts[number])
                current.insert(number)
                #expect(cache.facts(of: partition) === facts[number], "seed \(seed)")
            }
            #expect(cache.count <= 12 && cache.count == kept(cache).count, "seed \(seed)")
        }
    }
}

@Suite("Knowledge of changes, partition by partition")
struct ChangeLogTests {
    private func partition(_ number: Int) -> PartitionTag { PartitionTag(first: UInt64(number), second: 1) }

    @Test("a change outdates earlier reads of its partition only")
    func change() {
        var log = ChangeLog()
        let before = log.now
        log.note(.partitions([partition(1)]))
        #expect(!log.isUnchanged(partition(1), since: before))
        #expect(log.isUnchanged(partition(2), since: before))
        #expect(log.isUnchanged(partition(1), since: log.now))
        log.note(.none)
        #expect(log.isUnchanged(partition(1), since: log.now))
        log.note(.everything)
        #expect(!log.isUnchanged(partition(2), since: before))
        #expect(log.isUnchanged(partition(2), since: log.now))
    }

    @Test(
        "nothing counts as unchanged during a transaction of its process, and reads made meanwhile are outdated afterwards"
    )
    func ownChange() {
        var log = ChangeLog()
        log.begin(.partitions([partition(1)]))
        let during = log.now
        #expect(!log.isUnchanged(partition(1), since: during))
        #expect(log.isUnchanged(partition(2), since: during))
        log.end()
        #expect(!log.isUnchanged(partition(1), since: during))
        #expect(log.isUnchanged(partition(1), since: log.now))
        log.begin(.everything)
        #expect(!log.isUnchanged(partition(2), since: log.now))
        log.end()
        #expect(log.isUnchanged(partition(2), since: log.now))
    }

    @Test("forgotten partitions count as changed", arguments: [1, 100, ChangeLog.limit, ChangeLog.limit * 3])
    func bounded(step: Int) {
        var log = ChangeLog()
        let before = log.now
        var number = 0
        for _ in 0..<ChangeLog.limit * 2 / step + 1 {
            log.note(.partitions(Set((number..<number + step).map(partition))))
            number += step
        }
        #expect((0..<number).allSatisfy { !log.isUnchanged(partition($0), since: before) })
        #expect((0...number).allSatisfy { log.isUnchanged(partition($0), since: log.now) })
    }
}
