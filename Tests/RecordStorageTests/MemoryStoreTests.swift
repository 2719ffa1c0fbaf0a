// SPDX-License-Identifier: Apache-2.0

import RecordStorage
import Testing

@Suite("Memory store")
struct MemoryStoreTests {
    @Test("handles on one backing see each other's commits")
    func sharedBacking() throws {
        let backing = MemoryBacking(epoch: 7)
        let writer = MemoryStore(backing)
        let reader = MemoryStore(backing)
        let partition = PartitionTag(first: 1, second: 2)
        let word = reader.revision.load()
        let sequence = try writer.commit(until: .standard) { context, batch throws(StorageError) in
            #expect(context.epoch == 7)
            let record = NewRecord(
                tag: RecordTag(first: 3, second: 4),
                partition: partition,
                kind: RecordKind(rawValue: 1),
                facts: [1, 2, 3],
                secret: [4, 5]
            )
            try batch.put(record)
        }
        #expect(sequence == 1)
        #expect(reader.revision.load() != word)
        #expect(try reader.contents(of: partition).records.isEmpty)
        #expect(try reader.refresh(until: .standard) == .partitions([partition]))
        #expect(try reader.contents(of: partition).facts == [[1, 2, 3]])
    }

    @Test("handles on different backings see nothing of each other")
    func apart() throws {
        let first = MemoryStore()
        let second = MemoryStore()
        try first.commit(until: .standard) { _, batch throws(StorageError) in try batch.removeAll() }
        #expect(try second.refresh(until: .standard) == .none)
    }
}
