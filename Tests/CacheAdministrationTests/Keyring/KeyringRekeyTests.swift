// SPDX-License-Identifier: Apache-2.0

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

@Suite("New keys of a group in the keyring", .serialized, .timeLimit(.minutes(Scale.pick(10, release: 240))))
struct KeyringRekeyTests {
    private static let count = 20
    private let fixture: KeyringFixture

    init() throws {
        fixture = try KeyringFixture()
        let group = try fixture.create(.keyring)
        for number in 1...UInt64(Self.count) { try group.put(number) }
        group.store.close()
    }

    private func epochs() throws -> [[UInt32]] {
        let client = SecretServiceClient(SecretServiceLocation(busAddress: fixture.keyring.address))
        defer { client.close() }
        let items = try KeyringItems(client, GroupName("group"))
        return try items.keyItems(until: .after(.seconds(20)), prompts: .never).map(\.content.epochs)
    }

    private func expectAll(in group: OpenedGroup) throws {
        #expect(try (1...UInt64(Self.count)).allSatisfy { try group.has($0) })
    }

    @Test("report their progress from zero to complete")
    func progress() throws {
        let heard = Mutex<[OperationProgress]>([])
        let group = try CacheGroup(fixture.open(), timeout: .seconds(20))
        let report = try group.rekey { progress in
            heard.withLock { $0.append(progress) }
            return .proceed
        }
        #expect(report.epoch == 2)
        let all = heard.withLock { $0 }
        let first = try #require(all.first)
        #expect(first.completedBytes == 0 && first.entryCount == 0)
        #expect(try #require(first.totalBytes) > 0)
        #expect(all.allSatisfy { $0.totalBytes == first.totalBytes && $0.completedBytes <= first.totalBytes ?? 0 })
        #expect(all.map(\.entryCount) == all.map(\.entryCount).sorted())
        try expectAll(in: fixture.open())
    }

    @Test("are refused while a migration, which relies on the old ones, holds the lock for keys")
    func duringMigration() throws {
        let group = try CacheGroup(fixture.open(), timeout: .milliseconds(200))
        let directory = try #require(group.opened.directory)
        try directory.withLock(.keys, until: .after(.seconds(20))) { () throws(StorageError) in
            let error = #expect(throws: TokenCacheError.self) { try group.rekey() }
            #expect(error?.code == .busy)
        }
        #expect(try epochs() == [[1]])
        #expect(try group.rekey().epoch == 2)
    }

    @Test("that are cancelled at once were never there")
    func cancelled() throws {
        let group = try CacheGroup(fixture.open(), timeout: .seconds(20))
        let error = #expect(throws: TokenCacheError.self) { try group.rekey { _ in .cancel } }
        #expect(error?.code == .cancelled)
        #expect(error?.detail == nil)
        #expect(try epochs() == [[1]])
        try expectAll(in: fixture.open())
    }

    @Test("that are cancelled midway leave a usable group, and the next writer continues", arguments: [1, 19])
    func cancelledOnTheWay(moved: Int) throws {
        let group = try fixture.open()
        let store = try #require(group.store as? SecretServiceStore)
        let error = #expect(throws: StorageError.self) {
            try store.replaceKeys(
                until: .after(.seconds(20)),
                meter: { completed, total, recordCount throws(StorageError) in
                    #expect(completed <= total)
                    if recordCount == moved { throw StorageError(.cancelled) }
                },
                { keys throws(StorageError) in try sealing(try keys.nextEpoch()) }
            )
        }
        #expect(error?.code == .cancelled)
        #expect(try epochs().contains([1, 2]))
        try expectAll(in: group)
        // Who only reads changes nothing.
        try expectAll(in: fixture.open(access: .readOnly))
        #expect(try epochs().contains([1, 2]))
        try group.put(1)

        try expectAll(in: fixture.open())
        #expect(try epochs() == [[2]])
        try expectAll(in: group)
    }

    @Test("that a keyring stops answering after they have started report that they continue later")
    func unanswered() throws {
        let opened = try fixture.open()
        for number in 100..<400 as Range<UInt64> { try opened.put(number) }
        // Long enough to begin on a machine that runs other tests too.
        let group = CacheGroup(opened, timeout: .seconds(30))
        let keyring = fixture.keyring
        let error = #expect(throws: TokenCacheError.self) {
            try group.rekey { progress in
                if progress.completedBytes > 0 { try? keyring.freeze() }
                return .proceed
            }
        }
        try keyring.thaw()
        #expect(error?.code == .indeterminate)
        #expect(error?.detail?.contains("continues") == true)
        try expectEnd()
    }

    @Test("that are cancelled after they have started report that they continue later")
    func told() throws {
        let opened = try fixture.open()
        // It takes a while until the answer is heard.
        for number in 100..<400 as Range<UInt64> { try opened.put(number) }
        let group = CacheGroup(opened, timeout: .seconds(20))
        let error = #expect(throws: TokenCacheError.self) {
            try group.rekey { $0.completedBytes > 0 ? .cancel : .proceed }
        }
        #expect(error?.code == .cancelled)
        #expect(error?.detail != nil)
        #expect(try epochs().contains([1, 2]))
        try expectEnd()
    }

    /// Opened for writing, it comes to its end: on a loaded machine not at the first time, but each gets further.
    private func expectEnd() throws {
        for _ in 0..<20 where try epochs() != [[2]] { try expectAll(in: fixture.open()) }
        #expect(try epochs() == [[2]])
    }
}
