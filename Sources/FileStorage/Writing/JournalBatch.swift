internal import RecordStorage

/// Takes the operations of a transaction in memory.
final class JournalBatch: BatchWriter {
    /// One operation; of several on one record the last one counts.
    enum Item {
        case put(NewRecord)
        case remove(Removal)
    }

    private struct Key: Hashable {
        var tag: RecordTag
        var partition: PartitionTag
    }

    private(set) var items: [Item] = []
    private var positions: [Key: Int] = [:]
    private(set) var removesAll = false
    private(set) var byteCount = 0

    var isEmpty: Bool { items.isEmpty && !removesAll }

    /// Whether somebody asked for secrets to be overwritten.
    var removesSomething: Bool {
        removesAll || items.contains { if case .remove(let removal) = $0 { removal.erasesSecret } else { false } }
    }

    func put(_ record: NewRecord) throws(StorageError) {
        try Self.check(record)
        byteCount += record.facts.count + record.secret.count
        set(.put(record), Key(tag: record.tag, partition: record.partition))
    }

    func remove(_ removal: Removal) throws(StorageError) {
        set(.remove(removal), Key(tag: removal.tag, partition: removal.partition))
    }

    func removeAll() throws(StorageError) {
        removesAll = true
    }

    private func set(_ item: Item, _ key: Key) {
        if let position = positions[key] {
            if case .put(let old) = items[position] { byteCount -= old.facts.count + old.secret.count }
            items[position] = item
        } else {
            positions[key] = items.count
            items.append(item)
        }
    }

    /// - Throws: ``StorageError/Code/tooLarge``.
    static func check(_ record: NewRecord) throws(StorageError) {
        guard record.facts.count <= JournalFormat.largestBoxByteCount,
            record.secret.count <= JournalFormat.largestBoxByteCount,
            record.searchTags.count <= Int(UInt8.max)
        else { throw StorageError(.tooLarge, detail: "a record of \(record.facts.count + record.secret.count) bytes") }
    }
}
