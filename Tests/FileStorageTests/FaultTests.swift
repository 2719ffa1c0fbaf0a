// SPDX-License-Identifier: Apache-2.0

import FileStorage
import Foundation
import GroupDirectory
import RecordStorage
import SystemPackage
import Testing

#if DEBUG
@Suite("Calls to the system that fail")
struct FaultTests {
    @Test("a commit of one frame syncs the file once and no more")
    func oneSync() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1)])
        SyscallFaults.with([.init(.fdatasync, .ioError, after: 1), .init(.fsync, .ioError)]) {
            #expect(throws: Never.self) { try store.write([Boxes.record(2, in: 1)]) }
        }
        SyscallFaults.with([.init(.fdatasync, .ioError)]) {
            #expect(code { try store.write([Boxes.record(3, in: 1)]) } == .indeterminate)
        }
    }

    @Test("a sync that fails poisons the file: the next commit goes to a new one and nothing acknowledged is lost")
    func poisoned() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        let reader = try group.open()
        try store.write([Boxes.record(1, in: 1)])
        let inode = try group.inode()
        SyscallFaults.with([.init(.fdatasync, .ioError)]) {
            #expect(code { try store.write([Boxes.record(2, in: 1)]) } == .indeterminate)
        }
        // The transaction does not count any more, not for others either.
        #expect(try group.open().secret(2, in: 1) == nil)
        #expect(try store.secret(2, in: 1) == nil)
        #expect(try store.write([Boxes.record(3, in: 1)]) == 2)
        #expect(try group.inode() != inode)
        _ = try reader.refresh(until: .standard)
        for store in [store, reader] {
            #expect(try store.secret(1, in: 1) == Boxes.record(1, in: 1).secret)
            #expect(try store.secret(2, in: 1) == nil)
            #expect(try store.secret(3, in: 1) == Boxes.record(3, in: 1).secret)
        }
    }

    @Test("a removal that comes to a new file after a failed sync erases its secret there, and nothing else")
    func poisonedRemoval() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write((0..<20).map { Boxes.record($0, in: $0, secret: 3000) })
        try store.compact(until: .standard)
        _ = try store.refresh(until: .standard)
        // So that places in the new file are others.
        try store.write(removing: [Removal(tag: Boxes.tag(0), partition: Boxes.partition(0), erasesSecret: false)])
        SyscallFaults.with([.init(.fdatasync, .ioError)]) {
            #expect(code { try store.write([Boxes.record(30, in: 1, secret: 9000)]) } == .indeterminate)
        }
        let partition = Boxes.partition(7)
        try store.commit(until: .standard) { _, batch throws(StorageError) in
            // As a sign-out does: it reads what it removes, in the old file.
            _ = try store.contents(of: partition)
            try batch.remove(Removal(tag: Boxes.tag(7), partition: partition, erasesSecret: true))
        }
        #expect(try group.open().verify().findings.isEmpty)
        #expect(try !group.contains(Boxes.record(7, in: 7, secret: 3000).secret))
        for number in 1..<20 as Range<UInt64> where number != 7 {
            let expected = Boxes.record(number, in: number, secret: 3000).secret
            #expect(try group.open().secret(number, in: number) == expected)
        }
    }

    @Test(
        "a file whose opening failed after a failed sync takes no transactions, which would not be read",
        arguments: 0..<10
    )
    func poisonedAndClosed(after: Int) throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1)])
        SyscallFaults.with([.init(.fdatasync, .ioError)]) {
            #expect(code { try store.write([Boxes.record(2, in: 1)]) } == .indeterminate)
        }
        let failure = SyscallFaults.with([.init(.open, .tooManyOpenFiles, after: after)]) {
            code { try store.write([Boxes.record(3, in: 1)]) }
        }
        let expected = failure == nil ? Boxes.record(3, in: 1).secret : nil
        #expect(try group.open().secret(3, in: 1) == expected)
        try store.write([Boxes.record(4, in: 1)])
        #expect(try group.open().secret(4, in: 1) == Boxes.record(4, in: 1).secret)
        #expect(try group.open().secret(1, in: 1) == Boxes.record(1, in: 1).secret)
    }

    @Test("a sync that fails while secrets are overwritten poisons the file for the frame behind them")
    func poisonedByErasing() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1)])
        // The frame is written, the zeros are not.
        SyscallFaults.with([.init(.pwrite, .ioError, after: 2, times: 100)]) {
            let removal = Removal(tag: Boxes.tag(1), partition: Boxes.partition(1), erasesSecret: true)
            #expect(throws: Never.self) { try store.write(removing: [removal]) }
        }
        let inode = try group.inode()
        SyscallFaults.with([.init(.fdatasync, .ioError)]) {
            #expect(throws: Never.self) { try store.write([Boxes.record(2, in: 1)]) }
        }
        #expect(try group.inode() != inode)
        #expect(try group.open().secret(1, in: 1) == nil)
        #expect(try group.open().secret(2, in: 1) == Boxes.record(2, in: 1).secret)
    }

    @Test("a refresh that fails leaves the changes to the next one", arguments: 0..<6)
    func failedRefresh(after: Int) throws {
        let group = try ScratchGroup()
        let store = try group.create()
        let reader = try group.open()
        try store.write([Boxes.record(1, in: 1)])
        try SyscallFaults.with([.init(.pread, .ioError, after: after)]) {
            var changes = try? reader.refresh(until: .standard)
            if changes == nil { changes = try reader.refresh(until: .standard) }
            #expect(changes == .partitions([Boxes.partition(1)]))
        }
        #expect(try reader.secret(1, in: 1) == Boxes.record(1, in: 1).secret)
    }

    @Test("a reader that had seen a transaction that was taken back reads everything again")
    func takenBack() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1)])
        let good = try group.bytes()
        try store.write([Boxes.record(1, in: 1, version: 1)])
        let other = try group.bytes()
        try group.forgetPage()
        try group.overwrite(good)
        let writer = try group.open()
        try group.overwrite(other)
        let reader = try group.open()
        #expect(try reader.secret(1, in: 1) == Boxes.record(1, in: 1, version: 1).secret)
        try group.overwrite(good)
        try writer.write([Boxes.record(1, in: 1, version: 2)])
        #expect(try reader.refresh(until: .standard) == .everything)
        #expect(try reader.secret(1, in: 1) == Boxes.record(1, in: 1, version: 2).secret)
    }

    @Test("a write that fails leaves the journal as it was", arguments: [nil, 1, 100, 600] as [Int?])
    func failedWrite(shortCount: Int?) throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1)])
        let before = try group.bytes()
        SyscallFaults.with([.init(.pwrite, .noSpace, shortCount: shortCount)]) {
            #expect(code { try store.write([Boxes.record(2, in: 1)]) } == .full)
        }
        #expect(try group.bytes() == before)
        #expect(try store.secret(2, in: 1) == nil)
        #expect(try store.write([Boxes.record(2, in: 1)]) == 2)
        #expect(try group.open().secret(2, in: 1) == Boxes.record(2, in: 1).secret)
    }

    @Test(
        "a large transaction or compaction that fails leaves the journal as it was, and no file behind",
        arguments: [.pwrite, .fdatasync, .fsync, .rename] as [SyscallFaults.Call]
    )
    func failedSnapshot(_ call: SyscallFaults.Call) throws {
        let group = try ScratchGroup()
        let store = try group.create()
        for version in 0..<5 as Range<UInt64> { try store.write([Boxes.record(1, in: 1, version: version)]) }
        let before = try group.bytes()
        let files = try group.files()
        // The first time one write tells who holds the lock; so this fails the body of the file, then its header.
        for after in call == .pwrite ? [1, 1] : [0] {
            SyscallFaults.with([.init(call, .ioError, after: after)]) {
                #expect(code { try store.compact(until: .standard) } != nil)
            }
        }
        SyscallFaults.with([.init(call, .ioError, after: call == .pwrite ? 2 : 0)]) {
            let failure = code {
                try store.commit(until: .standard) { _, batch throws(StorageError) in
                    for number in 0..<9000 as Range<UInt64> { try batch.put(Boxes.record(number, in: number)) }
                }
            }
            #expect(failure != nil)
        }
        #expect(try group.bytes() == before)
        #expect(try group.files() == files)
        #expect(try store.write([Boxes.record(1, in: 1, version: 9)]) == 6)
    }

    @Test("a file system that reserves nothing works all the same")
    func noReserve() throws {
        let group = try ScratchGroup()
        try SyscallFaults.with([.init(.fallocate, .notSupported, times: 1000)]) {
            let store = try group.create()
            try store.write([Boxes.record(1, in: 1, secret: 100_000)])
            try store.write(removing: [Removal(tag: Boxes.tag(1), partition: Boxes.partition(1), erasesSecret: true)])
            #expect(try !group.contains(Boxes.record(1, in: 1, secret: 100_000).secret))
        }
    }

    @Test("a disk that is full although there is room, as where overwriting takes new blocks, takes removals only")
    func fullOverwriting() throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write([Boxes.record(1, in: 1), Boxes.record(2, in: 1)])
        SyscallFaults.with([.init(.pwrite, .noSpace)]) {
            #expect(code { try store.write([Boxes.record(3, in: 1)]) } == .full)
        }
        try SyscallFaults.with([.init(.pwrite, .noSpace)]) {
            let removal = Removal(tag: Boxes.tag(1), partition: Boxes.partition(1), erasesSecret: true)
            try store.write(removing: [removal])
        }
        let other = try group.open()
        #expect(try other.secret(1, in: 1) == nil)
        #expect(try other.secret(2, in: 1) == Boxes.record(2, in: 1).secret)
        #expect(try other.secret(3, in: 1) == nil)
        #expect(try other.verify().findings.isEmpty)
    }

    @Test("a full disk refuses puts and takes removals", arguments: [Errno.noSpace, Errno(rawValue: 122)])
    func full(_ errno: Errno) throws {
        let group = try ScratchGroup()
        let store = try group.create()
        try store.write((0..<10).map { Boxes.record($0, in: 1, secret: 40_000) })
        try SyscallFaults.with([.init(.fallocate, errno, times: 1000)]) {
            #expect(code { try store.write([Boxes.record(20, in: 1, secret: 900_000)]) } == .full)
            let removal = Removal(tag: Boxes.tag(1), partition: Boxes.partition(1), erasesSecret: true)
            try store.write([Boxes.record(30, in: 1, secret: 0)], removing: [removal])
        }
        #expect(try store.secret(1, in: 1) == nil)
        #expect(try store.facts(30, in: 1) != nil)
    }
}
#endif

extension ScratchGroup {
    func inode() throws -> UInt64 {
        try FileManager.default.attributesOfItem(atPath: journal.path)[.systemFileNumber] as? UInt64 ?? 0
    }
}
