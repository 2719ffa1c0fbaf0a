// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Foundation
import GroupRecords
import RecordStorage
import Sealing
import Synchronization

@testable import TokenCaching

/// A root of a test, and ways to open groups below it.
struct GroupFixture {
    let scratch = ScratchFolder()

    func opener(
        _ storage: StorageChoice = .automatic,
        access: GroupAccess = .readWrite,
        name: String = "group",
        timeout: Duration = .seconds(20)
    ) throws -> GroupOpener {
        let location = try GroupLocation(name, root: scratch.path, environment: [:])
        var opener = GroupOpener(location, storage: storage, access: access, timeout: timeout)
        opener.passphraseCost = .minimum
        return opener
    }

    @discardableResult
    func create(_ storage: StorageChoice = .automatic, name: String = "group") throws -> OpenedGroup {
        try opener(storage, access: .create, name: name).open()
    }

    @discardableResult
    func open(_ storage: StorageChoice = .automatic, access: GroupAccess = .readWrite) throws -> OpenedGroup {
        try opener(storage, access: access).open()
    }

    /// The code of what opening throws; nil where it does not.
    func refusal(_ storage: StorageChoice = .automatic, access: GroupAccess = .readWrite) -> TokenCacheError.Code? {
        do throws(StorageError) {
            _ = try Result { try opener(storage, access: access) }.mapError { _ in StorageError(.system) }.get().open()
            return nil
        } catch {
            return TokenCacheError(error).code
        }
    }

    /// The path of something in the folder of the group.
    func path(_ name: String, group: String = "group") -> String { scratch.path("\(group)/\(name)") }

    func contents(_ name: String) -> Data? { FileManager.default.contents(atPath: path(name)) }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path(name)) }

    /// The key files that the library made.
    var keyFiles: [String] {
        scratch.files.filter { $0.hasPrefix(".keys/") }.map { scratch.path($0) }
    }
}

/// A passphrase that counts how often it is asked for.
final class AskedPassphrase: Sendable {
    private let text: String?
    private let asked = Mutex<[PassphraseRequest.Purpose]>([])

    init(_ text: String?) {
        self.text = text
    }

    var purposes: [PassphraseRequest.Purpose] { asked.withLock { $0 } }

    var choice: FileUnlocking {
        .passphrase { [self] (request) throws(TokenCacheError) in
            asked.withLock { $0.append(request.purpose) }
            guard let text else { return nil }
            return try Passphrase(text)
        }
    }

    var storage: StorageChoice { .file(unlockedBy: choice) }
}

extension OpenedGroup {
    /// Puts a record that is nothing but a number, and gives its partition. `wait` runs while the writer's lock is held.
    @discardableResult
    func put(_ number: UInt64, holdingLock wait: () -> Void = {}) throws -> PartitionTag {
        let partition = PartitionTag(first: number, second: 1)
        let address = RecordAddress(tag: RecordTag(first: number, second: 2), partition: partition, searchTags: [])
        try store.commit(until: .after(.seconds(20))) { (context, batch) throws(StorageError) in
            wait()
            let box = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 16)
            let record = try codec.seal(
                facts: box.rawSpan,
                secret: RawSpan(),
                kind: RecordKind(rawValue: 200),
                at: address,
                in: context
            )
            try batch.put(record)
        }
        return partition
    }

    /// Whether the record of that number is there and opens.
    func has(_ number: UInt64) throws -> Bool {
        _ = try store.refresh(until: .after(.seconds(20)))
        let contents = try store.contents(of: PartitionTag(first: number, second: 1))
        guard let record = contents.records.first, let box = contents.facts[0] else { return false }
        let sealer = try codec.unlockedKeys.sealer(epoch: contents.reader.epoch)
        return try codec.openFactsBytes(box.rawSpan, of: record, with: sealer).count == 16
    }
}

extension OpenedGroup {
    /// Seals entries and stores them in one transaction, past the engine.
    func put(_ entries: [TestEntry]) throws { try store.put(entries, codec: codec) }

    /// Reads what lookups compare.
    func loader() -> PartitionFactsLoader {
        PartitionFactsLoader(codec: codec, clouds: .builtIn, clientID: TestGroup.client)
    }
}

extension RecordStore {
    /// Seals entries and stores them in one transaction.
    func put(_ entries: [TestEntry], codec: RecordCodec) throws(StorageError) {
        try commit(until: .standard) { (context, batch) throws(StorageError) in
            for (position, entry) in entries.enumerated() {
                do {
                    try batch.put(try entry.sealed(by: codec, at: position, in: context))
                } catch let error as StorageError {
                    throw error
                } catch {
                    throw StorageError(.cancelled, detail: "\(error)")
                }
            }
        }
    }
}
