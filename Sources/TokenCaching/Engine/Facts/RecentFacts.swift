internal import RecordStorage
internal import Synchronization

/// The facts that were opened last: whoever saves what a renewal brought has just looked the account up.
///
/// A version of a record never changes, and its place in its file is nobody else's. So what was opened and verified once is
/// not opened again as long as the store says that this version is the one that counts, and lies where it lay. Safe from
/// any thread; the mutex is held for searches in memory only.
final class RecentFacts: Sendable {
    private let partitions = Mutex<[Partition]>([])

    /// Some kilobytes for each: an app has few accounts, a service renews for one of many right after it looked it up.
    private static let largestPartitionCount = 16
    private static let largestRecordCount = 64

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
        partitions.withLock { partitions in
            guard let index = partitions.lastIndex(where: { $0.tag == tag }) else { return nil }
            let found = partitions[index]
            if index < partitions.count - 1 { partitions.append(partitions.remove(at: index)) }
            return found
        }
    }

    /// Keeps what was opened of a partition, in ascending order of tag, beside what is kept of its other records.
    func keep(_ opened: [OpenedFacts], of tag: PartitionTag, in contents: PartitionContents) {
        guard !opened.isEmpty, contents.records.count <= Self.largestRecordCount else { return }
        partitions.withLock { partitions in
            var facts = opened
            if let index = partitions.lastIndex(where: { $0.tag == tag }) {
                let old = partitions.remove(at: index)
                if old.reader === contents.reader {
                    let new = Partition(tag: tag, reader: contents.reader, facts: opened)
                    facts = contents.records.compactMap { new.facts(of: $0) ?? old.facts(of: $0) }
                }
            } else if partitions.count == Self.largestPartitionCount {
                partitions.removeFirst()
            }
            partitions.append(Partition(tag: tag, reader: contents.reader, facts: facts))
        }
    }

    /// Forgets everything: nothing keeps a file open that was replaced.
    func forget() {
        partitions.withLock { $0.removeAll() }
    }
}
