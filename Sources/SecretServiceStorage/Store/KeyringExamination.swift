// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// Compares the items that the keyring holds for a group with the list of items.
struct KeyringExamination {
    struct Kept {
        let item: KeyringItem
        let content: PartitionItem
        let byteCount: Int
        let isInPlace: Bool
    }

    /// The valid item of each partition that has one.
    private(set) var kept: [PartitionTag: Kept] = [:]
    /// The items that a repair deletes from the keyring, with the partition that their attributes name.
    private(set) var unusable: [(item: KeyringItem, location: PartitionTag?, byteCount: Int)] = []
    private(set) var findings: [KeyringFinding] = []
    /// The newest transaction found in the list, the items or the anchor.
    private(set) var newestSequence: UInt64

    /// Whether the keyring is ahead of the list.
    private(set) var isListBehind: Bool

    private let list: ItemList?
    private var foreign: [KeyringInventory.Entry] = []
    /// Partitions named by the attributes of an item that does not verify.
    private var damagedLocations: Set<PartitionTag> = []
    /// Partitions named by the attributes of an item whose content belongs to another one.
    private var takenLocations: Set<PartitionTag> = []

    /// Partitions whose records are all lost.
    var lost: Set<PartitionTag> {
        Set(findings.filter { $0.lostCount != 0 }.compactMap(\.partition)).subtracting(kept.keys)
    }

    /// `sequence` is that of a list that cannot be used.
    init(_ inventory: KeyringInventory, list: ItemList?, sequence: UInt64 = 0) {
        let contents = inventory.entries.compactMap(\.read?.partition)
        let newestItem = contents.map(\.sequence).max() ?? 0
        let listed = max(list?.sequence ?? 0, list?.pending?.sequence ?? 0)
        self.list = list
        isListBehind = list != nil && max(newestItem, inventory.anchor) > listed
        newestSequence = max(sequence, listed, newestItem, inventory.anchor)
        sort(inventory)
        let hasRemovedSince = inventory.anchor > listed
        let unaccounted = judgeListed(hasRemovedSince: hasRemovedSince)
        judgeUnlisted()
        if list == nil { findings.append(KeyringFinding(.unlisted)) }
        if isListBehind { findings.append(KeyringFinding(.listBehind, losing: unaccounted > 0 ? nil : 0)) }
    }

    /// Separates items that verify from the rest, and selects the valid one if a partition has several.
    private mutating func sort(_ inventory: KeyringInventory) {
        var claims: [PartitionTag: [(entry: KeyringInventory.Entry, content: PartitionItem)]] = [:]
        for entry in inventory.entries {
            if let read = entry.read, read.isForeign {
                foreign.append(entry)
            } else if let content = entry.read?.partition {
                claims[content.partition, default: []].append((entry, content))
            } else {
                if let location = entry.location { damagedLocations.insert(location) }
                drop(entry)
            }
        }
        for (tag, found) in claims.sorted(by: { $0.key < $1.key }) {
            for (entry, _) in found where entry.location != tag {
                findings.append(KeyringFinding(.misplaced, entry.location))
                if let location = entry.location { takenLocations.insert(location) }
                drop(entry)
            }
            let newest = found.max { left, right in
                let (older, newer) = (left.content, right.content)
                return (older.sequence, older.epoch, left.entry.location == tag ? 1 : 0)
                    < (newer.sequence, newer.epoch, right.entry.location == tag ? 1 : 0)
            }
            guard let newest, !newest.content.records.isEmpty else { continue }
            if isUnknown(newest.content) { isListBehind = true }
            if let problem = problem(of: newest.content) {
                findings.append(problem)
                for (entry, _) in found where entry.location == tag { drop(entry) }
                continue
            }
            kept[tag] = Kept(
                item: newest.entry.item,
                content: newest.content,
                byteCount: newest.entry.read?.byteCount ?? 0,
                isInPlace: newest.entry.location == tag
            )
        }
    }

    /// The reason why an item is invalid although it verifies.
    private func problem(of content: PartitionItem) -> KeyringFinding? {
        let tag = content.partition
        guard let list, !list.isPending(tag) else { return nil }
        if let row = list.rows[tag] {
            guard content.sequence < row.sequence else { return nil }
            return KeyringFinding(.older, tag, losing: Int(row.recordCount))
        }
        return content.sequence <= list.sequence && !isUnknown(content) ? KeyringFinding(.returned, tag) : nil
    }

    /// Whether the list never contained a partition, because an older list was restored and sequences continued from
    /// it.
    private func isUnknown(_ content: PartitionItem) -> Bool {
        guard let list, !list.isPending(content.partition), list.rows[content.partition] == nil else { return false }
        return !list.erasures.mayHaveErased(content.partition, writtenAt: content.sequence)
    }

    /// Finds partitions in the list that the keyring lacks.
    ///
    /// - Returns: the number of missing partitions that may or may not have been removed.
    private mutating func judgeListed(hasRemovedSince: Bool) -> Int {
        var unaccounted = 0
        let judged = Set(findings.filter { $0.kind == .older }.compactMap(\.partition))
        let foreignLocations = Set(foreign.compactMap(\.location))
        for (tag, row) in (list?.rows ?? [:]).sorted(by: { $0.key < $1.key })
        where kept[tag] == nil && !judged.contains(tag) && list?.isPending(tag) == false {
            let count = row == .unreadable ? nil : Int(row.recordCount)
            if damagedLocations.contains(tag) || takenLocations.contains(tag) || foreignLocations.contains(tag) {
                findings.append(KeyringFinding(.damaged, tag, losing: count))
            } else if hasRemovedSince {
                unaccounted += 1
            } else {
                findings.append(KeyringFinding(.missing, tag, losing: count))
            }
        }
        return unaccounted
    }

    /// Judges the remaining items, which have no row in the list, or a row that is inconclusive.
    private mutating func judgeUnlisted() {
        let rows = list?.rows ?? [:]
        for tag in damagedLocations.union(takenLocations).sorted() {
            if kept[tag] != nil {
                if damagedLocations.contains(tag) { findings.append(KeyringFinding(.damaged, tag)) }
            } else if let list, !list.isPending(tag) {
                if rows[tag] == nil, damagedLocations.contains(tag) { findings.append(KeyringFinding(.damaged, tag)) }
            } else {
                findings.append(KeyringFinding(.damaged, tag, losing: nil))
            }
        }
        var strangerCount = 0
        for entry in foreign {
            // Such an item prevents this group from writing to that partition.
            if let location = entry.location, kept[location] != nil || rows[location] != nil {
                drop(entry)
            } else {
                strangerCount += 1
            }
        }
        if strangerCount > 0 { findings.append(KeyringFinding(.foreign, itemCount: strangerCount)) }
    }

    private mutating func drop(_ entry: KeyringInventory.Entry) {
        unusable.append((entry.item, entry.location, entry.read?.byteCount ?? 0))
    }
}
