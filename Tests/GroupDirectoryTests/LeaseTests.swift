// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import Programs
import RecordStorage
import SystemPackage
import Testing

@Suite("Leases", .timeLimit(.minutes(10)))
struct LeaseTests {
    let scratch = Scratch()

    @Test("the file may be deleted while a lease is held: the next one creates it again")
    func deleted() throws {
        let group = try scratch.group()
        let lease = try #require(try group.tryLease(5))
        try FileManager.default.removeItem(atPath: group.path.appending("leases").string)
        // The table of this process still knows; a second process would not.
        #expect(try group.tryLease(5) == nil)
        let other = try #require(try group.tryLease(6))
        #expect(FileManager.default.fileExists(atPath: group.path.appending("leases").string))
        lease.release()
        #expect(try group.tryLease(5) != nil)
        other.release()
    }

    @Test("the number of held leases is reported, whichever process holds them")
    func counted() throws {
        let group = try scratch.group()
        #expect(try group.heldLeaseCount(until: .standard) == 0)
        let leases = try [9, 2, 1, 3, 1 << 61, 4].compactMap { try group.tryLease($0) }
        #expect(try group.heldLeaseCount(until: .standard) == 6)
        for lease in leases { lease.release() }
        #expect(try group.heldLeaseCount(until: .standard) == 0)
    }

    @Test("leases of questions to the user exclude each other, and are not among those that a migration waits for")
    func questions() throws {
        let group = try scratch.group()
        let leases = try [LeaseNumber.firstOfInteractions, LeaseNumber.end - 1].map { number in
            let lease = try #require(try group.tryLease(number))
            #expect(try group.tryLease(number) == nil)
            #expect(try Self.isLocked(number, in: group))
            return lease
        }
        #expect(try group.heldLeaseCount(until: .standard) == 0)
        for lease in leases { lease.release() }
        #expect(try !Self.isLocked(LeaseNumber.end - 1, in: group))
    }

    /// Whether another process would find the lease taken.
    private static func isLocked(_ number: UInt64, in group: GroupDirectory) throws -> Bool {
        let file = try FileDescriptor.open(group.path.appending("leases"), .readWrite)
        defer { try? file.close() }
        return !locks(file, Int(number), 1)
    }

    @Test(
        "a lock over many of them, or over the whole file, counts once",
        arguments: [
            (0, 0, 1, []), (0, 1 << 61, 1, [1 << 61, (1 << 62) - 1]), (100, 1 << 61, 1, [99, 5]),
            // These numbers are of questions to the user.
            (Int.max, 1, 0, [7]), (1 << 62, 0, 0, [7, (1 << 62) - 1]),
        ] as [(Int, Int, Int, [UInt64])]
    )
    func range(start: Int, byteCount: Int, count: Int, others: [UInt64]) throws {
        let group = try scratch.group()
        try #require(try group.tryLease(0)).release()
        let file = try FileDescriptor.open(group.path.appending("leases"), .readWrite)
        defer { try? file.close() }
        try Self.lock(file, start, byteCount)
        let leases = try others.compactMap { try group.tryLease($0) }
        #expect(leases.count == others.count)
        #expect(try group.heldLeaseCount(until: .standard) == count + others.count)
        for lease in leases { lease.release() }
    }

    @Test("more than some are not counted, nor any behind the deadline but the first")
    func bounded() throws {
        let group = try scratch.group()
        try #require(try group.tryLease(0)).release()
        let file = try FileDescriptor.open(group.path.appending("leases"), .readWrite)
        defer { try? file.close() }
        for number in 0...GroupDirectory.largestLeaseCount { try Self.lock(file, 2 * number, 1) }
        #expect(try group.heldLeaseCount(until: .after(.seconds(60))) == GroupDirectory.largestLeaseCount)
        #expect(try group.heldLeaseCount(until: .after(.zero)) == 1)
    }

    /// Locks part of an open file for itself, to the end where it has no length.
    private static func lock(_ file: FileDescriptor, _ start: Int, _ byteCount: Int) throws {
        try #require(locks(file, start, byteCount))
    }

    /// Locks a range unless another open file has locked a part of it.
    private static func locks(_ file: FileDescriptor, _ start: Int, _ byteCount: Int) -> Bool {
        var range = flock()
        range.l_type = Int16(F_WRLCK)
        range.l_whence = Int16(SEEK_SET)
        range.l_start = start
        range.l_len = byteCount
        let ofdSetLock: Int32 = 37
        return unsafe fcntl(file.rawValue, ofdSetLock, &range) == 0
    }

    @Test("a folder, link or FIFO in place of the file is refused", arguments: Intruder.ofAnyone)
    func intruder(_ intruder: Intruder) throws {
        let group = try scratch.group()
        try intruder.location(at: group.path.appending("leases").string, scratch: scratch)
        #expect(code { () throws(StorageError) in try group.tryLease(1) } == intruder.expected)
    }

    @Test("a folder that cannot be written gives no lease")
    func readOnly() throws {
        _ = try scratch.group()
        let group = try scratch.group(.readOnly)
        #expect(code { () throws(StorageError) in try group.tryLease(1) } == .readOnly)
    }

    @Test("a child that was forked by the holder has no lease and keeps none alive")
    func fork() async {
        await #expect(processExitsWith: .success) { [root = scratch.root.string as String] in
            let group = try GroupDirectory.open(root: FilePath(root), name: GroupName("test"), access: .create)
            let lease = try #require(try group.tryLease(9))
            // Held by the parent: another process.
            #expect(Fork.inChild { try group.tryLease(9) == nil ? 0 : 1 } == 0)
            let child = Fork.start()
            if child == 0 {
                Fork.closePipes()
                sleep(600)
                _exit(0)
            }
            lease.release()
            #expect(try group.tryLease(9) != nil)
            kill(child, SIGKILL)
            _ = Fork.wait(child)
        }
    }
}
