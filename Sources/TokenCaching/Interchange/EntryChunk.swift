internal import RecordStorage
internal import Sealing
internal import UnifiedSchema

/// Entries on their way from the thread that reads to whoever seals, their secrets side by side in secret memory.
final class EntryChunk: @unchecked Sendable {
    // SAFETY: one thread has it at a time; it changes hands through a HandOver.
    private static let capacity = 256 << 10
    private static let maximumCount = 256
    /// Facts are short, as a rule; a document may have others.
    private static let maximumFactsByteCount = 1 << 20

    /// What is to be sealed, or removed.
    struct Item {
        let content: Content
        /// Where its payload lies, padded; empty where it has none.
        let payload: Range<Int>
    }

    /// An entry, one of the engine's own records, or nothing where a record is to go.
    enum Content {
        /// Without an address where that is to be found when it is sealed.
        case entry(EntryFacts, RecordAddress?)
        case own([UInt8], RecordKind, RecordAddress)
        case removed(RecordAddress)
    }

    /// What becomes of an item.
    enum Operation {
        case put(NewRecord)
        case remove(Removal)
    }

    private(set) var items: [Item] = []
    /// The same once it is sealed, to be put in this order.
    var operations: [Operation] = []
    private var memory: SecretBytes
    private var count = 0
    private var factsByteCount = 0

    init() throws(StorageError) {
        memory = try sealing { () throws(SealingError) in try SecretBytes(byteCount: Self.capacity) }
    }

    /// Boxes that its items are sealed into.
    var boxCount: Int {
        items.reduce(0) { count, item in
            if case .removed = item.content { count } else { count + (item.payload.isEmpty ? 1 : 2) }
        }
    }

    /// Whether an entry with such a payload goes in. An empty chunk takes any.
    func hasRoom(for payload: RawSpan) -> Bool {
        items.isEmpty
            || items.count < Self.maximumCount && factsByteCount < Self.maximumFactsByteCount
                && Self.paddedByteCount(payload) <= memory.byteCount - count
    }

    func append(_ content: Content, payload: RawSpan = RawSpan()) throws(StorageError) {
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
        factsByteCount += content.factsByteCount
        items.append(Item(content: content, payload: range))
    }

    private static func paddedByteCount(_ payload: RawSpan) -> Int {
        if payload.isEmpty { return 0 }
        return Padding.paddedByteCount(payload.byteCount, bucket: BoxRole.secret.bucketByteCount)
    }

    /// Hands the number and the content of every item to `body`, with its padded payload.
    func forEach(_ body: (Int, Content, RawSpan) throws(StorageError) -> Void) throws(StorageError) {
        try memory.withBytes { (bytes) throws(StorageError) in
            for (number, item) in items.enumerated() {
                try body(number, item.content, bytes.extracting(item.payload))
            }
        }
    }

    /// Empties it for its next use.
    func reset() {
        items.removeAll(keepingCapacity: true)
        operations.removeAll(keepingCapacity: true)
        count = 0
        factsByteCount = 0
    }
}

extension EntryChunk.Content {
    fileprivate var factsByteCount: Int {
        switch self {
        case .entry(let facts, _): facts.encodedBytes.byteCount
        case .own(let bytes, _, _): bytes.count
        case .removed: 0
        }
    }
}
