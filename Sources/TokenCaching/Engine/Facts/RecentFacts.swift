internal import RecordStorage
internal import Synchronization

/// The facts that were opened last: whoever saves what a renewal brought has just looked the account up.
///
/// A version of a record never changes, and its place in its file is nobody else's. So what was opened and verified once is
/// not opened again as long as the store says that this version is the one that counts, and lies where it lay. Safe from
/// any thread; the mutex is held for searches in memory only.
final class RecentFacts: Sendable {
    private let kept = Mutex(Kept())

    /// Few: an app has few accounts, a service renews for one of many right after it looked it up.
    private static let largestPartitionCount = 16
    /// Partitions that hold more are opened each time.
    private static let largestRecordCount = 64
    private static let largestByteCount = 64 << 10

    private struct Kept: Sendable {
        /// The one used last comes last.
        var partitions: [Partition] = []
        /// How often everything was forgotten.
        var generation: UInt64 = 0
    }

    /// What is kept of one partition.
    struct Partition: Sendable {
        let tag: PartitionTag
        /// What the records came with.
        let reader: any BoxReader
        /// In ascending order of tag.
        let facts: [OpenedFacts]

        /// What was opened of this very version of a record.
        func facts(of record: StoredRecord) -> OpenedFacts? {
            let found = facts.firstIndex { $0.record.tag >= record.tag }
            return found.flatMap { facts[$0].record == record ? facts[$0] : nil }
        }
    }

    /// What is kept of a partition.
    func partition(_ tag: PartitionTag) -> Partition? {
        kept.withLock { kept in
            guard let index = kept.partitions.lastIndex(where: { $0.tag == tag }) else { return nil }
            let found = kept.partitions[index]
            if index < kept.partitions.count - 1 { kept.partitions.append(kept.partitions.remove(at: index)) }
            return found
        }
    }

    /// What has to be noted before a partition is read whose facts are to be kept.
    var generation: UInt64 { kept.withLock { $0.generation } }

    /// Keeps what was opened of a partition, in ascending order of tag, beside what is kept of its other records. Keeps
    /// nothing of what was read before everything was forgotten: its file may be gone.
    func keep(
        _ opened: [OpenedFacts],
        of tag: PartitionTag,
        in contents: PartitionContents,
        readIn generation: UInt64
    ) {
        guard !opened.isEmpty else { return }
        let isSmall =
            contents.records.count <= Self.largestRecordCount
            && contents.records.reduce(0) { $0 + Int($1.facts.length) } <= Self.largestByteCount
        kept.withLock { kept in
            guard kept.generation == generation else { return }
            var facts = opened
            if let index = kept.partitions.lastIndex(where: { $0.tag == tag }) {
                let old = kept.partitions.remove(at: index)
                if isSmall, old.reader === contents.reader {
                    let new = Partition(tag: tag, reader: contents.reader, facts: opened)
                    facts = contents.records.compactMap { new.facts(of: $0) ?? old.facts(of: $0) }
                }
            } else if isSmall, kept.partitions.count == Self.largestPartitionCount {
                kept.partitions.removeFirst()
            }
            if isSmall { kept.partitions.append(Partition(tag: tag, reader: contents.reader, facts: facts)) }
        }
    }

    /// Forgets everything: nothing keeps a file open that was replaced.
    func forget() {
        kept.withLock { kept in
            kept.partitions.removeAll()
            kept.generation &+= 1
        }
    }
}
