// SPDX-License-Identifier: Apache-2.0

internal import GroupDirectory
internal import RecordStorage

/// One partition at one moment: its block in the snapshot and the changes by frames.
struct PartitionView: Sendable {
    let generation: Generation
    let partition: PartitionTag
    let changed: Overlay.Partition?
    let hidesSnapshot: Bool

    /// The records in ascending order of tag, and the block that contains some of them, if any.
    struct Content: Sendable {
        let records: [JournalRecord]
        let block: PartitionBlock?
    }

    func read() throws(StorageError) -> Content {
        let block = try block()
        return Content(records: Self.merge(block?.records ?? [], changed), block: block)
    }

    /// Applies the changes of frames to the records of a block.
    static func merge(_ records: [JournalRecord], _ changed: Overlay.Partition?) -> [JournalRecord] {
        guard let changed else { return records }
        var merged: [JournalRecord] = []
        merged.reserveCapacity(records.count + changed.records.count)
        for record in records where changed.records[record.stored.tag] == nil { merged.append(record) }
        for case .some(let record) in changed.records.values { merged.append(record) }
        merged.sort { $0.stored.tag < $1.stored.tag }
        return merged
    }

    /// The block in the snapshot.
    func block() throws(StorageError) -> PartitionBlock? {
        guard !hidesSnapshot, let row = generation.index.row(of: partition) else { return nil }
        let location = generation.index[row]
        if let known = generation.recentBlocks.block(at: location.blockOffset) { return known }
        do throws(StorageError) {
            let block = try PartitionBlock(location, of: generation)
            generation.recentBlocks.keep(block)
            return block
        } catch {
            throw error.at(generation.file.path)
        }
    }

    /// The records with their sealed facts, except known ones. Takes one system call for each run of facts in frames.
    func contents(_ content: Content, isKnown: (StoredRecord) -> Bool) -> PartitionContents {
        let (records, block) = (content.records, content.block)
        var facts = [[UInt8]?](repeatElement(nil, count: records.count))
        var scattered: [Int] = []
        for number in records.indices where !isKnown(records[number].stored) {
            if let block, block.contains(records[number].stored.facts) {
                facts[number] = block.facts(of: records[number])
            } else {
                if scattered.isEmpty { scattered.reserveCapacity(records.count - number) }
                scattered.append(number)
            }
        }
        if scattered.count > 1 { scattered.sort { records[$0].stored.facts.offset < records[$1].stored.facts.offset } }
        var rest = scattered[...]
        while let first = rest.first {
            // The boxes of one frame are adjacent, so read a run of them at once.
            let start = records[first].stored.facts.offset
            var end = start
            let run = rest.prefix { number in
                let location = records[number].stored.facts
                let next = location.offset + UInt64(location.length)
                guard number == first || location.offset <= end + 4096 && next <= start + (1 << 20) else {
                    return false
                }
                end = max(end, next)
                return true
            }
            rest = rest[run.endIndex...]
            // Report an unreadable box as missing, so that the other records remain usable.
            guard let bytes = try? generation.file.read(at: start, count: Int(end - start)) else { continue }
            for number in run {
                let from = Int(records[number].stored.facts.offset - start)
                let to = from + Int(records[number].stored.facts.length)
                if to <= bytes.count { facts[number] = Array(bytes[from..<to]) }
            }
        }
        return PartitionContents(records: records.map(\.stored), facts: facts, reader: generation)
    }
}
