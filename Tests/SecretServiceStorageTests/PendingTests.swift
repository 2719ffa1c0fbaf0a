// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Foundation
import GroupDirectory
import Programs
import RecordStorage
import Synchronization
import SystemPackage
import Testing

@testable import SecretServiceStorage

/// What other processes see of a transaction that was begun, was not ended, or could not be listed.
@Suite("Transactions that others did not end", .serialized, .timeLimit(.minutes(Scale.pick(10, release: 240))))
struct PendingTests {
    private let keyring: PrivateKeyring
    private let group: ScratchGroup
    private let store: SecretServiceStore

    /// A group with three partitions.
    init() throws {
        keyring = try PrivateKeyring()
        group = try ScratchGroup(keyring.location())
        store = try group.create()
        try store.put((1...3).map { Records.record($0, in: $0, version: 1) })
    }

    private var list: FilePath { group.root.appending("\(group.name.text)/items") }

    /// Does what a writer does that is killed once the keyring has its change of partition 1 to version 2.
    private func leavePending(in partition: UInt64 = 1) throws {
        var list = try #require(store.core.withLock { $0.list })
        list.pending = ItemList.Pending(sequence: list.sequence + 1, partitions: [Records.partition(partition)])
        let new = Records.record(1, in: partition, version: 2)
        let record = KeyringRecord(
            tag: new.tag,
            kind: new.kind,
            sequence: list.sequence + 1,
            facts: new.facts,
            secret: new.secret,
            searchTags: []
        )
        let item = PartitionItem(
            partition: new.partition,
            epoch: list.epoch,
            sequence: list.sequence + 1,
            records: [record]
        )
        let text = SecretText.sealed(Base64.encode(try item.encoded(store.keys)))
        let attributes = store.items.attributes.all(.partition, tag: KeyringAttributes.text(new.partition))
        try store.writeList(list)
        let write = KeyringWriting(writes: [.init(attributes: attributes, text: text, isNew: false)])
        try store.items.run(until: .after(.seconds(20))) { calls throws(SecretServiceError) in try write.perform(calls)
        }
    }

    @Test("are reported as changes, and records read before are read again")
    func pending() throws {
        let reader = try group.open()
        #expect(try reader.version(in: 1) == 1)
        #expect(!reader.hasUnannouncedChanges())
        try leavePending()
        #expect(reader.hasUnannouncedChanges())
        #expect(try reader.refresh(until: .after(.seconds(20))) == .partitions([Records.partition(1)]))
        #expect(try reader.version(in: 1) == 2)
        // As long as nobody settles it, it may change.
        #expect(reader.hasUnannouncedChanges())
        #expect(try reader.refresh(until: .after(.seconds(20))) == .partitions([Records.partition(1)]))
    }

    @Test("are settled by the next writer, and named once more")
    func settled() throws {
        let reader = try group.open()
        try leavePending()
        _ = try reader.refresh(until: .after(.seconds(20)))
        try group.open().put([Records.record(2, in: 2, version: 2)])
        let changes = try reader.refresh(until: .after(.seconds(20)))
        #expect(changes == .partitions([Records.partition(1), Records.partition(2)]))
        #expect(!reader.hasUnannouncedChanges())
        #expect(try reader.version(in: 1) == 2)
    }

    @Test("are known to all once one process has found them, and are announced once")
    func told() throws {
        let reader = try group.open()
        #expect(try reader.version(in: 1) == 1)
        try leavePending()
        let word = reader.revision.load()
        let other = try group.open()
        #expect(reader.revision.load() == word)
        #expect(try other.version(in: 1) == 2)
        #expect(reader.revision.load() != word)
        #expect(try reader.refresh(until: .after(.seconds(20))) == .partitions([Records.partition(1)]))
        #expect(try reader.version(in: 1) == 2)
        let told = reader.revision.load()
        for handle in [reader, other] {
            _ = try handle.refresh(until: .after(.seconds(20)))
            #expect(try handle.version(in: 1) == 2)
        }
        #expect(reader.revision.load() == told)
    }

    @Test("are known to all as soon as one has found them, where only the shared word was not moved")
    func unmovedWord() throws {
        let reader = try group.open()
        #expect(try reader.version(in: 1) == 1)
        let page = group.root.appending("\(group.name.text)/revision").string
        // The writer tells it on a page of its own that is gone afterwards: as if it had been killed before it could.
        try FileManager.default.moveItem(atPath: page, toPath: page + ".kept")
        try group.open().put([Records.record(1, in: 1, version: 2)])
        try FileManager.default.removeItem(atPath: page)
        try FileManager.default.moveItem(atPath: page + ".kept", toPath: page)
        let word = reader.revision.load()
        _ = try group.open()
        #expect(reader.revision.load() != word)
        #expect(try reader.refresh(until: .after(.seconds(20))) == .partitions([Records.partition(1)]))
        #expect(try reader.version(in: 1) == 2)
    }

