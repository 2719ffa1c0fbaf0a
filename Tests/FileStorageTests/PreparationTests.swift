import GroupDirectory
import RecordStorage
import Synchronization
import SystemPackage
import Testing

@testable import FileStorage

#if DEBUG

@Suite("A transaction that waits for another process")
struct PreparationTests {
    let group: ScratchGroup
    let store: FileStore

    init() throws {
        group = try ScratchGroup()
        store = try group.create()
        try store.write([Boxes.record(1, in: 1), Boxes.record(2, in: 2)])
    }

    /// Commits a record, with the lock of another process found at the first attempt.
    private func commit(
        preparing prepare: (CommitOutlook) -> Void,
        _ body: (CommitContext) -> Void
    ) throws {
        // The turn is free, the lock is not.
        try SyscallFaults.with([SyscallFaults.Fault(.lock, .resourceTemporarilyUnavailable, after: 1)]) {
            () throws(StorageError) in
            _ = try store.commit(until: .standard, preparing: prepare) { (context, batch) throws(StorageError) in
                body(context)
                try batch.put(Boxes.record(3, in: 3))
            }
        }
    }

    @Test("is told of the one after that one, and of the state that it reads")
    func outlook() throws {
        let newest = try store.write([Boxes.record(4, in: 4)])
        var outlook: CommitOutlook?
        try commit {
            outlook = $0
        } _: { context in
            #expect(context.baseState != nil)
            #expect(context.baseState == outlook?.state)
            #expect(context.epoch == outlook?.epoch)
            #expect(context.changes == .none)
        }
        #expect(try #require(outlook).sequence == newest + 2)
        #expect(try store.contents(of: Boxes.partition(3)).records.count == 1)
    }

    @Test("keeps what it read, as far as it did not change")
    func keepsReads() throws {
        let other = try group.open()
        // Seen by nobody else yet.
        try other.write([Boxes.record(5, in: 2)])
        try commit { _ in
            for number in [1, 2] as [UInt64] {
                #expect(throws: Never.self) { try store.contents(of: Boxes.partition(number)) }
            }
        } _: { context in
            #expect(context.changes == .partitions([Boxes.partition(2)]))
            #expect(store.core.withLock { $0.readByTransaction.map(\.partition) } == [Boxes.partition(1)])
        }
        #expect(store.core.withLock { $0.readByTransaction.isEmpty && $0.preparedState == nil })
        #expect(try store.contents(of: Boxes.partition(2)).records.count == 2)
    }

    @Test("knows where the store moved on before it had the lock", arguments: [false, true])
    func movedMeanwhile(isReplaced: Bool) throws {
        let other = try group.open()
        if isReplaced { try other.compact(until: .standard) } else { try other.write([Boxes.record(5, in: 2)]) }
        var outlook: CommitOutlook?
        try commit { told in
            outlook = told
            #expect(throws: Never.self) {
                _ = try store.contents(of: Boxes.partition(1))
                _ = try store.refresh(until: .standard)
            }
        } _: { context in
            #expect(context.changes == .none)
            #expect(context.baseState != outlook?.state)
            #expect(store.core.withLock { $0.readByTransaction.isEmpty })
        }
    }

    @Test("leaves nothing behind where it waits in vain")
    func waitsInVain() throws {
        let busy = SyscallFaults.Fault(.lock, .resourceTemporarilyUnavailable, after: 1, times: .max)
        SyscallFaults.with([busy]) {
            let error = #expect(throws: StorageError.self) {
                try store.commit(until: .after(.milliseconds(20))) { _ in
                    _ = try? store.contents(of: Boxes.partition(1))
                } _: { _, _ in
                    Issue.record("the lock was given")
                }
            }
            #expect(error?.code == .busy)
        }
        #expect(store.core.withLock { $0.readByTransaction.isEmpty && $0.preparedState == nil && !$0.isFrozen })
    }

    @Test("is not prepared where there is no time for it, or the shared page says what cannot be")
    func notPrepared() throws {
        SyscallFaults.with([SyscallFaults.Fault(.lock, .resourceTemporarilyUnavailable, after: 1)]) {
            #expect(throws: Never.self) {
                try store.commit(until: .after(.zero)) { _ in
                    Issue.record("there is no time")
                } _: { _, _ in
                }
            }
            #expect(!SyscallFaults.isPending)
        }
        store.directory.revision.tell(.max)
        try commit { _ in
            Issue.record("there is no number for it")
        } _: { _ in
        }
        #expect(try store.contents(of: Boxes.partition(3)).records.count == 1)
    }

    @Test("is not told of anything where the lock is free")
    func free() throws {
        try store.commit(until: .standard) { _ in
            Issue.record("there is nothing to wait for")
        } _: { (_, batch) throws(StorageError) in
            try batch.put(Boxes.record(3, in: 3))
        }
    }
}
#endif
