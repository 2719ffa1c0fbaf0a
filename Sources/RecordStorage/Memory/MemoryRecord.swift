/// One version of a record in memory.
struct MemoryRecord: Sendable {
    let stored: StoredRecord
    let facts: [UInt8]
    let secret: MemoryBox?
    let searchTags: [SearchTag]
}
