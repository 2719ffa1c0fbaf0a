// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import Programs
import RecordStorage
import SystemPackage
import Testing

@Suite("Reading only")
struct AccessTests {
    let scratch = Scratch()

    @Test("opened for reading, nothing is written and everything is read")
    func reading() throws {
        let writer = try scratch.group()
        try writer.writeState(StoreStateTests.sample, under: writer.lock(.writer, until: .standard))
        let reader = try scratch.group(.readOnly)
        #expect(reader.readOnlyReason?.code == .readOnly)
        #expect(try reader.readState() == StoreStateTests.sample)
        #expect(code { () throws(StorageError) in _ = try reader.lock(.writer, until: .standard) } == .readOnly)
        #expect(code { () throws(StorageError) in try reader.makeTemporary() } == .readOnly)
        #expect(reader.removeStaleTemporaries() == 0)
        let word = reader.revision.word.load()
        reader.revision.bump()
        #expect(reader.revision.word.load() == word)
        let told = writer.revision.bump()
        #expect(told != word)
        #expect(reader.revision.word.load() == told)
    }

    @Test("a reader's shared lock and a writer's lock exclude each other")
    func sharedLock() throws {
        let writer = try scratch.group()
        let reader = try scratch.group(.readOnly)
        do {
            let lock = try reader.lock(.writer, .shared, until: .standard)
            #expect(try writer.tryLock(.writer) == nil)
            lock.release()
        }
        let lock = try writer.lock(.writer, until: .standard)
        #expect(try reader.tryLock(.writer, .shared) == nil)
        lock.release()
    }

    @Test("without a lock file, a reader needs no lock")
    func noLockFile() throws {
        let writer = try scratch.group()
        try writer.removeFile("lock")
        let reader = try scratch.group(.readOnly)
        try reader.lock(.writer, .shared, until: .standard).release()
        #expect(try writer.identity(of: "lock") == nil)
    }

    @Test("a missing group is not made by a reader")
    func missing() {
        #expect(code { () throws(StorageError) in try scratch.group(.readOnly) } == .notFound)
        #expect(!FileManager.default.fileExists(atPath: scratch.root.string))
    }

    @Test("a folder that its owner may not write opens read-only", .enabled(if: Root.isHere, "needs two users"))
    func noWritePermission() async throws {
        try run("/bin/chown", ["-R", "65534:65534", scratch.path.string])
        await #expect(processExitsWith: .success) { [root = scratch.root.string as String] in
            Plant.becomeNobody()
            let name = try GroupName("test")
            let writer = try GroupDirectory.open(root: FilePath(root), name: name, access: .create)
            try writer.writeState(StoreStateTests.sample, under: writer.lock(.writer, until: .standard))
            Plant.mode(writer.path.string, 0o500)
            for access in [DirectoryAccess.create, .readWrite, .readOnly] {
                let group = try GroupDirectory.open(root: FilePath(root), name: name, access: access)
                precondition(group.readOnlyReason?.code == .readOnly)
                let state = try group.readState()
                precondition(state == StoreStateTests.sample)
                precondition(code { () throws(StorageError) in try group.makeTemporary() } == .readOnly)
                try group.lock(.writer, .shared, until: .standard).release()
            }
            // One that was open before meets the change at its next write.
            precondition(code { () throws(StorageError) in try writer.makeTemporary() } == .readOnly)
        }
    }

    @Test("a read-only mount opens read-only, with shared locks", .enabled(if: Root.isHere, "needs mount"))
    func readOnlyMount() throws {
        let point = scratch.path.appending("mount")
        try FileManager.default.createDirectory(atPath: point.string, withIntermediateDirectories: false)
        try #require(run("/bin/mount", ["-t", "tmpfs", "-o", "mode=0700", "none", point.string]).status == 0)
        defer { _ = try? run("/bin/umount", ["-l", point.string]) }
        let name = try GroupName("test")
        do {
            let writer = try GroupDirectory.open(root: point, name: name, access: .create)
            try writer.writeState(StoreStateTests.sample, under: writer.lock(.writer, until: .standard))
            #expect(writer.revision.isShared)
        }
        try #require(run("/bin/mount", ["-o", "remount,ro", point.string]).status == 0)
        for access in [DirectoryAccess.create, .readWrite, .readOnly] {
            let group = try GroupDirectory.open(root: point, name: name, access: access)
            #expect(group.readOnlyReason?.code == .readOnly)
            #expect(group.readOnlyReason?.errno == .readOnlyFileSystem)
            #expect(try group.readState() == StoreStateTests.sample)
            #expect(group.revision.isShared)
            try group.lock(.writer, .shared, until: .standard).release()
            #expect(code { () throws(StorageError) in _ = try group.lock(.writer, until: .standard) } == .readOnly)
        }
        let other = try GroupName("other")
        #expect(
            code { () throws(StorageError) in
                try GroupDirectory.open(root: point, name: other, access: .create)
            } == .readOnly
        )
    }

    @Test("a group is not created where a link to nowhere leads")
    func danglingRoot() throws {
        let (link, target) = (scratch.path.appending("link"), scratch.path.appending("away"))
        try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: target.string)
        let name = try GroupName("test")
        for root in [link, link.appending("groups")] {
            for access in [DirectoryAccess.create, .readWrite, .readOnly] {
                let error = code { () throws(StorageError) in
                    _ = try GroupDirectory.open(root: root, name: name, access: access)
                }
                #expect(error == .system)
            }
        }
        #expect(!FileManager.default.fileExists(atPath: target.string))
    }

    @Test("another user's group is refused, also to root", .enabled(if: Root.isHere, "needs two users"))
    func otherUser() throws {
        _ = try scratch.group()
        try run("/bin/chown", ["-R", "65534:65534", scratch.root.string])
        #expect(code { () throws(StorageError) in try scratch.group(.readOnly) } == .unsafePermissions)
    }
}
