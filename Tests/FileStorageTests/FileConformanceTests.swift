// SPDX-License-Identifier: Apache-2.0

import FileStorage
import GroupDirectory
import RecordStorage
import StoreConformance
import Synchronization
import Testing

@Suite("File store, as every store")
struct FileConformanceTests {
    @Test("passes the conformance suite of stores", arguments: ConformanceCase.all)
    func conforms(_ testCase: ConformanceCase) throws {
        try testCase.run(FileGroup())
    }
}

/// A group of the file store; the first handle creates it.
private final class FileGroup: ConformanceGroup {
    private let group: ScratchGroup
    private let isCreated = Mutex(false)

    init() throws {
        group = try ScratchGroup()
    }

    func open() throws -> any RecordStore {
        try isCreated.withLock { isCreated in
            defer { isCreated = true }
            return try isCreated ? group.open() : group.create()
        }
    }

    func openReadOnly() throws -> (any RecordStore)? {
        try group.open(.readOnly)
    }

    func reorganize(_ store: any RecordStore) throws {
        try (store as? FileStore)?.compact(until: .standard)
    }

    var smallCommitCount: Int { 500 }
}
