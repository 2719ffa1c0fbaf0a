// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupRecords
package import RecordStorage
package import UnifiedSchema

/// The results of instance discovery in the last day: an internal record, one for the group.
package struct StoredClouds: Hashable, Sendable {
    /// How long it is valid, in seconds.
    static let lifetime: Int64 = 24 * 3600
    /// The maximum number of clouds; beyond it the oldest are removed.
    static let limit = 64
    /// The maximum size: twice that of one discovery response.
    static let byteLimit = 2 * CloudMetadata.maximumByteCount

    private struct Entry: Hashable, Sendable {
        let cloud: Cloud
        let learnedAt: Int64

        func counts(at now: Int64) -> Bool { learnedAt <= now && now - learnedAt < StoredClouds.lifetime }
    }

    private var entries: [Entry] = []

    init() {}

    /// Decodes the plaintext of a facts box of ``InternalRecordKind/cloudMetadata``. Invalid clouds are omitted.
    package init(decoding bytes: [UInt8]) throws(StorageError) {
        let record = try InternalRecordFacts(decoding: bytes)
        guard let json = record[bytes: .clouds], let document = try? JSONValue(parsing: json.rawSpan) else { return }
        for element in document.elements {
            guard let learnedAt = element["learned_at"]?.seconds, let cloud = try? CloudMetadata.cloud(element) else {
                continue
            }
            entries.append(Entry(cloud: cloud, learnedAt: learnedAt))
        }
    }

    package func encoded() -> [UInt8] {
        var json: [UInt8] = []
        JSONValue.array(entries.map(Self.json)).write(to: &json)
        var record = InternalRecordFacts()
        record[bytes: .clouds] = json
        return record.encoded()
    }

    /// The clouds that are valid now.
    func clouds(at now: Int64) -> [Cloud] { entries.filter { $0.counts(at: now) }.map(\.cloud) }

    /// Whether all of these were recorded in the first half of their lifetime.
    func isFresh(_ clouds: [Cloud], at now: Int64) -> Bool {
        clouds.allSatisfy { cloud in
            entries.contains { $0.cloud == cloud && $0.counts(at: now) && now - $0.learnedAt < Self.lifetime / 2 }
        }
    }

    /// The record with newly learned clouds, which replace those with the same hosts, and without expired clouds.
    func adding(_ clouds: [Cloud], at now: Int64) -> StoredClouds {
        let news = Set(clouds.flatMap(\.hosts))
        var stored = StoredClouds()
        stored.entries = entries.filter { $0.counts(at: now) && news.isDisjoint(with: $0.cloud.hosts) }
        stored.entries += clouds.map { Entry(cloud: $0, learnedAt: now) }
        stored.entries = Array(stored.entries.suffix(Self.limit))
        while stored.encoded().count > Self.byteLimit { stored.entries.removeFirst() }
        return stored
    }

    private static func json(_ entry: Entry) -> JSONValue {
        .object([
            JSONValue.Member(name: "preferred_network", value: .string(entry.cloud.preferredNetworkHost)),
            JSONValue.Member(name: "preferred_cache", value: .string(entry.cloud.preferredCacheHost)),
            JSONValue.Member(name: "aliases", value: .array(entry.cloud.hosts.map { .string($0) })),
            JSONValue.Member(name: "learned_at", value: .number(UTF8Text(String(entry.learnedAt)))),
        ])
    }
}

extension CloudTable {
    /// Whether the table already contains all of these, and none of them has to be rejected.
    func knows(_ clouds: [Cloud]) -> Bool {
        !clouds.contains { isJoined(by: $0) } && learning(clouds).version == version
    }

    /// The table with the clouds learned by processes of the group, except those that would join two clouds.
    func learning(_ clouds: [Cloud]) -> CloudTable {
        var table = self
        for cloud in clouds where !table.isJoined(by: cloud) { table.learn(cloud) }
        return table
    }
}

extension RecordCodec {
    /// The clouds known to a process that has learned nothing except what is stored in the group.
    package func clouds(in store: any RecordStore, at now: Int64, until deadline: Deadline) throws(StorageError)
        -> CloudTable
    {
        CloudTable.builtIn.learning(try storedClouds(in: store, until: deadline).clouds(at: now))
    }

    /// The clouds stored in the group's partition.
    func storedClouds(in store: any RecordStore, until deadline: Deadline) throws(StorageError) -> StoredClouds {
        let contents = try store.contents(of: try groupPartition(), until: deadline)
        return try PartitionEntries(contents, codec: self, where: \.isCloudMetadata).storedClouds
    }
}
