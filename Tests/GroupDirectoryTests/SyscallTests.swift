// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import RecordStorage
import StoreConformance
import SystemPackage
import Testing

@Suite("System calls")
struct SyscallTests {
    let scratch = Scratch()

    @Test("reading stops at the end of the file")
    func shortRead() throws {
        let group = try scratch.group()
        let file = try group.openFile("file", .creating)
        try Syscalls.write(file.descriptor, at: 3, [1, 2, 3])
        #expect(try Syscalls.read(file.descriptor, at: 0, count: 100) == [0, 0, 0, 1, 2, 3])
        #expect(try Syscalls.read(file.descriptor, at: 5, count: 1) == [3])
        #expect(try Syscalls.read(file.descriptor, at: 6, count: 1).isEmpty)
        #expect(try Syscalls.read(file.descriptor, at: 600, count: 0).isEmpty)
    }

    @Test("the state of a file without its times is the same but for those")
    func withoutTimes() throws {
        let group = try scratch.group()
        let file = try group.openFile("file", .creating)
        try Syscalls.write(file.descriptor, at: 0, [1, 2, 3])
        let folder = try FileDescriptor.open(group.path, .readOnly)
        defer { try? folder.close() }
        let all = try Syscalls.status(file.descriptor)
        let named = try #require(try Syscalls.statusWithoutTimes(of: "file", in: folder))
        for status in [try Syscalls.statusWithoutTimes(file.descriptor), named] {
            #expect(status.identity == all.identity.withoutTime)
            #expect(status.identity.changeTime == nil && status.modifiedSeconds == nil)
            #expect(status.mode == all.mode && status.owner == all.owner && status.linkCount == all.linkCount)
            #expect(status.allocatedByteCount == all.allocatedByteCount)
        }
        #expect(all.identity.changeTime != nil && all.modifiedSeconds != nil)
        #expect(try Syscalls.statusWithoutTimes(of: "nothing", in: folder) == nil)
        try FileManager.default.createSymbolicLink(
            atPath: group.path.appending("link").string,
            withDestinationPath: "file"
        )
        #expect(try Syscalls.statusWithoutTimes(of: "link", in: folder)?.isLink == true)
    }

    #if DEBUG
    @Test("a failed write throws, and the earlier contents stay")
    func shortWrite() throws {
        let group = try scratch.group()
        let file = try group.openFile("file", .creating)
        let fault = SyscallFaults.Fault(.pwrite, .noSpace, shortCount: 2)
        #expect(throws: Errno.noSpace) {
            try SyscallFaults.with([fault]) { try Syscalls.write(file.descriptor, at: 0, [1, 2, 3, 4]) }
        }
        #expect(try Syscalls.read(file.descriptor, at: 0, count: 100) == [1, 2])
        #expect(StorageError(.noSpace, path: nil, doing: "x").code == .full)
    }
    #endif

    @Test("room is reserved without changing the length")
    func reserving() throws {
        let group = try scratch.group()
        let file = try group.openFile("file", .creating)
        try Syscalls.write(file.descriptor, at: 0, [UInt8](repeating: 9, count: 8192))
        try Syscalls.reserve(file.descriptor, at: 8192, count: 65536)
        let status = try file.currentStatus()
        #expect(status.identity.size == 8192)
        #expect(status.allocatedByteCount >= 73728)
        try Syscalls.truncate(file.descriptor, to: 10)
        #expect(try file.currentStatus().identity.size == 10)
    }

    @Test("a new name is not put over an old one")
    func renameToNew() throws {
        let group = try scratch.group()
        for name in ["a", "b"] { _ = try group.openFile(name, .creating) }
        let folder = try FileDescriptor.open(group.path, .readOnly)
        defer { try? folder.close() }
        #expect(throws: Errno.fileExists) { try Syscalls.renameToNew("a", to: "b", in: folder) }
        try Syscalls.renameToNew("a", to: "c", in: folder)
        #expect(try Set(Syscalls.names(in: folder)) == ["b", "c", "lock", "leases", "revision"])
    }

    @Test(
        "what the system says gets a code",
        arguments: [
            (Errno.noSuchFileOrDirectory, StorageError.Code.notFound), (.fileExists, .exists), (.noSpace, .full),
            (Errno(rawValue: 122), .full), (.permissionDenied, .readOnly), (.readOnlyFileSystem, .readOnly),
            (.tooManySymbolicLinkLevels, .unsafeFile), (.isDirectory, .unsafeFile), (.ioError, .system),
        ]
    )
    func codes(errno: Errno, expected: StorageError.Code) {
        let error = StorageError(errno, path: "/p", doing: "trying")
        #expect(error.code == expected)
        #expect(error.errno == errno)
        #expect(error.path == "/p")
        #expect(error.detail?.hasPrefix("trying failed") == true)
    }

    #if DEBUG
    @Test("faults hit only the thread and the call that they are meant for")
    func faults() throws {
        let group = try scratch.group()
        let file = try group.openFile("file", .creating)
        try SyscallFaults.with([.init(.fdatasync, .ioError, after: 1, times: 2)]) {
            try Syscalls.syncData(file.descriptor)
            try inThreads(1) { _ in try Syscalls.syncData(file.descriptor) }
            #expect(throws: Errno.ioError) { try Syscalls.syncData(file.descriptor) }
            #expect(throws: Errno.ioError) { try Syscalls.syncData(file.descriptor) }
            try Syscalls.syncData(file.descriptor)
        }
    }
    #endif
}
