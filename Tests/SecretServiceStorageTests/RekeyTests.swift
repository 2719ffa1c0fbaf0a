// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import Programs
import RecordStorage
import Sealing
import StoreConformance
import Synchronization
import SystemPackage
import Testing

@testable import SecretServiceStorage

@Suite("New keys of a group in a keyring", .serialized, .timeLimit(.minutes(Scale.pick(10, release: 240))))
struct RekeyTests {
    private let keyring: PrivateKeyring
    private let group: ScratchGroup

    /// A group with four partitions, and an anchor.
    init() throws {
        keyring = try PrivateKeyring()
        group = try ScratchGroup(keyring.location())
        let store = try group.create()
        try store.put((1...5).map { Records.record($0, in: $0, version: UInt8($0)) })
        try store.commit(until: .after(.seconds(20))) { _, batch throws(StorageError) in
            let tag = Records.record(5, in: 5).tag
            try batch.remove(Removal(tag: tag, partition: Records.partition(5), erasesSecret: true))
        }
        store.close()
    }

    /// Changes the keys and gives up at a step; 0 for none.
    private func rekey(_ store: SecretServiceStore, endingAt step: Int = 0) throws {
        var count = 0
        func onStep(_: SecretServiceStore.RekeyStep) -> StorageError? {
            count += 1
            return count == step ? StorageError(.cancelled) : nil
        }
        try store.replaceKeys(until: .after(.seconds(30)), onStep: onStep, Self.nextEpoch)
    }

    private static func nextEpoch(_ keys: GroupKeys) throws(StorageError) -> GroupKeys {
        do throws(SealingError) {
            return try keys.nextEpoch()
        } catch {
            throw StorageError(.system)
        }
    }

    private func keyItems() throws -> [KeyItem] {
        let items = try KeyringItems(SecretServiceClient(keyring.location()), group.name)
        return try items.keyItems(until: .after(.seconds(20)), prompts: .never).map(\.content)
    }

    /// All partitions are there, each sealed with the keys of one epoch.
    private func check(_ store: SecretServiceStore, epochs: ClosedRange<UInt32>, _ versions: [UInt8] = [1, 2, 3, 4])
        throws
    {
        for (index, version) in versions.enumerated() {
            let contents = try store.contents(of: Records.partition(UInt64(index + 1)))
            #expect(contents.facts.first??.first == version)
            #expect(epochs.contains(contents.reader.epoch))
            let epoch = contents.facts.first??[1]
            #expect(epoch == (contents.reader.epoch == 1 ? version : UInt8(contents.reader.epoch)))
        }
        #expect(try store.partitions().count == versions.count)
    }

    @Test("are in force for everything, and the old ones are nowhere")
    func ends() throws {
        let store = try group.open()
        try rekey(store)
        try check(store, epochs: 2...2)
        try check(group.open(), epochs: 2...2)
        #expect(try keyItems().map(\.epochs) == [[2]])
        try rekey(store)
        #expect(try keyItems().map(\.epochs) == [[3]])
        #expect(try store.put([Records.record(1, in: 1, version: 9)]) == 3)
        let contents = try group.open().contents(of: Records.partition(4))
        #expect(contents.reader.epoch == 3)
        #expect(contents.facts.first??.prefix(2) == [4, 3])
    }

    @Test("that were abandoned at any step are in effect once the group is opened", arguments: 1...9)
    func givenUp(step: Int) throws {
        let learned = Mutex<Set<UInt32>>([])
        let other = try group.open { keys in learned.withLock { _ = $0.insert(keys.epoch) } }
        #expect(try other.version(in: 1) == 1)
        #expect(failure { try rekey(group.open(), endingAt: step) }.code == .cancelled)
        // Who has the group open goes on all the while.
        _ = try other.refresh(until: .after(.seconds(20)))
        try check(other, epochs: 1...2)
        #expect(try other.put([Records.record(2, in: 2, version: 7)]) == 3)
        _ = try other.refresh(until: .after(.seconds(20)))
        #expect(try other.version(in: 2) == 7)

        let store = try group.open()
        #expect(try keyItems().map(\.epochs) == [[2]])
        for number in [1, 3, 4] as [UInt64] {
            let contents = try store.contents(of: Records.partition(number))
            #expect(contents.reader.epoch == 2)
            #expect(contents.facts.first??.prefix(2) == [UInt8(number), 2])
        }
        #expect(try store.version(in: 2) == 7)
        #expect(try store.put([Records.record(3, in: 3, version: 8)]) == 4)
        _ = try other.refresh(until: .after(.seconds(20)))
        #expect(try other.version(in: 3) == 8)
        #expect(learned.withLock { $0 } == [1, 2])
    }

