// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import TokenCaching
internal import UnifiedSchema

/// Resolves conflicts between entries of several partitions that have the same key in one section, because a document
/// can contain a key only once.
///
/// If only one of them is known and the others are opaque, the opaque ones are older states of it and are omitted.
/// Several known ones are different entries, such as tokens of two accounts whose documents used uninformative keys:
/// the one committed last keeps the key, the others get keys computed from their own members. Of two accounts at issuers, the
/// one that was written first keeps the keys.
struct KeyCollisions {
    private var superseded: [PartitionTag: Set<RecordTag>] = [:]
    private var newKeys: [PartitionTag: [RecordTag: UTF8Text]] = [:]

    private struct Rival {
        let record: StoredRecord
        let partition: PartitionTag

        var hasMeaning: Bool { record.kind != RecordCodec.kind(.opaque) }

        func prevails(over other: Rival) -> Bool {
            hasMeaning == other.hasMeaning ? record.sequence > other.record.sequence : hasMeaning
        }
    }

    init() {}

    init(
        of keys: inout KeyCensus,
        in partitions: [PartitionTag],
        store: any RecordStore,
        codec: RecordCodec,
        until deadline: Deadline
    ) throws(StorageError) {
        var winners: [RecordTag: Rival] = [:]
        var others: [Rival] = []
        for partition in partitions {
            for record in try store.contents(of: partition, until: deadline).records
            where keys.repeated.contains(record.tag) && record.isWritable {
                let rival = Rival(record: record, partition: partition)
                guard let winner = winners[record.tag] else {
                    winners[record.tag] = rival
                    continue
                }
                others.append(rival.prevails(over: winner) ? winner : rival)
                if rival.prevails(over: winner) { winners[record.tag] = rival }
            }
        }
        for rival in others {
            if rival.hasMeaning,
                let key = try KeyCollisions.freeKey(
                    for: rival,
                    keys: &keys,
                    store: store,
                    codec: codec,
                    until: deadline
                )
            {
                newKeys[rival.partition, default: [:]][rival.record.tag] = key
            } else {
                superseded[rival.partition, default: []].insert(rival.record.tag)
            }
        }
    }

    func isSuperseded(_ tag: RecordTag, in partition: PartitionTag) -> Bool {
        !superseded.isEmpty && superseded[partition]?.contains(tag) == true
    }

    func newKey(of tag: RecordTag, in partition: PartitionTag) -> UTF8Text? {
        newKeys.isEmpty ? nil : newKeys[partition]?[tag]
    }

    /// Gives the entries of an account at an issuer keys that no entry before them has: the issuer's hash is appended. Two
    /// issuers on one host may have the same subjects.
    mutating func addAccountAtIssuer(
        _ partition: PartitionTag,
        _ contents: PartitionContents,
        codec: RecordCodec,
        keys: inout KeyCensus
    ) throws(StorageError) {
        let reader = try PartitionReader(contents, codec: codec)
        for (index, record) in contents.records.enumerated() where record.isWritable {
            guard let facts = try reader.facts(index).content, let own = facts.key else { continue }
            if try keys.claim(codec.tag(ofKeyOf: facts)) { continue }
            let issuer =
                facts.text(.issuer).flatMap(HomeAccountID.named).map { "-" + HomeAccountID.keyPart(ofIssuer: $0) } ?? ""
            var key = UTF8Text(own.string + issuer)
            var number = 1
            while try !keys.claim(codec.tag(ofKeyOf: facts.under(key))) {
                number += 1
                key = UTF8Text("\(own.string)\(issuer)-\(number)")
            }
            newKeys[partition, default: [:]][record.tag] = key
        }
    }

    /// A key that no other entry has; nil if the entry cannot be read.
    private static func freeKey(
        for rival: Rival,
        keys: inout KeyCensus,
        store: any RecordStore,
        codec: RecordCodec,
        until deadline: Deadline
    ) throws(StorageError) -> UTF8Text? {
        let contents = try store.contents(of: rival.partition, until: deadline)
        guard let index = contents.records.firstIndex(where: { $0.tag == rival.record.tag }),
            let facts = try PartitionReader(contents, codec: codec).facts(index).content
        else { return nil }
        let own = (facts.ownKey ?? facts.key)?.string ?? ""
        var key = UTF8Text(own)
        var number = 1
        while !keys.claim(try codec.address(of: facts.under(key)).tag) {
            number += 1
            key = UTF8Text("\(own)-\(number)")
        }
        return key
    }
}

extension StoredRecord {
    /// Whether it is an entry that an export may write.
    var isWritable: Bool { kind.entryKind != nil }
}

/// Finds keys, by the tags of their records, that entries of several partitions share.
struct KeyCensus {
    /// The first halves of all tags, to save memory.
    private var seen: Set<UInt64> = []
    /// Tags that may have occurred before.
    private(set) var repeated: Set<RecordTag> = []

    mutating func count(_ tag: RecordTag) {
        if !seen.insert(tag.first).inserted { repeated.insert(tag) }
    }

    /// Claims a tag; false if an entry may already have it.
    mutating func claim(_ tag: RecordTag) -> Bool { seen.insert(tag.first).inserted }
}
