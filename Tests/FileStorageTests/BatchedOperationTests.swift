// SPDX-License-Identifier: Apache-2.0

import RecordStorage
import Testing

@testable import FileStorage

@Suite("Operations of a transaction")
struct BatchedOperationTests {
    @Test("of several on one record the last one counts, however many there are", arguments: [1, 15, 16, 17, 40])
    func lastCounts(count: UInt64) {
        var operations = BatchedOperations()
        for version in 0..<2 as Range<UInt64> {
            for number in 0..<count {
                operations.put(Boxes.record(number, in: number % 3, version: version, facts: 100, secret: 50))
            }
        }
        #expect(operations.items.count == Int(count))
        #expect(operations.byteCount == Int(count) * 150)
        for (number, item) in zip(0..<count, operations.items) {
            guard case .put(let record) = item else {
                Issue.record("a record is gone")
                continue
            }
            #expect(record.facts == Boxes.record(number, in: 0, version: 1, facts: 100).facts)
        }
        operations.remove(Removal(tag: Boxes.tag(0), partition: Boxes.partition(0), erasesSecret: true))
        #expect(operations.items.count == Int(count))
        #expect(operations.byteCount == Int(count - 1) * 150)
    }

    @Test("the same tag in another partition is another record, so the partition is ambiguous")
    func partitions() {
        var operations = BatchedOperations()
        #expect(operations.onlyPartition == nil)
        operations.put(Boxes.record(1, in: 1))
        #expect(operations.onlyPartition == Boxes.partition(1))
        operations.put(Boxes.record(1, in: 2))
        #expect(operations.items.count == 2)
        #expect(operations.onlyPartition == nil)
    }
}
