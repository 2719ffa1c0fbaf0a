// SPDX-License-Identifier: Apache-2.0

import RecordStorage
import StoreConformance
import Testing

@Suite("The suite itself")
struct ConformanceSuiteTests {
    @Test("notices a store with a fault", arguments: StoreFault.allCases)
    func notices(fault: StoreFault) {
        let failing = ConformanceCase.all.first { testCase in
            do {
                try testCase.run(FaultyGroup(fault: fault))
                return false
            } catch {
                return true
            }
        }
        #expect(failing != nil, "no case fails")
    }

    @Test("names its cases apart")
    func names() {
        #expect(Set(ConformanceCase.all.map(\.id)).count == ConformanceCase.all.count)
    }
}

private struct FaultyGroup: ConformanceGroup {
    let fault: StoreFault
    private let backing = MemoryBacking(epoch: 3)

    init(fault: StoreFault) {
        self.fault = fault
    }

    var smallCommitCount: Int { 100 }

    func open() -> any RecordStore { FaultyStore(MemoryStore(backing), fault) }

    func openReadOnly() -> (any RecordStore)? {
        FaultyStore(MemoryStore(backing, readOnlyReason: StorageError(.readOnly)), fault)
    }
}
