// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FileStorage
import Foundation
import GroupDirectory
import GroupRecords
import Programs
import RecordStorage
import Sealing
import Synchronization
import Testing

@testable import CacheAdministration
@testable import SecretServiceStorage
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Taking a group to another store", .serialized, .timeLimit(.minutes(Scale.pick(10, release: 240))))
struct MigrationTests {
    private let fixture: KeyringFixture

    init() throws {
        fixture = try KeyringFixture()
    }

    enum Way: CaseIterable, Sendable {
        case toKeyring, toFile, toFileWithKeyring

        var start: StorageChoice { self == .toKeyring ? .file(unlockedBy: .keyFile) : .keyring }

        var target: StorageChoice {
            switch self {
            case .toKeyring: .keyring
            case .toFile: .file(unlockedBy: .keyFile)
            case .toFileWithKeyring: .file(unlockedBy: .keyring)
            }
        }

        var kind: StorageLocation.Kind { self == .toKeyring ? .keyring : .file }
    }

    private static let numbers = 1...5 as ClosedRange<UInt64>

    private func start(_ way: Way) throws {
        let group = try fixture.create(way.start)
        for number in Self.numbers { try group.put(number) }
        group.store.close()
    }

    @discardableResult
    private func migrate(
        to target: StorageChoice,
        progress: ProgressHandler? = nil,
        onStep: ((MigrationStep) -> StorageError?)? = nil
    ) throws -> MigrationReport {
        try fixture.opener().migrate(to: target, progress: progress, onStep: onStep)
    }