    @Test("are listed where they made a partition, as they are found")
    func listed() throws {
        let reader = try group.open()
        try leavePending(in: 4)
        _ = try reader.refresh(until: .after(.seconds(20)))
        #expect(try reader.version(in: 4) == 2)
        #expect(try reader.partitions().map(\.tag).contains(Records.partition(4)))
        #expect(try group.open().partitions().count == 4)
        // Not only until the next writer has settled it.
        try group.open().put([Records.record(2, in: 2, version: 2)])
        _ = try reader.refresh(until: .after(.seconds(20)))
        #expect(try reader.version(in: 4) == 2)
        #expect(try reader.partitions().count == 4)
    }

    @Test("of this process are waited for once others have announced them")
    func ownPending() throws {
        var code: StorageError.Code?
        try store.commit(until: .after(.seconds(20))) { _, batch throws(StorageError) in
            try batch.put(Records.record(1, in: 1, version: 2))
            // As another process does that has found what is written here.
            store.directory.revision.bump()
            code = failure { try store.refresh(until: .after(.milliseconds(20))) }.code
        }
        #expect(code == .timeout)
        _ = try store.refresh(until: .after(.seconds(20)))
        #expect(try store.version(in: 1) == 2)
    }

    private func secret(_ contents: PartitionContents) throws -> UInt8? {
        try contents.records.first.map { record in
            try contents.reader.withBox(at: record.secret) { bytes in unsafe bytes.unsafeLoad(as: UInt8.self) }
        }
    }

    @Test("and whose list cannot be read return no secrets that may have been removed")
    func unreadableList() throws {
        let reader = try group.open()
        let before = try reader.contents(of: Records.partition(1))
        #expect(try secret(before) == 0x81)
        try group.open().commit(until: .after(.seconds(20))) { _, batch throws(StorageError) in
            try batch.remove(
                Removal(tag: Records.record(1, in: 1).tag, partition: Records.partition(1), erasesSecret: true)
            )
        }
        try FileManager.default.removeItem(atPath: list.string)
        #expect(failure { try secret(before) }.code == .tokenGone)
        // Nobody can tell of the others either, until they are read again.
        #expect(try reader.refresh(until: .after(.seconds(20))) == .everything)
        #expect(try reader.contents(of: Records.partition(1)).records.isEmpty)
        #expect(try secret(reader.contents(of: Records.partition(2))) == 0x81)
    }

    @Test(
        "do not stop a sign-out where the disk is full",
        .enabled(if: SmallDisk.isPossible || Root.isHere, "needs root to mount"),
        arguments: [true, false]
    )
    func fullDisk(hasList: Bool) throws {
        let group = try ScratchGroup(keyring.location())
        let disk = try SmallDisk(at: group.root.string, kibibytes: 64)
        defer { withExtendedLifetime(disk) {} }
        let reader = try group.create()
        try reader.put((1...3).map { Records.record($0, in: $0, version: 1) })
        if !hasList {
            try FileManager.default.removeItem(atPath: group.root.appending("\(group.name.text)/items").string)
            _ = try reader.refresh(until: .after(.seconds(20)))
        }
        let contents = try reader.contents(of: Records.partition(2))
        try disk.fill()

        let writer = try group.open()
        #expect(failure { try writer.put([Records.record(3, in: 3, version: 9)]) }.code == .full)
        #expect(try writer.version(in: 3) == 1)
        try writer.commit(until: .after(.seconds(20))) { _, batch throws(StorageError) in
            for number in 1...2 as ClosedRange<UInt64> {
                let tag = Records.record(number, in: number).tag
                try batch.remove(Removal(tag: tag, partition: Records.partition(number), erasesSecret: true))
            }
        }
        #expect(failure { try secret(contents) }.code == .tokenGone)
        _ = try reader.refresh(until: .after(.seconds(20)))
        for handle in [reader, writer, try group.open()] {
            #expect(try handle.version(in: 1) == nil)
            #expect(try handle.version(in: 3) == 1)
            #expect(try handle.partitions().count == 1)
        }
        try disk.makeRoom()
        #expect(try writer.put([Records.record(3, in: 3, version: 9)]) == 3)
    }
}
