// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// The effect of the readable transactions after a snapshot on each record that they changed.
struct SalvagedChanges {
    enum Version {
        case kept(JournalRecord)
        case removed
        /// The newest version cannot be read. An older one must not replace it.
        case lost
    }

    private(set) var partitions: [PartitionTag: [RecordTag: Version]] = [:]
    /// Whether a transaction removed everything, which invalidates the snapshot.
    private(set) var hidesSnapshot = false
    /// Partitions whose account was removed, with all records that do not outlive a removal.
    private(set) var emptied: Set<PartitionTag> = []
    /// The locations of secrets that transactions erased, including those named only by unauthenticated rows.
    private(set) var removedLocations: Set<BoxLocation> = []
    /// The newest transaction that, according to a tombstone, removed all or part of a partition at the user's request.
    private(set) var removals: [PartitionTag: UInt64] = [:]
    /// Records that cannot be read.
    private(set) var lost: Set<LostRecord> = []
    /// The maximum number of lost records besides those whose newest version is known to be lost; nil if unknown.
    private(set) var largestUnknownCount: Int? = 0

    /// Applies a transaction whose head verifies.
    mutating func apply(_ frame: JournalFrame) {
        var facts = frame.factsOffset
        var secret = frame.secretsOffset
        for operation in frame.head.operations {
            switch operation {
            case .put(let put):
                let secretLocation =
                    put.secretByteCount == 0 ? .none : BoxLocation(offset: secret, length: put.secretByteCount)
                let stored = StoredRecord(
                    tag: put.tag,
                    kind: put.kind,
                    sequence: frame.lead.sequence,
                    facts: BoxLocation(offset: facts, length: put.factsByteCount),
                    secret: secretLocation
                )
                let record = JournalRecord(
                    stored: stored,
                    factsHash: put.factsHash,
                    secretHash: put.secretHash,
                    searchTags: put.searchTags
                )
                partitions[put.partition, default: [:]][put.tag] = .kept(record)
                facts += UInt64(put.factsByteCount)
                secret += UInt64(put.secretByteCount)
            case .remove(let remove):
                partitions[remove.partition, default: [:]][remove.tag] = .removed
                if remove.erasesSecret { removedLocations.formUnion(remove.locations) }
            case .removeAll: removeAll()
            }
        }
    }

    /// Applies the remains of a transaction whose head does not verify: tombstones and removals first.
    mutating func apply(_ frame: SalvagedFrame, outlivesRemoval: (RecordKind) -> Bool) {
        if frame.removesAll { removeAll() }
        for found in frame.records {
            switch found.removal {
            case .group?, nil: break
            case .account?:
                empty(found.partition, outlivesRemoval)
                removals[found.partition] = frame.sequence
            case .signOut?: removals[found.partition] = frame.sequence
            }
        }
        for remove in frame.claims.removes {
            partitions[remove.partition, default: [:]][remove.tag] = .removed
            if remove.erasesSecret { removedLocations.formUnion(remove.locations) }
        }
        for put in frame.lostPuts { partitions[put.partition, default: [:]][put.tag] = .lost }
        for found in frame.records {
            partitions[found.partition, default: [:]][found.record.stored.tag] =
                found.isWhole ? .kept(found.record) : .lost
        }
    }

    /// Records a loss, described as far as it is known.
    mutating func lose(_ record: LostRecord) { lost.insert(record) }

    /// Records the loss of up to `count` records; nil for any number.
    mutating func loseAtMost(_ count: Int?) {
        largestUnknownCount = largestUnknownCount.flatMap { known in count.map { known + $0 } }
    }

    /// The kept records of a partition, and the tags of lost ones. `block` contains the snapshot's records.
    func records(
        of partition: PartitionTag,
        over block: [JournalRecord],
        outlivesRemoval: (RecordKind) -> Bool
    ) -> (kept: [JournalRecord], lostTags: [RecordTag]) {
        let changed = partitions[partition] ?? [:]
        let isEmptied = emptied.contains(partition)
        var kept = block.filter {
            changed[$0.stored.tag] == nil && !(isEmptied && !outlivesRemoval($0.stored.kind))
        }
        var lostTags: [RecordTag] = []
        for (tag, version) in changed {
            switch version {
            case .kept(let record): kept.append(record)
            case .removed: break
            case .lost: lostTags.append(tag)
            }
        }
        kept.sort { $0.stored.tag < $1.stored.tag }
        return (kept, lostTags)
    }

    /// Whether a transaction whose own row is lost removed the record's secret.
    func isRemoved(_ record: JournalRecord, in partition: PartitionTag, isErased: Bool) -> Bool {
        if removedLocations.contains(record.stored.secret) { return true }
        return isErased && record.stored.sequence < removals[partition] ?? 0
    }

    private mutating func removeAll() {
        self = SalvagedChanges()
        hidesSnapshot = true
    }

    private mutating func empty(_ partition: PartitionTag, _ outlivesRemoval: (RecordKind) -> Bool) {
        emptied.insert(partition)
        for (tag, version) in partitions[partition] ?? [:] {
            if case .kept(let record) = version, !outlivesRemoval(record.stored.kind) {
                partitions[partition, default: [:]][tag] = .removed
            }
        }
    }
}
