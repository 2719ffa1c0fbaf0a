// SPDX-License-Identifier: Apache-2.0

import RecordStorage
import StoreConformance
import Testing

@Suite("Memory store, as every store")
struct MemoryConformanceTests {
    @Test("passes the conformance suite of stores", arguments: ConformanceCase.all)
    func conforms(_ testCase: ConformanceCase) throws {
        try testCase.run(MemoryGroup())
    }
}

private struct MemoryGroup: ConformanceGroup {
    private let backing = MemoryBacking(epoch: 3)

    func open() -> any RecordStore { MemoryStore(backing) }

    func openReadOnly() -> (any RecordStore)? {
        MemoryStore(backing, readOnlyReason: StorageError(.readOnly, detail: "opened for reading only"))
    }
}
