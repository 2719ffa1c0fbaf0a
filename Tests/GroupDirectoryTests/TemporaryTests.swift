// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import RecordStorage
import StoreConformance
import SystemPackage
import Testing

@Suite("Temporary files")
struct TemporaryTests {
    let scratch = Scratch()

    private func names(_ group: GroupDirectory) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: group.path.string).filter { $0.hasPrefix("tmp.") }
    }

    @Test("one that is not installed vanishes")
    func vanishes() throws {
        let group = try scratch.group()
        do {
            let temporary = try group.makeTemporary()
            #expect(try names(group) == [temporary.name])
            #expect(temporary.name.utf8.count == 4 + 32)
            #expect(try temporary.file.currentStatus().permissions == 0o600)
        }
        #expect(try names(group).isEmpty)
    }

    @Test("installing replaces the old file as a whole, and readers of the old one keep it")
    func replaces() throws {
        let group = try scratch.group()
        try install("old content", in: group)
        let reader = try group.openFile("journal", .reading)
        try install("new", in: group)
        #expect(try Syscalls.read(reader.descriptor, at: 0, count: 100) == Array("old content".utf8))
        let now = try group.openFile("journal", .reading)
        #expect(try Syscalls.read(now.descriptor, at: 0, count: 100) == Array("new".utf8))
        #expect(group.hasMoved("journal", since: reader.identity))
        #expect(!group.hasMoved("journal", since: now.identity))
    }

    #if DEBUG
    @Test(
        "where installing fails the old file stays, and the error says what is known",
        arguments: [
            (SyscallFaults.Fault(.fsync, .ioError), StorageError.Code.indeterminate),
            (SyscallFaults.Fault(.fsync, .noSpace), .full),
            (SyscallFaults.Fault(.rename, .noSpace), .full),
            (SyscallFaults.Fault(.rename, .readOnlyFileSystem), .readOnly),
            (SyscallFaults.Fault(.rename, .ioError), .system),
        ]
    )
    func failing(fault: SyscallFaults.Fault, expected: StorageError.Code) throws {
        let group = try scratch.group()
        try install("old", in: group)
        let found = SyscallFaults.with([fault]) {
            code { () throws(StorageError) in try install("new", in: group) }
        }
        #expect(found == expected)
        let file = try group.openFile("journal", .reading)
        #expect(try Syscalls.read(file.descriptor, at: 0, count: 100) == Array("old".utf8))
        #expect(try names(group).isEmpty)
    }
    #endif

    #if DEBUG
    @Test("where only the folder's sync fails the outcome is unknown, and said so")
    func folderSync() throws {
        let group = try scratch.group()
        try install("old", in: group)
        let found = SyscallFaults.with([.init(.fsync, .ioError, after: 1)]) {
            code { () throws(StorageError) in try install("new", in: group) }
        }
        #expect(found == .indeterminate)
        let file = try group.openFile("journal", .reading)
        #expect(try Syscalls.read(file.descriptor, at: 0, count: 100) == Array("new".utf8))
    }
    #endif

    @Test("those of killed makers are removed, those in use stay")
    func stale() async throws {
        let group = try scratch.group()
        await #expect(processExitsWith: .signal(SIGKILL)) { [root = scratch.root.string as String] in
            let group = try GroupDirectory.open(root: FilePath(root), name: GroupName("test"), access: .readWrite)
            let kept = try (0..<3).map { _ in try group.makeTemporary() }
            kill(getpid(), SIGKILL)
            print(kept.count)
        }
        let own = try group.makeTemporary()
        #expect(try names(group).count == 4)
        #expect(try scratch.group(.readWrite).removeStaleTemporaries() == 3)
        #expect(try names(group) == [own.name])
        #expect(group.removeStaleTemporaries() == 0)
        try group.install(own, as: "journal")
        #expect(group.removeStaleTemporaries() == 0)
    }

    @Test("cleaning never removes a file that is being made or was installed")
    func cleaningRace() throws {
        let group = try scratch.group()
        let end = SuspendingClock().now + .milliseconds(500)
        try inThreads(4) { thread in
            while SuspendingClock().now < end {
                if thread == 0 {
                    group.removeStaleTemporaries()
                    continue
                }
                let temporary = try group.makeTemporary()
                try Syscalls.write(temporary.descriptor, at: 0, [UInt8(thread)])
                try group.install(temporary, as: "file\(thread)")
                let file = try group.openFile("file\(thread)", .reading)
                let content = try Syscalls.read(file.descriptor, at: 0, count: 10)
                try #require(content == [UInt8(thread)])
            }
        }
    }

    @Test("other files with such a name are left to their owner")
    func foreignNames() throws {
        let group = try scratch.group()
        let path = group.path.appending("tmp.link").string
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "lock")
        #expect(group.removeStaleTemporaries() == 0)
        #expect(try names(group) == ["tmp.link"])
        #expect(try group.identity(of: "lock") != nil)
    }

    private func install(_ text: String, in group: GroupDirectory) throws(StorageError) {
        let temporary = try group.makeTemporary()
        try describing("writing", path: nil) { () throws(Errno) in
            try Syscalls.write(temporary.descriptor, at: 0, Array(text.utf8))
        }
        try group.install(temporary, as: "journal")
    }
}
