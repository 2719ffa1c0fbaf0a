import GroupDirectory
import RecordStorage
import Synchronization
import SystemPackage
import Testing

@testable import FileStorage

#if DEBUG

@Suite("Blocks that transactions read last")
struct RecentBlockTests {
    let group: ScratchGroup
    let store: FileStore

    init() throws {
        group = try ScratchGroup()
        store = try group.create()
        try store.write((0..<8).map { Boxes.record($0, in: $0) })
        try store.compact(until: .standard)
        _ = try store.refresh(until: .standard)
        try store.write([Boxes.record(10, in: 10)])
    }

    /// Reads partitions while none of the file can be read.
    private func readWithoutDisk(_ numbers: Range<UInt64>) -> [UInt64] {
        SyscallFaults.with([SyscallFaults.Fault(.pread, .ioError, times: .max)]) {
            numbers.filter { (try? store.contents(of: Boxes.partition($0)))?.facts == [Boxes.record($0, in: $0).facts] }
        }
    }

    private func readInTransaction(_ numbers: Range<UInt64>) throws {
        try store.commit(until: .standard) { _, _ throws(StorageError) in
            for number in numbers { _ = try store.contents(of: Boxes.partition(number)) }
        }
    }

    @Test("are not read again, and are few")
    func bounded() throws {
        for number in 0..<8 as Range<UInt64> { _ = try store.contents(of: Boxes.partition(number)) }
        #expect(readWithoutDisk(0..<8).isEmpty)
        try readInTransaction(0..<8)
        #expect(readWithoutDisk(0..<8) == [4, 5, 6, 7])
        // The one that was used last stays.
        try readInTransaction(4..<5)
        try readInTransaction(0..<3)
        #expect(readWithoutDisk(0..<8) == [0, 1, 2, 4])
    }

    @Test("are read each time where no transaction tells whether the file is still the same")
    func withoutTransaction() throws {
        try store.compact(until: .standard)
        _ = try store.refresh(until: .standard)
        try readInTransaction(0..<1)
        #expect(readWithoutDisk(0..<1).isEmpty)
    }

    @Test("go with their file")
    func replaced() throws {
        try readInTransaction(0..<1)
        let old = store.core.withLock { $0.state.generation }
        let block = try #require(try store.withState { $0.view(of: Boxes.partition(0)) }.block())
        #expect(old.recentBlocks.block(at: block.offset) != nil)
        try store.compact(until: .standard)
        _ = try store.refresh(until: .standard)
        #expect(old.recentBlocks.block(at: block.offset) == nil)
        #expect(readWithoutDisk(0..<1).isEmpty)
    }

    @Test("tell nothing of what was written since")
    func written() throws {
        try readInTransaction(1..<2)
        try group.open().write([Boxes.record(1, in: 1, version: 1), Boxes.record(9, in: 1)])
        _ = try store.refresh(until: .standard)
        let contents = try store.contents(of: Boxes.partition(1))
        #expect(contents.records.count == 2)
        #expect(contents.facts.contains(Boxes.record(1, in: 1, version: 1).facts))
    }
}

#endif
