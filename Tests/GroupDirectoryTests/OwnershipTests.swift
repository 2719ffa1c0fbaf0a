// SPDX-License-Identifier: Apache-2.0

import Foundation
import Programs
import RecordStorage
import SystemPackage
import Testing

@testable import GroupDirectory

@Suite("Files of other users or with open permissions are refused")
struct OwnershipTests {
    let scratch = Scratch()

    /// A file of a group, as the code meets it.
    enum Victim: String, CaseIterable, Sendable {
        case journal, lock, revision, store
    }

    @Test("in the place of any file", arguments: Victim.allCases, Intruder.ofAnyone)
    func files(victim: Victim, intruder: Intruder) throws {
        try expectRefusal(of: intruder, as: victim)
    }

    @Test(
        "in the place of any file, when it takes root to put it there",
        .enabled(if: Root.isHere, "needs root"),
        arguments: Victim.allCases,
        Intruder.ofRoot
    )
    func filesOfOthers(victim: Victim, intruder: Intruder) throws {
        try expectRefusal(of: intruder, as: victim)
    }

    @Test("a new file is made private, and refused where the file system gives it other permissions all the same")
    func newFile() throws {
        let path = scratch.path.appending("new").string
        try Data().write(to: URL(filePath: path))
        try run("/bin/chmod", ["644", path])
        let file = try Syscalls.openPath(path, flags: O_RDWR)
        defer { Syscalls.close(file) }
        let error = #expect(throws: StorageError.self) {
            try Ownership.checkKeepsModes(Syscalls.status(file), path: path)
        }
        #expect(error?.code == .unsafePermissions)
        #expect(error?.detail?.contains("file system keeps no permissions") == true)
        try Ownership.makePrivate(file, path: path)
        #expect(try Syscalls.status(file).permissions == 0o600)
    }

    @Test("nothing is put right by force")
    func noForce() throws {
        let group = try scratch.group()
        let path = group.path.appending("journal").string
        try Intruder.groupReadable.location(at: path, scratch: scratch)
        _ = code { () throws(StorageError) in try group.openFile("journal", .openingOrCreating) }
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o640)
    }

    @Test(
        "the folder of the group",
        arguments: [
            (Intruder.link, StorageError.Code.unsafeFile), (.danglingLink, .unsafeFile), (.fifo, .unsafeFile),
            (.socket, .unsafeFile), (.groupReadable, .unsafeFile),
        ]
    )
    func groupFolder(intruder: Intruder, expected: StorageError.Code) throws {
        _ = try scratch.group(.create, name: "other")
        let path = scratch.root.appending("test").string
        try intruder.location(at: path, scratch: scratch)
        for access in [DirectoryAccess.create, .readWrite, .readOnly] {
            #expect(code { () throws(StorageError) in try scratch.group(access) } == expected)
        }
    }

    @Test("a folder that others may enter", arguments: [0o710, 0o701, 0o755, 0o770])
    func groupFolderMode(mode: Int) throws {
        let path = try scratch.group().path.string
        Plant.mode(path, mode)
        #expect(code { () throws(StorageError) in try scratch.group(.create) } == .unsafePermissions)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == mode)
    }

    @Test("a folder of another user", .enabled(if: Root.isHere, "needs root"))
    func foreignFolder() throws {
        let path = try scratch.group().path.string
        Plant.otherOwner(path)
        for access in [DirectoryAccess.create, .readWrite, .readOnly] {
            #expect(code { () throws(StorageError) in try scratch.group(access) } == .unsafePermissions)
        }
    }

    private func expectRefusal(of intruder: Intruder, as victim: Victim) throws {
        let group = try scratch.group()
        let path = group.path.appending(victim.rawValue).string
        try intruder.location(at: path, scratch: scratch)
        switch victim {
        case .journal:
            for mode in [FileMode.reading, .readingAndWriting, .openingOrCreating] {
                expectRefusal(intruder, path) { () throws(StorageError) in try group.openFile("journal", mode) }
            }
            #expect(code { () throws(StorageError) in try group.openFile("journal", .creating) } == .exists)
        case .lock:
            expectRefusal(intruder, path) { () throws(StorageError) in _ = try group.lock(.writer, until: .standard) }
            expectRefusal(intruder, path) { () throws(StorageError) in try scratch.group(.create) }
        case .revision:
            for access in [DirectoryAccess.create, .readWrite, .readOnly] {
                expectRefusal(intruder, path) { () throws(StorageError) in try scratch.group(access) }
            }
            // One that was opened before goes on without a page.
            group.revision.bump()
            #expect(!group.revision.isShared)
        case .store:
            expectRefusal(intruder, path) { () throws(StorageError) in try group.readState() }
        }
    }

    private func expectRefusal<Result>(
        _ intruder: Intruder,
        _ path: String,
        _ location: SourceLocation = #_sourceLocation,
        _ body: () throws(StorageError) -> Result
    ) {
        do throws(StorageError) {
            _ = try body()
            Issue.record("\(intruder) was accepted", sourceLocation: location)
        } catch {
            #expect(error.code == intruder.expected, "\(error)", sourceLocation: location)
            #expect(error.path == path, sourceLocation: location)
            #expect(error.advice != nil, "it says what to do", sourceLocation: location)
        }
    }
}
