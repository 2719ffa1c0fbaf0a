// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import Programs
import RecordStorage
import SystemPackage
import Testing

@Suite("Locks between processes", .timeLimit(.minutes(10)))
struct LockProcessTests {
    let scratch = Scratch()

    @Test("another program that locks the documented byte keeps us out, and we it", arguments: LockByte.allCases)
    func documentedBytes(byte: LockByte) throws {
        let group = try scratch.group()
        let holder = try #require(try Holder(group, byte: byte.rawValue))
        #expect(try group.tryLock(byte) == nil)
        #expect(try group.tryLock(byte, .shared) == nil)
        holder.release()
        let lock = try group.lock(byte, until: .standard)
        #expect(try Holder(group, byte: byte.rawValue) == nil)
        lock.release()
        #expect(try Holder(group, byte: byte.rawValue) != nil)
    }

    @Test("shared locks of other programs are shared")
    func shared() throws {
        let group = try scratch.group()
        let holder = try #require(try Holder(group, byte: 0, exclusive: false))
        #expect(try group.tryLock(.writer, .shared) != nil)
        #expect(try group.tryLock(.writer) == nil)
        holder.release()
    }

    @Test("the process whose turn it is comes first")
    func turn() throws {
        let group = try scratch.group()
        let next = try #require(try Holder(group, byte: 64))
        #expect(try group.tryLock(.writer) == nil)
        #expect(try group.tryLock(.writer, .shared) != nil)
        next.release()
        #expect(try group.tryLock(.writer) != nil)
    }

    @Test("a killed holder frees the lock")
    func killed() throws {
        let group = try scratch.group()
        let holder = try #require(try Holder(group, byte: 0))
        holder.kill()
        try group.lock(.writer, until: .after(.seconds(2))).release()
    }

    @Test("the error names the process that holds the lock")
    func processID() async throws {
        let group = try scratch.group()
        try group.lock(.writer, until: .standard).release()
        let text = try String(contentsOfFile: group.path.appending("lock").string, encoding: .utf8)
        #expect(text == String(getpid()).padding(toLength: 15, withPad: " ", startingAt: 0) + "\n")
        // Another program holds it and says so.
        let holder = try #require(try Holder(group, byte: 0))
        let line = "\(holder.processID)".padding(toLength: 15, withPad: " ", startingAt: 0) + "\n"
        let file = try group.openFile("lock", .readingAndWriting)
        try Syscalls.write(file.descriptor, at: 0, Array(line.utf8))
        do throws(StorageError) {
            _ = try group.lock(.writer, until: .after(.milliseconds(30)))
            Issue.record("the lock was given twice")
        } catch {
            #expect(error.detail == "the lock is held by process \(holder.processID)")
        }
        holder.release()
    }

    @Test("a process that is killed while it holds every lock leaves none behind")
    func selfKill() async throws {
        let group = try scratch.group()
        await #expect(processExitsWith: .signal(SIGKILL)) { [root = scratch.root.string as String] in
            let group = try GroupDirectory.open(root: FilePath(root), name: GroupName("test"), access: .readWrite)
            let writer = try group.lock(.writer, until: .standard)
            let compactor = try group.lock(.compactor, until: .standard)
            kill(getpid(), SIGKILL)
            writer.release()
            compactor.release()
        }
        #expect(try group.tryLock(.writer) != nil)
        #expect(try group.tryLock(.compactor) != nil)
    }

    @Test("a child made by fork does not keep the lock of its parent alive")
    func forkedChild() async throws {
        let group = try scratch.group()
        await #expect(processExitsWith: .signal(SIGKILL)) { [root = scratch.root.string as String] in
            let group = try GroupDirectory.open(root: FilePath(root), name: GroupName("test"), access: .readWrite)
            let lock = try group.lock(.writer, until: .standard)
            Fork.closePipes()
            let child = Fork.start()
            if child == 0 {
                // Busy tests beside this one may keep it waiting for long.
                sleep(600)
                _exit(0)
            }
            try "\(child)".write(toFile: root + "/child", atomically: true, encoding: .utf8)
            kill(getpid(), SIGKILL)
            lock.release()
        }
        let text = try String(contentsOfFile: scratch.root.appending("child").string, encoding: .utf8)
        let child = try #require(Int32(text))
        #expect(isRunning(child))
        #expect(try group.tryLock(.writer) != nil)
        #expect(isRunning(child))
        kill(child, SIGKILL)
    }

    @Test("a child made by fork has no lock, does not release its parent's, and can take one of its own")
    func childLocks() async throws {
        await #expect(processExitsWith: .success) { [root = scratch.root.string as String] in
            let group = try GroupDirectory.open(root: FilePath(root), name: GroupName("test"), access: .create)
            let lock = try group.lock(.writer, until: .standard)
            let waits = Fork.inChild {
                // The parent has it, and the child's copy of the variable gives nothing back.
                guard try group.tryLock(.writer) == nil else { return 1 }
                guard try group.tryLock(.compactor) != nil else { return 2 }
                return 0
            }
            precondition(waits == 0, "\(waits)")
            let stillHeld = Fork.inChild { try group.tryLock(.writer) == nil ? 0 : 1 }
            precondition(stillHeld == 0)
            lock.release()
            let free = Fork.inChild { try group.tryLock(.writer) != nil ? 0 : 1 }
            precondition(free == 0)
        }
    }

    @Test("dropping an inherited lock in a child does not free it")
    func childDrops() async throws {
        await #expect(processExitsWith: .success) { [root = scratch.root.string as String] in
            let group = try GroupDirectory.open(root: FilePath(root), name: GroupName("test"), access: .create)
            var lock: DirectoryLock? = try group.lock(.writer, until: .standard)
            let child = Fork.start()
            if child == 0 {
                if lock != nil { lock = nil }
                _exit(0)
            }
            let status = Fork.wait(child)
            precondition(status == 0)
            let other = try GroupDirectory.open(root: FilePath(root), name: GroupName("test"), access: .readWrite)
            let free = Fork.inChild { try other.tryLock(.writer) == nil ? 0 : 1 }
            precondition(free == 0)
            lock = nil
        }
    }

    @Test("two processes hand the lock to and fro")
    func contention() async throws {
        let group = try scratch.group()
        let root = scratch.root.string
        async let first: Void = Self.count(root)
        async let second: Void = Self.count(root)
        _ = await (first, second)
        let file = try group.openFile("count", .reading)
        let digits = try Syscalls.read(file.descriptor, at: 0, count: 8)
        #expect(String(decoding: digits, as: UTF8.self) == "10004000")
    }

    /// Whether a process lives and is no mere entry in the table.
    private func isRunning(_ process: pid_t) -> Bool {
        let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        return text?.split(separator: ")").last?.split(separator: " ").first.map { $0 != "Z" } ?? false
    }

    /// Adds 1 to the number in a file 2,000 times, in another process.
    private static func count(_ root: String) async {
        await #expect(processExitsWith: .success) { [root = root as String] in
            let group = try GroupDirectory.open(root: FilePath(root), name: GroupName("test"), access: .readWrite)
            let file = try group.openFile("count", .openingOrCreating)
            for _ in 0..<2000 {
                let lock = try group.lock(.writer, until: .after(.seconds(30)))
                let digits = try Syscalls.read(file.descriptor, at: 0, count: 8)
                let number = Int(String(decoding: digits, as: UTF8.self)) ?? 10_000_000
                try Syscalls.write(file.descriptor, at: 0, Array(String(number + 1).utf8))
                lock.release()
            }
        }
    }
}
