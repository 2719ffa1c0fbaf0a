// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import Programs
import RecordStorage
import StoreConformance
import Synchronization
import SystemPackage
import Testing

@Suite("Locks between threads", .timeLimit(.minutes(10)))
struct LockTests {
    let scratch = Scratch()

    @Test("one holder at a time, and all come in turn")
    func exclusion() throws {
        let group = try scratch.group()
        let inside = Atomic<Int>(0)
        let counts = Mutex([Int](repeating: 0, count: 6))
        // Until each of them had its turn, and a few hundred more.
        let end = SuspendingClock().now + .seconds(20)
        try inThreads(6) { thread in
            // Two handles on one folder are as good as two processes to the kernel.
            let own = thread.isMultiple(of: 2) ? group : try scratch.group(.readWrite)
            while counts.withLock({ $0.contains(0) || $0.reduce(0, +) < 500 }), SuspendingClock().now < end {
                let lock = try own.lock(.writer, until: .after(.seconds(20)))
                try #require(inside.add(1, ordering: .sequentiallyConsistent).newValue == 1)
                counts.withLock { $0[thread] += 1 }
                inside.subtract(1, ordering: .sequentiallyConsistent)
                lock.release()
            }
        }
        let shares = counts.withLock { $0 }
        #expect(shares.allSatisfy { $0 > 0 }, "\(shares)")
    }

    @Test("shared holders share, and keep a lone one out")
    func shared() throws {
        let group = try scratch.group()
        let other = try scratch.group(.readWrite)
        let first = try group.lock(.writer, .shared, until: .standard)
        let second = try other.lock(.writer, .shared, until: .standard)
        #expect(try group.tryLock(.writer) == nil)
        first.release()
        #expect(try other.tryLock(.writer) == nil)
        second.release()
        let alone = try group.lock(.writer, until: .standard)
        #expect(try other.tryLock(.writer, .shared) == nil)
        alone.release()
        #expect(try other.tryLock(.writer, .shared) != nil)
    }

    @Test("the bytes are independent of each other")
    func independent() throws {
        let group = try scratch.group()
        let writer = try group.lock(.writer, until: .standard)
        let compactor = try group.lock(.compactor, until: .standard)
        #expect(try group.tryLock(.compactor) == nil)
        writer.release()
        #expect(try group.tryLock(.compactor) == nil)
        #expect(try group.tryLock(.writer) != nil)
        compactor.release()
        #expect(try group.tryLock(.compactor) != nil)
    }

    @Test("groups do not lock each other")
    func groups() throws {
        let first = try scratch.group(.create, name: "first")
        let second = try scratch.group(.create, name: "second")
        let lock = try first.lock(.writer, until: .standard)
        try second.lock(.writer, until: .after(.zero)).release()
        lock.release()
    }

    @Test("a waiting thread gives up by the deadline and names this process")
    func deadline() throws {
        let group = try scratch.group()
        let lock = try group.lock(.writer, until: .standard)
        let start = SuspendingClock().now
        do throws(StorageError) {
            _ = try group.lock(.writer, until: .after(.milliseconds(120)))
            Issue.record("the lock was given twice")
        } catch {
            #expect(error.code == .busy)
            #expect(error.detail?.contains("process \(getpid())") == true)
        }
        let time = SuspendingClock().now - start
        #expect(time >= .milliseconds(115))
        lock.release()
    }

