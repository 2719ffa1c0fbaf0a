internal import RecordStorage
internal import Sealing
internal import UnifiedSchema

/// Entries on their way from the thread that reads to the one that seals, their secrets side by side in secret memory.
final class EntryChunk: @unchecked Sendable {
    // SAFETY: one thread has it at a time; it changes hands through a HandOver.
    private static let capacity = 256 << 10
    private static let maximumCount = 256

    /// What is to be sealed, or removed.
    struct Item {
        let facts: Facts
        let address: RecordAddress
        /// Where its payload lies, padded; empty where it has none.
        let payload: Range<Int>
    }

    /// An entry, one of the engine's own records, or nothing where a record is to go.
    enum Facts {
        case entry(EntryFacts)
        case own([UInt8], RecordKind)
        case removed
    }

    private(set) var items: [Item] = []
    private var memory: SecretBytes
    private var count = 0

    init() throws(StorageError) {
        memory = try sealing { () throws(SealingError) in try SecretBytes(byteCount: Self.capacity) }
    }

    /// Boxes that its items are sealed into.
    var boxCount: Int {
        items.reduce(0) { count, item in
            if case .removed = item.facts { count } else { count + (item.payload.isEmpty ? 1 : 2) }
        }
    }

    /// Whether an entry with such a payload goes in. An empty chunk takes any.
    func hasRoom(for payload: RawSpan) -> Bool {
        items.isEmpty || items.count < Self.maximumCount && Self.paddedByteCount(payload) <= memory.byteCount - count
    }

    func append(_ facts: Facts, payload: RawSpan, at address: RecordAddress) throws(StorageError) {
        let byteCount = Self.paddedByteCount(payload)
        if byteCount > memory.byteCount - count {
            precondition(items.isEmpty, "a chunk grows only for its first entry")
            memory = try sealing { () throws(SealingError) in try SecretBytes(byteCount: byteCount) }
        }
        let range = count..<count + byteCount
        if byteCount > 0 {
            var room = memory.mutablePrefix(range.upperBound)
            room.copy(payload, to: range.lowerBound)
            Padding.pad(&room, from: range.lowerBound + payload.byteCount)
        }
        count = range.upperBound
        items.append(Item(facts: facts, address: address, payload: range))
    }

    private static func paddedByteCount(_ payload: RawSpan) -> Int {
        if payload.isEmpty { return 0 }
        return Padding.paddedByteCount(payload.byteCount, bucket: BoxRole.secret.bucketByteCount)
    }

    /// Hands every item with its padded payload to `body`.
    func forEach(_ body: (Item, RawSpan) throws(StorageError) -> Void) throws(StorageError) {
        try memory.withBytes { (bytes) throws(StorageError) in
            for item in items { try body(item, bytes.extracting(item.payload)) }
        }
    }

    /// Empties it for its next use.
    func reset() {
        items.removeAll(keepingCapacity: true)
        count = 0
    }
}
