// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import FileStorage
import Foundation
import GroupDirectory
import RecordStorage
import SystemPackage
import Testing

#if DEBUG
@Suite("Much behind the last transaction")
struct LongTailTests {
    /// More than any writer leaves: a frame of 64 MiB, and room.
    private static let longest: UInt64 = 66 << 20

    let group: ScratchGroup
    let end: UInt64

    init() throws {
        group = try ScratchGroup()
        let store = try group.create()
        for version in 0...2 as ClosedRange<UInt64> { try store.write([Boxes.record(1, in: 1, version: version)]) }
        store.close()
        end = UInt64(try group.bytes().count)
        // As after a new start of the machine: nothing tells where the last transaction ends.
        try group.forgetPage()
    }

    /// Makes the journal longer without a block on the disk, with one byte at its end or without.
    private func lengthen(by count: UInt64, lastByte: UInt8?) throws {
        let file = try FileHandle(forUpdating: group.journal)
        try file.truncate(atOffset: end)
        try file.truncate(atOffset: end + count)
        if let lastByte {
            try file.seek(toOffset: end + count - 1)
            try file.write(contentsOf: [lastByte])
        }
        try file.close()
    }

    /// Runs `body` with so many reads at most on this thread; more fail.
    private func withReads<Result>(_ count: Int, _ body: () throws -> Result) rethrows -> Result {
        try SyscallFaults.with([SyscallFaults.Fault(.pread, .ioError, after: count, times: .max)], body)
    }

    @Test("is room where it is a hole, and is not read", arguments: [1 << 30, 10 << 30, 10 << 40] as [UInt64])
    func hole(count: UInt64) throws {
        try lengthen(by: count, lastByte: nil)
        try withReads(40) {
            let store = try group.open()
            #expect(try store.statistics.tornByteCount == 0)
            #expect(try store.write([Boxes.record(2, in: 2)]) == 4)
            #expect(try group.open().secret(2, in: 2) == Boxes.record(2, in: 2).secret)
        }
        #expect(try group.open().verify().findings.isEmpty)
    }

    @Test(
        "is damage if non-zero bytes follow far behind, which few reads find",
        arguments: [1 << 30, 10 << 30, 10 << 40] as [UInt64]
    )
    func byteAtEnd(count: UInt64) throws {
        try lengthen(by: count, lastByte: 1)
        for access in [DirectoryAccess.readWrite, .readOnly] {
            withReads(20) {
                #expect(code { try group.open(access) } == .damaged)
            }
        }
    }

    @Test("is damage to a store that is open as well, which changes nothing")
    func whileOpen() throws {
        let store = try group.open()
        try group.forgetPage()
        try lengthen(by: 10 << 40, lastByte: 1)
        let before = try #require(try group.directory().identityWithoutTime(of: "journal"))
        withReads(20) {
            #expect(code { try store.write([Boxes.record(2, in: 2)]) } == .damaged)
        }
        #expect(try group.directory().identityWithoutTime(of: "journal") == before)
    }

    @Test("is torn as long as a writer may have left it", arguments: [(longest, true), (longest + 1, false)])
    func limit(count: UInt64, isTorn: Bool) throws {
        try lengthen(by: count, lastByte: 1)
        #expect(code { try group.open() } == (isTorn ? nil : .damaged))
        guard isTorn else { return }
        #expect(try group.open().statistics.tornByteCount == count)
    }

    @Test("is read no further than a writer may leave bytes, even where it is not a hole")
    func zerosOnDisk() throws {
        let file = try FileHandle(forUpdating: group.journal)
        try file.seek(toOffset: end)
        for _ in 0..<70 { try file.write(contentsOf: Data(count: 1 << 20)) }
        try file.close()
        withReads(20) {
            #expect(code { try group.open() } == .damaged)
        }
    }

    /// Writes `bytes` behind the last transaction.
    private func append(_ bytes: [UInt8]) throws {
        let file = try FileHandle(forUpdating: group.journal)
        try file.seek(toOffset: end)
        try file.write(contentsOf: bytes)
        try file.close()
    }

