// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import RecordStorage
import Sealing
import StoreConformance
import Synchronization
import SystemPackage
import Testing

@Suite("A file for each record, as every store")
struct RecordFileConformanceTests {
    @Test("passes the conformance suite of stores", arguments: ConformanceCase.all)
    func conforms(_ testCase: ConformanceCase) throws {
        try testCase.run(RecordFileGroup())
    }
}

/// A group of the store; the first handle creates it.
private final class RecordFileGroup: ConformanceGroup {
    private let root = MemoryFolder()
    private let keys: GroupKeys
    private let isCreated = Mutex(false)

    init() throws { keys = try GroupKeys.generate() }

    func open() throws -> any RecordStore {
        try isCreated.withLock { isCreated in
            if !isCreated {
                let secret = try SlotSecret.keyFile(SecretBytes.random(byteCount: 32))
                let slots = try KeySlots.create(for: keys, slots: [NewSlot(secret)])
                try RecordFileStore.create(in: directory(.create), slots: slots, until: .after(.seconds(2)))
                isCreated = true
            }
        }
        return try open(.readWrite)
    }

    func openReadOnly() throws -> (any RecordStore)? { try open(.readOnly) }

    /// Each of its transactions syncs one file for each record.
    var smallCommitCount: Int { 200 }

    private func directory(_ access: DirectoryAccess) throws -> GroupDirectory {
        try GroupDirectory.open(root: FilePath(root.path), name: GroupName("group"), access: access)
    }

    private func open(_ access: DirectoryAccess) throws -> RecordFileStore {
        let keys = keys
        return try RecordFileStore.open(in: directory(access), until: .after(.seconds(2))) { _, _ in keys }
    }
}

/// A private folder that costs no disk where the system has such ones, removed with the value.
final class MemoryFolder: Sendable {
    let path: String

    init() {
        let parent = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm/" : NSTemporaryDirectory()
        path = parent + "tcs-" + UUID().uuidString
        try? FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