    @Test("that were given up at any step are in force once the records are to be taken elsewhere", arguments: 1...9)
    func settled(step: Int) throws {
        let other = try group.open()
        #expect(failure { try rekey(group.open(), endingAt: step) }.code == .cancelled)
        try other.settle(within: WaitingTime(.seconds(20)))
        #expect(try keyItems().map(\.epochs) == [[2]])
        #expect(other.groupKeys.epoch == 2)
        try check(other, epochs: 2...2)
    }

    @Test("new keys are not made once the group was migrated")
    func moving() throws {
        let store = try group.open()
        let directory = try group.directory()
        var state = try #require(try directory.readState())
        state.storage = .file
        let lock = try directory.lock(.writer, until: .standard)
        try directory.writeState(state, under: lock)
        lock.release()
        #expect(failure { try rekey(store) }.code == .storageMismatch)
        #expect(try keyItems().map(\.epochs) == [[1]])
    }

    @Test("whose process was killed at any step are in effect once the group is opened", arguments: [1, 3, 7, 8, 9])
    func killed(step: Int) throws {
        let program = Program(path: Program.folder + "/keyring-worker")
        let finished = try program.run([
            "rekeys", keyring.address, group.root.string, group.name.text, "\(step)",
        ])
        #expect(finished.exitCode == nil, "\(finished.messages)")
        let store = try group.open()
        #expect(try keyItems().map(\.epochs) == [[2]])
        for number in 1...4 as ClosedRange<UInt64> {
            #expect(try store.version(in: number) == UInt8(number))
            #expect(try store.contents(of: Records.partition(number)).reader.epoch == 2)
        }
    }

    @Test("lose nothing that others save meanwhile")
    func busy() throws {
        let handles = try (0..<3).map { _ in try group.open() }
        let isDone = Atomic(false)
        let failures = Mutex<[String]>([])
        let threads = handles.enumerated().map { number, handle in
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                var version: UInt8 = 10
                while !isDone.load(ordering: .relaxed) || version < 13 {
                    do {
                        try handle.put([Records.record(UInt64(number), in: UInt64(number + 1), version: version)])
                        let saved = try group.open().contents(of: Records.partition(UInt64(number + 1)))
                        let tag = Records.record(UInt64(number), in: 0).tag
                        let location = saved.records.firstIndex { $0.tag == tag }
                        if location.map({ saved.facts[$0]?.first }) != version {
                            failures.withLock { $0.append("worker \(number) lost \(version)") }
                        }
                        version += 1
                    } catch {
                        failures.withLock { $0.append("\(error)") }
                        break
                    }
                }
                done.signal()
            }
            return done
        }
        let store = try group.open()
        for _ in 0..<3 { try rekey(store) }
        isDone.store(true, ordering: .relaxed)
        for thread in threads { try thread.waitForSignal(within: .seconds(180)) }
        #expect(failures.withLock { $0 } == [])
        #expect(try keyItems().map(\.epochs) == [[4]])
    }

    @Test("are not made where an item does not verify, whose records they would lose")
    func damaged() throws {
        let store = try group.open()
        let attributes = store.items.attributes.all(.partition, tag: KeyringAttributes.text(Records.partition(2)))
        let writing = KeyringWriting(writes: [.init(attributes: attributes, text: .sealed([65]), isNew: false)])
        try store.items.run(until: .after(.seconds(20))) { calls throws(SecretServiceError) in
            try writing.perform(calls)
        }
        #expect(failure { try rekey(store) }.code == .damaged)
        #expect(try keyItems().map(\.epochs) == [[1]])
        #expect(try store.version(in: 1) == 1)
    }

    @Test("seal to the same bytes as the engine")
    func records() throws {
        let keys = try GroupKeys.generate()
        let tag = RecordTag(first: 3, second: 4)
        func box(_ role: BoxRole, _ text: String) throws -> [UInt8] {
            let bytes = Array(text.utf8)
            return try unsafe RecordSealer(keys: keys)
                .seal(bytes.span.bytes, role: role, tag: (tag.first, tag.second), kind: 2, sequence: 5)
        }
        let record = StoredRecord(tag: tag, kind: RecordKind(rawValue: 2), sequence: 5, facts: .none, secret: .none)
        let (facts, secret) = (try box(.facts, "facts"), try box(.secret, "secret"))
        let new = try keys.nextEpoch()
        let boxes = try KeyringResealing.records.body(record, facts, secret, keys, new)
        let sealer = try RecordSealer(keys: new)
        let words = (tag.first, tag.second)
        let opened = try unsafe sealer.openFacts(boxes.facts.span.bytes, tag: words, kind: 2, sequence: 5)
        #expect(opened == Array("facts".utf8))
        let payload = try unsafe sealer.openSecret(boxes.secret.span.bytes, tag: words, kind: 2, sequence: 5)
        #expect(payload.byteCount == 6)
        #expect(try KeyringResealing.records.body(record, facts, [], keys, new).secret.isEmpty)
        #expect(throws: StorageError.self) { try KeyringResealing.records.body(record, secret, facts, keys, new) }
    }
}