    @Test(
        "is damage where more of it looks like transactions than chance makes",
        arguments: [(999, true), (1000, false)]
    )
    func claims(count: Int, isTorn: Bool) throws {
        var claim = Array("STCF".utf8)
        claim.append(littleEndian: UInt32(100))
        for number in [4096, 9, 200] as [UInt64] { claim.append(littleEndian: number) }
        claim += [UInt8](repeating: 7, count: 16)
        try append([UInt8](repeating: 1, count: 8) + (0..<count).flatMap { _ in claim })
        #expect(code { try group.open() } == (isTorn ? nil : .damaged))
    }

    @Test("is torn where it looks like the start of transactions that cannot be")
    func impossibleClaims() throws {
        try append([UInt8](repeating: 1, count: 8) + (0..<100_000).flatMap { _ in Array("STCF\0\0\0\0".utf8) })
        #expect(try group.open().statistics.tornByteCount > 0)
    }

    /// Bytes that this thread has read.
    private func readByteCount() throws -> Int {
        let text = try String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8)
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("rchar: ") })
        return try #require(Int(line.dropFirst(7)))
    }

    @Test("is quarantined in one file with one finding, even if it is scattered, and read in proportion to its data")
    func islands() throws {
        let count = 500
        let island: UInt64 = 4096
        let file = try FileHandle(forUpdating: group.journal)
        for number in 0..<UInt64(count) {
            try file.seek(toOffset: (1 << 30) + number << 20)
            try file.write(contentsOf: [UInt8](repeating: UInt8(truncatingIfNeeded: number | 1), count: Int(island)))
        }
        try file.close()
        let before = try readByteCount()
        let plan = try group.repair(dryRun: true)
        // A few times what there is.
        #expect(try readByteCount() - before < 8 * count * Int(island))
        #expect(plan.findings.map(\.part) == [.excess])
        #expect(plan.quarantinedByteCount == UInt64(count) * island)
        let report = try group.repair()
        #expect(report.quarantinedByteCount == plan.quarantinedByteCount && report.findings == plan.findings)
        #expect(report.quarantinedFiles.count == 1 && report.keptRecordCount == 1)
        let aside = try #require(try group.setAside().first)
        #expect(aside.allocatedByteCount < 2 * plan.quarantinedByteCount)
        for number in [0, 77, count - 1] {
            let bytes = try aside.bytes(at: (1 << 30) + UInt64(number) << 20, count: 8)
            #expect(bytes == [UInt8](repeating: UInt8(truncatingIfNeeded: number | 1), count: 8))
        }
        #expect(try group.directory().quarantined().map(\.byteCount).reduce(0, +) < 2 * plan.quarantinedByteCount)
    }

    @Test("is quarantined too if it follows something that is not a transaction")
    func behindNoise() throws {
        try append([UInt8](repeating: 3, count: 4096))
        let file = try FileHandle(forUpdating: group.journal)
        try file.seek(toOffset: 1 << 30)
        try file.write(contentsOf: [UInt8](repeating: 5, count: 4096))
        try file.close()
        let report = try group.repair()
        #expect(report.findings.map(\.part) == [.transaction, .excess])
        let aside = try #require(try group.setAside().first)
        #expect(try aside.bytes(at: end, count: 2) == [3, 3])
        #expect(try aside.bytes(at: 1 << 30, count: 2) == [5, 5])
        #expect(report.quarantinedFiles.count == 1)
    }

    @Test("is set aside by a repair without its holes", arguments: [1 << 30, 10 << 40] as [UInt64])
    func repaired(count: UInt64) throws {
        try lengthen(by: count, lastByte: 1)
        let report = try group.repair()
        #expect(report.isRepaired)
        #expect(try group.open().verify().findings.isEmpty)
        #expect(try group.open().secret(1, in: 1) == Boxes.record(1, in: 1, version: 2).secret)
        let aside = try group.setAside()
        #expect(report.quarantinedFiles.count == 1 && report.quarantinedByteCount < 1 << 20)
        #expect(aside.map(\.byteCount) == [end + count])
        #expect(aside.allSatisfy { $0.allocatedByteCount < 1 << 20 })
        #expect(try aside.first?.bytes(at: end + count - 1, count: 1) == [1])
    }
}
#endif
