// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import GroupRecords
import RecordStorage
import Sealing
import UnifiedSchema

@testable import TokenCaching

/// A group in memory, for any number of caches, with a clock that stands still.
final class TestGroup: Sendable {
    static let client = "client-a"
    static let account = "uid.utid"
    static let accountID = Account.ID(account)

    let backing = MemoryBacking(epoch: 1)
    let unlockedKeys: UnlockedKeys
    let codec: RecordCodec
    let clock = TestClock()

    init() throws {
        unlockedKeys = try UnlockedKeys(try GroupKeys.generate())
        codec = RecordCodec(unlockedKeys: unlockedKeys)
    }

    /// A cache of its own, as another process would have.
    func cache(client: String = TestGroup.client, store: (any RecordStore)? = nil) throws -> TokenCache {
        try TokenCache(
            store: store ?? MemoryStore(backing),
            unlockedKeys: unlockedKeys,
            clientID: client,
            options: TokenCacheOptions(clock: clock.wallClock)
        )
    }

    /// The same, with its store.
    func watchedCache() throws -> (WatchedStore, TokenCache) {
        let store = WatchedStore(MemoryStore(backing))
        return (store, try cache(store: store))
    }

    /// Stores entries as an import would: each under the key given, or under one made up from its content.
    func put(_ entries: TestEntry...) throws {
        try put(entries)
    }

    func put(_ entries: [TestEntry]) throws { try MemoryStore(backing).put(entries, codec: codec) }

    func remove(_ entry: TestEntry, erasing: Bool = true) throws {
        let address = try codec.address(of: try entry.parsed().facts)
        try MemoryStore(backing).commit(until: .standard) { (_, batch) throws(StorageError) in
            try batch.remove(Removal(tag: address.tag, partition: address.partition, erasesSecret: erasing))
        }
    }

    func remove(_ entry: StoredTestEntry) throws {
        let address = try codec.address(of: entry.facts)
        try MemoryStore(backing).commit(until: .standard) { (_, batch) throws(StorageError) in
            try batch.remove(Removal(tag: address.tag, partition: address.partition, erasesSecret: true))
        }
    }

    /// The tokens of the entries of some kinds, in order.
    func secrets(_ isWanted: (EntryKind) -> Bool = { _ in true }) throws -> [String] {
        try entries().filter { isWanted($0.facts.kind) }.compactMap(\.token).sorted()
    }

    /// Every entry of the group, by section and key.
    func entries() throws -> [StoredTestEntry] {
        let store = MemoryStore(backing)
        var entries: [StoredTestEntry] = []
        for partition in try store.partitions() {
            let contents = try store.contents(of: partition.tag)
            let reader = try PartitionReader(contents, codec: codec)
            for (index, record) in reader.records.enumerated() where !record.kind.isInternalRecord {
                guard let facts = try reader.facts(index).content else { continue }
                var token: String?
                if let payload = try codec.openSecret(of: record, reader: contents.reader),
                    let location = try SecretPayload.token(in: payload.bytes)
                {
                    token = String(copying: payload.bytes.extracting(location.range))
                }
                entries.append(StoredTestEntry(facts: facts, token: token))
            }
        }
        return entries
    }
}

/// An entry as it is found in a store.
struct StoredTestEntry {
    let facts: EntryFacts
    let token: String?

    var fields: CredentialFields { CredentialFields(facts) }
    var key: String? { facts.key?.string }
}
