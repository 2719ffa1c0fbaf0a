import RecordStorage
import Synchronization
import Testing

@testable import FileStorage

@Suite("What a transaction has read")
struct TransactionReadTests {
    @Test("is kept for its frame as far as that is little, and is gone with it")
    func bounded() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write((0..<40).map { Boxes.record($0, in: $0) })
        try store.commit(until: .standard) { _, batch throws(StorageError) in
            for number in 0..<40 as Range<UInt64> { _ = try store.contents(of: Boxes.partition(number)) }
            #expect((1...16).contains(store.core.withLock { $0.readByTransaction.count }))
            try batch.put(Boxes.record(1, in: 1, version: 1))
        }
        #expect(store.core.withLock { $0.readByTransaction.isEmpty })
        _ = try store.contents(of: Boxes.partition(2))
        #expect(store.core.withLock { $0.readByTransaction.isEmpty })
    }
}