    /// Begins a migration that ends at a step as if its process were killed.
    private func kill(_ way: Way, at step: MigrationStep) throws {
        try start(way)
        #expect(throws: StorageError.self) {
            try migrate(to: way.target, onStep: { $0 == step ? Migration.killed : nil })
        }
    }

    /// That the group is whole, in the store that it was taken to, and nowhere else.
    private func expectArrival(_ way: Way) throws {
        let group = try fixture.open()
        #expect(group.location.kind == way.kind)
        #expect(try Self.numbers.allSatisfy { try group.has($0) })
        #expect(try group.store.partitions().count == Self.numbers.count)
        let state = try #require(try fixture.state)
        #expect(state.phase == .ready)
        #expect(state.leftover == nil && state.target == nil)
        let hasJournal = fixture.scratch.files.contains("group/journal")
        #expect(hasJournal == (way.kind == .file))
        #expect(fixture.scratch.files.contains { $0.hasPrefix(".keys/") } == (way == .toFile))
        #expect(try fixture.itemCount(.partition) == (hasJournal ? 0 : Self.numbers.count))
        #expect(try fixture.itemCount(.key) == (hasJournal ? 0 : 1))
        #expect(try fixture.itemCount(.slot) == (way == .toFileWithKeyring ? 1 : 0))
    }

    @Test("everything arrives, and nothing is left behind", arguments: Way.allCases)
    func arrival(way: Way) throws {
        try start(way)
        let report = try migrate(to: way.target)
        #expect(report.recordCount == Self.numbers.count)
        #expect(report.to == way.kind)
        #expect(!report.wasResumed)
        try expectArrival(way)
        #expect(try !migrate(to: way.target).wasMoved)
    }

    @Test("transactions continue with the next number", arguments: Way.allCases)
    func sequences(way: Way) throws {
        try start(way)
        try migrate(to: way.target)
        let group = try fixture.open()
        let partition = try group.put(9)
        // The migration itself took one number.
        #expect(try group.store.contents(of: partition).records.first?.sequence == UInt64(Self.numbers.count) + 2)
    }

    @Test(
        "after a kill at any step the next attempt brings it to its end",
        arguments: Way.allCases,
        MigrationStep.allCases
    )
    func killed(way: Way, step: MigrationStep) throws {
        try kill(way, at: step)
        let isMoved = [MigrationStep.flipped, .wiped].contains(step)
        // Who reads gets everything, and the warning that another store may have records.
        let reader = try fixture.opener(access: .readOnly).open()
        #expect((reader.location.kind == way.kind) == isMoved)
        #expect(try Self.numbers.allSatisfy { try reader.has($0) })
        #expect(reader.leftoverProblem?.code == .readOnly)
        #expect(try migrate(to: way.target).wasResumed)
        try expectArrival(way)
    }

    @Test(
        "a group opens with everything after a migration was killed at any step and the list of items lost, as in a reboot",
        arguments: Way.allCases,
        MigrationStep.allCases
    )
    func killedBeforeReboot(way: Way, step: MigrationStep) throws {
        try kill(way, at: step)
        try? FileManager.default.removeItem(atPath: fixture.scratch.path + "/group/" + SecretServiceStore.listName)
        let group = try fixture.open()
        #expect((group.location.kind == way.kind) == [MigrationStep.flipped, .wiped].contains(step))
        #expect(group.leftoverProblem == nil)
        #expect(try Self.numbers.allSatisfy { try group.has($0) })
        try group.put(9)
        try migrate(to: way.target)
        #expect(try fixture.open().has(9))
    }

    @Test(
        "accepting a rollback changes nothing if the group opens, even beside the older store that a killed migration left"
    )
    func nothingToAccept() throws {
        try kill(.toKeyring, at: .flipped)
        for isDryRun in [true, false] {
            #expect(try !fixture.opener().acceptRollback(isDryRun: isDryRun).wasDamaged)
        }
        let group = try fixture.open()
        #expect(try group.location.kind == .keyring && Self.numbers.allSatisfy { try group.has($0) })
    }

    @Test("adopting a restored folder counts what a killed migration left in the keyring of the original")
    func adoptedLeftover() throws {
        try kill(.toFile, at: .flipped)
        let folder = fixture.scratch.path + "/group"
        try FileManager.default.moveItem(atPath: folder, toPath: fixture.scratch.path + "/original")
        try FileManager.default.copyItem(atPath: fixture.scratch.path + "/original", toPath: folder)
        let report = try fixture.opener().adopt(collection: nil)
        #expect(try report.keptItemCount == fixture.itemCount(.partition) + fixture.itemCount(.key))
        #expect(report.keptItemCount > Self.numbers.count && report.keptKeyFiles.count == 1)
        let group = try fixture.open()
        #expect(try Self.numbers.allSatisfy { try group.has($0) })
    }

    @Test(
        "after a kill before the folder names the new store the group stays in the old one",
        arguments: Way.allCases,
        [MigrationStep.marked, .begun, .copied, .verified]
    )
    func takenBack(way: Way, step: MigrationStep) throws {
        try kill(way, at: step)
        // An opening for writing removes what was begun.
        let group = try fixture.open()
        #expect(group.location.kind != way.kind && group.leftoverProblem == nil)
        #expect(try Self.numbers.allSatisfy { try group.has($0) })
        #expect(try fixture.state?.otherStores.isEmpty == true)
        try group.put(9)
        #expect(try fixture.itemCount(.partition) == (way == .toKeyring ? 0 : Self.numbers.count + 1))
        #expect(fixture.scratch.files.contains("group/journal") == (way == .toKeyring))
        #expect(try fixture.itemCount(.slot) == 0)
    }

    @Test("open handles cannot write during it, and have to be opened again afterwards", arguments: Way.allCases)
    func openHandles(way: Way) throws {
        try start(way)
        let writer = try fixture.open()
        var codes: Set<StorageError.Code> = []
        try migrate(
            to: way.target,
            onStep: { step in
                if [.marked, .begun, .copied, .verified].contains(step) {
                    do {
                        try writer.store.commit(until: .after(.milliseconds(50))) { _, _ in }
                    } catch let error as StorageError {
                        codes.insert(error.code)
                    } catch {
                        Issue.record(error)
                    }
                }
                return nil
            }
        )
        // On a busy machine a call to the keyring may already take the time.
        #expect(codes.contains(.busy) && codes.isSubset(of: [.busy, .timeout]))
        let error = #expect(throws: StorageError.self) { try writer.put(8) }
        #expect(error?.code == .storageMismatch)
        try expectArrival(way)
    }

    @Test("the old store keeps everything until the new one was read back", arguments: Way.allCases)
    func order(way: Way) throws {
        try start(way)
        try migrate(
            to: way.target,
            onStep: { step in
                let count = way == .toKeyring ? 1 : Self.numbers.count
                let left =
                    way == .toKeyring
                    ? (fixture.scratch.files.contains("group/journal") ? 1 : 0) : try? fixture.itemCount(.partition)
                #expect(left == (step == .wiped ? 0 : count), "\(step)")
                return nil
            }
        )
    }

    @Test("a record that the new store changed is noticed, and nothing is removed", arguments: Way.allCases)
    func notKept(way: Way) throws {
        try start(way)
        let before = try fixture.open().store.contents(of: PartitionTag(first: 3, second: 1))
        let box = Data(try #require(before.facts.first ?? nil))
        var isSpoilt = false
        let error = #expect(throws: StorageError.self) {
            try migrate(
                to: way.target,
                onStep: { step in
                    if step == .copied { isSpoilt = (try? spoil(way, box)) != nil }
                    return nil
                }
            )
        }
        #expect(isSpoilt)
        #expect(error?.code == .damaged)
        #expect(try fixture.state?.storage == StorageKind(rawValue: way == .toKeyring ? "file" : "keyring"))
        let group = try fixture.open()
        #expect(group.location.kind != way.kind)
        #expect(try Self.numbers.allSatisfy { try group.has($0) })
    }

    /// Loses an item, or changes a byte of a box.
    private func spoil(_ way: Way, _ box: Data) throws {
        if way == .toKeyring {
            return try fixture.withItems(.partition) { calls, items throws(SecretServiceError) in
                if let item = items.first { try calls.delete(item) }
            }
        }
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: fixture.scratch.path("group/journal")))
        var bytes = try #require(try file.readToEnd())
        let location = try #require(bytes.range(of: box))
        bytes[location.lowerBound + 5] ^= 1
        try file.seek(toOffset: 0)
        try file.write(contentsOf: bytes)
        try file.close()
    }

    @Test("a change of keys that was broken off is ended first", arguments: 1...9)
    func halfRekeyed(step: Int) throws {
        try start(.toFile)
        let group = try fixture.open()
        let store = try #require(group.store as? SecretServiceStore)
        var count = 0
        #expect(throws: StorageError.self) {
            try store.replaceKeys(
                until: .after(.seconds(20)),
                onStep: { _ in
                    count += 1
                    return count == step ? StorageError(.cancelled) : nil
                },
                { keys throws(StorageError) in try sealing(try keys.nextEpoch()) }
            )
        }
        group.store.close()
        try migrate(to: .file(unlockedBy: .keyFile))
        try expectArrival(.toFile)
        #expect(try fixture.open().fileStore?.keySlots.epoch == 2)
    }

    @Test("from one collection of the keyring to another it goes by way of the file")
    func collections() throws {
        try start(.toFile)
        let error = #expect(throws: StorageError.self) { try migrate(to: .keyring(collection: "session")) }
        #expect(error?.code == .storageMismatch)
        #expect(error?.advice?.contains("cachetool migrate --to file") == true)
        try migrate(to: .file(unlockedBy: .keyFile))
        try migrate(to: .keyring(collection: "session"))
        let group = try fixture.open()
        #expect(try Self.numbers.allSatisfy { try group.has($0) })
        #expect(try fixture.state?.collection == "session")
    }

    @Test("a keyring that cannot be used changes nothing")
    func unusable() throws {
        try start(.toKeyring)
        try fixture.keyring.lock()
        let error = #expect(throws: StorageError.self) { try migrate(to: .keyring) }
        #expect(error?.code == .keyringLocked)
        #expect(try fixture.state?.phase == .ready)
        #expect(try fixture.open().has(1))
    }

    @Test("a keyring that fails on the way leaves the group where it is")
    func failing() throws {
        try start(.toKeyring)
        let keyring = fixture.keyring
        let error = #expect(throws: StorageError.self) {
            try migrate(
                to: .keyring,
                onStep: { step in
                    if step == .begun { try? keyring.lock() }
                    return nil
                }
            )
        }
        #expect(error?.code == .keyringLocked)
        #expect(try fixture.state?.storage == .file)
    }

    @Test("the progress handler can cancel, which undoes everything", arguments: Way.allCases)
    func cancelled(way: Way) throws {
        let group = try fixture.create(way.start)
        for number in 1...40 as ClosedRange<UInt64> { try group.put(number) }
        #expect(throws: StorageError.self) { try migrate(to: way.target, progress: { _ in .cancel }) }
        #expect(try fixture.state?.phase == .ready)
        let again = try fixture.open()
        #expect(again.location.kind == group.location.kind)
        #expect(try again.has(40))
        try again.put(41)
    }

    @Test("a group of this name with another folder is not touched")
    func elsewhere() throws {
        try fixture.create(.keyring).put(1)
        let other = ScratchFolder()
        let environment = ["DBUS_SESSION_BUS_ADDRESS": fixture.keyring.address]
        let location = try GroupLocation("group", root: other.path, environment: environment)
        _ = try GroupOpener(location, storage: .file(unlockedBy: .keyFile), access: .create).open()
        let error = #expect(throws: StorageError.self) {
            try GroupOpener(location, storage: .automatic, access: .readWrite).migrate(
                to: .keyring,
                progress: nil,
                onStep: nil
            )
        }
        #expect(error?.code == .groupElsewhere)
        #expect(try fixture.open().has(1))
    }

    /// Has a migration killed right after the switch, and then puts back the state file of before.
    private func putBackState(_ way: Way) throws {
        try start(way)
        let path = fixture.scratch.path("group/store")
        let before = try #require(FileManager.default.contents(atPath: path))
        #expect(throws: StorageError.self) {
            try migrate(to: way.target, onStep: { $0 == .flipped ? Migration.killed : nil })
        }
        try before.write(to: URL(filePath: path))
        for access in [GroupAccess.readOnly, .readWrite] {
            let error = #expect(throws: StorageError.self) { try fixture.opener(access: access).open() }
            #expect(error?.code == .rollbackSuspected, "\(String(describing: error))")
            #expect(error?.advice?.contains("cachetool repair") == true, "\(String(describing: error))")
        }
    }

    @Test(
        "a state file from before a migration to the file is a suspected rollback, and a repair uses the file",
        arguments: [Way.toFile, .toFileWithKeyring]
    )
    func olderStateWithFile(way: Way) throws {
        try putBackState(way)
        #expect(try fixture.opener().repair(isDryRun: false).isRepaired)
        #expect(try fixture.open().leftoverProblem == nil)
        try expectArrival(way)
    }

    @Test(
        "a state file from before a migration to the keyring is a suspected rollback, which a repair uses only if told to"
    )
    func olderStateWithKeyring() throws {
        try putBackState(.toKeyring)
        for isDryRun in [true, false] {
            let error = #expect(throws: StorageError.self) { try fixture.opener().repair(isDryRun: isDryRun) }
            #expect(error?.code == .rollbackSuspected)
        }
        #expect(try fixture.opener().acceptRollback(isDryRun: false).isRepaired)
        let group = try fixture.open()
        #expect(group.location.kind == .file && group.leftoverProblem == nil)
        #expect(try Self.numbers.allSatisfy { try group.has($0) })
        #expect(try fixture.itemCount(.key) == 0 && fixture.itemCount(.partition) == 0)
    }

    @Test(
        "a writer waits for a migration, then gets storageMismatch and writes nothing",
        arguments: Way.allCases
    )
    func waitingWriter(way: Way) throws {
        try start(way)
        let writer = try fixture.open()
        let code = Mutex<StorageError.Code?>(nil)
        let ended = DispatchSemaphore(value: 0)
        let directory = try fixture.directory()
        try migrate(
            to: way.target,
            onStep: { step in
                guard step == .begun else { return nil }
                DispatchQueue.global().async {
                    do throws(StorageError) {
                        try writer.store.commit(until: .after(.seconds(60))) { _, _ in Issue.record("it may write") }
                    } catch {
                        code.withLock { $0 = error.code }
                    }
                    ended.signal()
                }
                while directory.waitingThreadCount(for: .writer) == 0 { usleep(1_000) }
                return nil
            }
        )
        ended.wait()
        #expect(code.withLock { $0 } == .storageMismatch)
        try expectArrival(way)
    }

    @Test("a migration keeps another group of the same name in the keyring and reports that there are two")
    func twoInOneKeyring() throws {
        try fixture.create(.keyring).put(1)
        let location = try fixture.opener().keyringAccess.location(nil)
        let items = try KeyringItems(SecretServiceClient(location), GroupName("group"))
        try items.makeFirstKeyItem(for: GroupKeys.generate(), until: .after(.seconds(20)))
        items.client.close()
        #expect(try fixture.itemCount(.key) == 2)
        #expect(try fixture.open().has(1))
        func expectRefusal(_ body: () throws -> Void) {
            let error = #expect(throws: StorageError.self) { try body() }
            #expect(error?.code == .groupElsewhere, "\(String(describing: error))")
            #expect(error?.detail?.contains("group") == true && error?.advice != nil)
        }
        expectRefusal { try migrate(to: .file(unlockedBy: .keyFile)) }
        #expect(try fixture.itemCount(.key) == 2)
        #expect(try fixture.open().has(1))
        try FileManager.default.removeItem(atPath: fixture.scratch.path("group"))
        expectRefusal { try fixture.opener().adopt(collection: nil) }
        #expect(try fixture.itemCount(.key) == 2)
    }

    @Test("a migration is busy while a token is renewed, and leaves nothing", arguments: Way.allCases)
    func renewalInProgress(way: Way) throws {
        try start(way)
        let lease = try #require(try fixture.directory().tryLease(7))
        let opener = try fixture.opener()
        let error = #expect(throws: StorageError.self) {
            try GroupOpener(opener.location, storage: .automatic, access: .readWrite, timeout: .milliseconds(300))
                .migrate(to: way.target, progress: nil, onStep: nil)
        }
        #expect(error?.code == .busy)
        lease.release()
        #expect(try fixture.state?.otherStores.isEmpty == true)
        try migrate(to: way.target)
        try expectArrival(way)
    }
}
