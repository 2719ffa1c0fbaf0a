internal import RecordStorage

/// What the keyring has of a group, held against the list of what it is to have.
struct KeyringExamination {
    struct Kept {
        let item: KeyringItem
        let content: PartitionItem
        let byteCount: Int
        let isInPlace: Bool
    }

    /// The item that counts, of each partition that has one.
    private(set) var kept: [PartitionTag: Kept] = [:]
    /// What a repair takes out of the keyring, with the places where it lies.
    private(set) var unusable: [(item: KeyringItem, location: PartitionTag?, byteCount: Int)] = []
    private(set) var findings: [KeyringFinding] = []
    /// The newest transaction that anything tells of.
    private(set) var newestSequence: UInt64

    /// Whether the keyring has come further than the list.
    private(set) var isListBehind: Bool

    private let list: ItemList?
    private var foreign: [KeyringInventory.Entry] = []
    /// Places of items that do not verify.
    private var spoiltLocations: Set<PartitionTag> = []
    /// Places of items that belong elsewhere.
    private var takenLocations: Set<PartitionTag> = []

    /// Partitions of which everything is lost.
    var lost: Set<PartitionTag> {
        Set(findings.filter { $0.lostCount != 0 }.compactMap(\.partition)).subtracting(kept.keys)
    }

    var isDamaged: Bool { findings.contains(where: \.isDamage) }

    /// `sequence`: what a list said that cannot be used.
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

    /// Tells what verifies from the rest, and settles which of several items of a partition counts.
    private mutating func sort(_ inventory: KeyringInventory) {
        var claims: [PartitionTag: [(entry: KeyringInventory.Entry, content: PartitionItem)]] = [:]
        for entry in inventory.entries {
            if let read = entry.read, read.isForeign {
                foreign.append(entry)
            } else if let content = entry.read?.partition {
                claims[content.partition, default: []].append((entry, content))
            } else {
                if let location = entry.location { spoiltLocations.insert(location) }
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

    /// Why an item that verifies does not count.
    private func problem(of content: PartitionItem) -> KeyringFinding? {
        let tag = content.partition
        guard let list, !list.isPending(tag) else { return nil }
        if let row = list.rows[tag] {
            guard content.sequence < row.sequence else { return nil }
            return KeyringFinding(.older, tag, losing: Int(row.recordCount))
        }
        return content.sequence <= list.sequence && !isUnknown(content) ? KeyringFinding(.returned, tag) : nil
    }

    /// Whether the list never knew of a partition: somebody put an older one back, from which the numbers went on.
    private func isUnknown(_ content: PartitionItem) -> Bool {
        guard let list, !list.isPending(content.partition), list.rows[content.partition] == nil else { return false }
        return !list.erasures.mayHold(content.partition, writtenAt: content.sequence)
    }

    /// Looks for what the list has and the keyring has not.
    ///
    /// - Returns: how many partitions are not there of which nobody can tell whether they were removed.
    private mutating func judgeListed(hasRemovedSince: Bool) -> Int {
        var unaccounted = 0
        let judged = Set(findings.filter { $0.kind == .older }.compactMap(\.partition))
        let foreignLocations = Set(foreign.compactMap(\.location))
        for (tag, row) in (list?.rows ?? [:]).sorted(by: { $0.key < $1.key })
        where kept[tag] == nil && !judged.contains(tag) && list?.isPending(tag) == false {
            let count = row == .unreadable ? nil : Int(row.recordCount)
            if spoiltLocations.contains(tag) || takenLocations.contains(tag) || foreignLocations.contains(tag) {
                findings.append(KeyringFinding(.damaged, tag, losing: count))
            } else if hasRemovedSince {
                unaccounted += 1
            } else {
                findings.append(KeyringFinding(.missing, tag, losing: count))
            }
        }
        return unaccounted
    }

    /// Looks at what lies where the list has nothing, or where it cannot tell.
    private mutating func judgeUnlisted() {
        let rows = list?.rows ?? [:]
        for tag in spoiltLocations.union(takenLocations).sorted() {
            if kept[tag] != nil {
                if spoiltLocations.contains(tag) { findings.append(KeyringFinding(.damaged, tag)) }
            } else if let list, !list.isPending(tag) {
                if rows[tag] == nil, spoiltLocations.contains(tag) { findings.append(KeyringFinding(.damaged, tag)) }
            } else {
                findings.append(KeyringFinding(.damaged, tag, losing: nil))
            }
        }
        var strangerCount = 0
        for entry in foreign {
            // Nothing of this group can be written where it lies.
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
