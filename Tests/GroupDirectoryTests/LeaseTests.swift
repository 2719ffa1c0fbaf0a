import Foundation
import GroupDirectory
import RecordStorage
import SystemPackage
import Testing

@Suite("Leases", .timeLimit(.minutes(10)))
struct LeaseTests {
    let scratch = Scratch()

    @Test("the file may be deleted while a lease is held: the next one makes it anew")
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

    @Test("how many are held is told, whoever holds them")
    func counted() throws {
        let group = try scratch.group()
        #expect(try group.heldLeaseCount() == 0)
        let leases = try [1, 2, 3, 1 << 61].compactMap { try group.tryLease($0) }
        #expect(try group.heldLeaseCount() == 4)
        for lease in leases { lease.release() }
        #expect(try group.heldLeaseCount() == 0)
    }

    @Test("what stands in the place of the file is refused", arguments: Intruder.ofAnyone)
    func intruder(_ intruder: Intruder) throws {
        let group = try scratch.group()
        try intruder.place(at: group.path.appending("leases").string, scratch: scratch)
        #expect(code { () throws(StorageError) in try group.tryLease(1) } == intruder.expected)
    }

    @Test("a folder that cannot be written gives no lease")
    func readOnly() throws {
        _ = try scratch.group()
        let group = try scratch.group(.readOnly)
        #expect(code { () throws(StorageError) in try group.tryLease(1) } == .readOnly)
    }

    @Test("a child that was forked by the holder has no lease and keeps none alive")
    func fork() throws {
        let group = try scratch.group()
        let lease = try #require(try group.tryLease(9))
        let inChild = try Fork.inChild {
            // Held by the parent: another process.
            try group.tryLease(9) == nil ? 0 : 1
        }
        #expect(inChild == 0)
        let child = Fork.fork()
        if child == 0 {
            Fork.closePipes()
            sleep(30)
            _exit(0)
        }
        lease.release()
        #expect(try group.tryLease(9) != nil)
        kill(child, SIGKILL)
        _ = Fork.wait(child)
    }
}