    @Test("a waiting thread sleeps")
    func sleeping() throws {
        let group = try scratch.group()
        let lock = try group.lock(.writer, until: .standard)
        try inThreads(1) { _ in
            let before = try threadTime()
            #expect(
                code { () throws(StorageError) in _ = try group.lock(.writer, until: .after(.milliseconds(300))) }
                    == .busy
            )
            let used = try threadTime() - before
            #expect(used < 0.1, "\(used) s of processor time for waiting 0.3 s")
        }
        lock.release()
    }

    @Test("a waiting thread continues when the lock is released")
    func handOver() throws {
        let group = try scratch.group()
        let lock = Mutex<DirectoryLock?>(try group.lock(.writer, until: .standard))
        try inThreads(2) { thread in
            if thread == 0 {
                try group.lock(.writer, until: .after(.seconds(20))).release()
            } else {
                try waitUntil("the other one waits") { group.waitingThreadCount(for: .writer) == 1 }
                lock.withLock { lock in lock = nil }
            }
        }
    }

    @Test("a lock goes out of scope with its variable")
    func scope() throws {
        let group = try scratch.group()
        func hold() throws {
            let lock = try group.lock(.writer, until: .standard)
            #expect(try group.tryLock(.writer) == nil)
            _ = consume lock
        }
        try hold()
        #expect(try group.tryLock(.writer) != nil)
    }

    @Test("a lock file that was replaced does not give the lock twice")
    func replaced() throws {
        let group = try scratch.group()
        let lock = try group.lock(.writer, until: .standard)
        try group.removeFile("lock")
        // The old file is locked by name no more: whoever comes locks the new one.
        let other = try scratch.group(.create)
        try other.lock(.compactor, until: .standard).release()
        lock.release()
        try group.lock(.writer, until: .standard).release()
        let status = try group.openFile("lock", .reading).currentStatus()
        #expect(status.linkCount == 1)
    }

    @Test("apparent damage under a writer's lock whose file was removed is reported as busy", arguments: [true, false])
    func damageWithoutLock(isRemoved: Bool) throws {
        let group = try scratch.group()
        let error = #expect(throws: StorageError.self) {
            try group.withLock(.writer, until: .standard) { () throws(StorageError) in
                if isRemoved { try group.removeFile("lock") }
                throw StorageError(.damaged)
            }
        }
        #expect(error?.code == (isRemoved ? .busy : .damaged))
    }

    @Test("a lock file that is replaced between two locks is the one that is locked")
    func replacedBetween() throws {
        let group = try scratch.group()
        try group.lock(.writer, until: .standard).release()
        try group.removeFile("lock")
        let other = try scratch.group(.create)
        let lock = try other.lock(.writer, until: .standard)
        // Within a process there is a line, whatever file is locked: from outside there is not.
        let named = try group.openFile("lock", .readingAndWriting)
        #expect(throws: Errno.resourceTemporarilyUnavailable) {
            try Syscalls.lock(named.descriptor, byte: 0, exclusive: true)
        }
        lock.release()
        let again = try group.lock(.writer, until: .standard)
        #expect(throws: Errno.resourceTemporarilyUnavailable) {
            try Syscalls.lock(named.descriptor, byte: 0, exclusive: true)
        }
        again.release()
        try Syscalls.lock(named.descriptor, byte: 0, exclusive: true)
    }

    @Test("a caller without time to wait gets a free lock, even if the lock file was replaced")
    func replacedWithoutTime() throws {
        let group = try scratch.group()
        try group.lock(.writer, until: .standard).release()
        try group.removeFile("lock")
        _ = try scratch.group(.create)
        guard let lock = try group.tryLock(.writer) else {
            Issue.record("nobody holds it")
            return
        }
        lock.release()
    }

    @Test("a lock file that others got rights on between two locks is refused")
    func unsafeBetween() throws {
        let group = try scratch.group()
        try group.lock(.writer, until: .standard).release()
        let file = try group.openFile("lock", .reading)
        try Syscalls.setMode(file.descriptor, 0o644)
        #expect(code { () throws(StorageError) in _ = try group.lock(.writer, until: .standard) } == .unsafePermissions)
        try Syscalls.setMode(file.descriptor, 0o600)
        try group.lock(.writer, until: .standard).release()
    }

    #if DEBUG
    @Test("locks are released when opening fails half-way, and after a thousand rounds")
    func noLeaks() throws {
        let group = try scratch.group()
        let before = try descriptors(below: group)
        for _ in 0..<1000 { try group.lock(.writer, until: .standard).release() }
        for _ in 0..<50 {
            let found = SyscallFaults.with([.init(.fstat, .ioError)]) {
                code { () throws(StorageError) in _ = try group.lock(.writer, until: .standard) }
            }
            #expect(found == .system)
        }
        for _ in 0..<50 {
            let found = SyscallFaults.with([.init(.lock, .noLocks)]) {
                code { () throws(StorageError) in _ = try group.lock(.writer, until: .standard) }
            }
            #expect(found == .system)
        }
        try group.lock(.writer, until: .after(.zero)).release()
        #expect(try descriptors(below: group) == before)
    }
    #endif

    /// Number of descriptors of this process that lead into the folder of a group.
    private func descriptors(below group: GroupDirectory) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name)
            return target?.hasPrefix(group.path.string) == true
        }
    }
}

/// Seconds of processor time that this thread used.
private func threadTime() throws -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
