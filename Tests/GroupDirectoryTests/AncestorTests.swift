// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import Programs
import RecordStorage
import SystemPackage
import Testing

@Suite("Folders above the group")
struct AncestorTests {
    let scratch = Scratch()

    @Test("one that others can write is refused by name", arguments: [0o777, 0o770, 0o702])
    func writable(mode: Int) throws {
        let upper = scratch.path.appending("upper")
        try make(upper, mode: mode)
        expect(.unsafePermissions, at: upper) { () throws(StorageError) in try open(upper.appending("root")) }
        #expect(!FileManager.default.fileExists(atPath: upper.appending("root").string))
    }

    @Test("a sticky one that others can write is like /tmp")
    func sticky() throws {
        let upper = scratch.path.appending("upper")
        try make(upper, mode: 0o1777)
        _ = try open(upper.appending("root"))
    }

    @Test(
        "one of another user is refused, sticky or not",
        .enabled(if: Root.isHere, "needs root"),
        arguments: [0o755, 0o1777]
    )
    func foreign(mode: Int) throws {
        let upper = scratch.path.appending("upper")
        try make(upper, mode: mode)
        Plant.otherOwner(upper.string)
        expect(.unsafePermissions, at: upper) { () throws(StorageError) in try open(upper.appending("root")) }
    }

    @Test("the root itself is judged like those above it")
    func root() throws {
        try make(scratch.root, mode: 0o777)
        expect(.unsafePermissions, at: scratch.root) { () throws(StorageError) in try scratch.group() }
    }

    @Test("a link of our own on the way is followed, and its target judged")
    func ownLink() throws {
        let real = scratch.path.appending("real")
        let link = scratch.path.appending("link")
        try make(real, mode: 0o700)
        try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: "./real/../real")
        let group = try open(link.appending("root"))
        #expect(group.path == real.appending(["root", "g"]))
        Plant.mode(real.string, 0o777)
        expect(.unsafePermissions, at: real) { () throws(StorageError) in try open(link.appending("root")) }
    }

    @Test("a link of another user on the way is refused", .enabled(if: Root.isHere, "needs root"))
    func foreignLink() throws {
        let link = scratch.path.appending("link")
        try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: scratch.path.string)
        Plant.otherOwner(link.string)
        expect(.unsafePermissions, at: link) { () throws(StorageError) in try open(link.appending("root")) }
    }

    @Test("links without end are refused")
    func endless() throws {
        let link = scratch.path.appending("link")
        try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: "link")
        #expect(code { () throws(StorageError) in try open(link.appending("root")) } == .unsafeFile)
    }

    @Test("a file on the way is refused")
    func file() throws {
        let file = scratch.path.appending("file")
        Plant.file(file.string)
        expect(.unsafeFile, at: file) { () throws(StorageError) in try open(file.appending("root")) }
    }

    @Test("folders that are missing are made private, whatever the umask")
    func umasks() async {
        await #expect(processExitsWith: .success) { [path = scratch.path.string as String] in
            for (index, mask) in ([0, 0o22, 0o77, 0o777, 0o277] as [mode_t]).enumerated() {
                umask(mask)
                let root = FilePath(path).appending("root\(index)").appending("deeper")
                let group = try GroupDirectory.open(root: root, name: GroupName("g"), access: .create)
                let lock = try group.lock(.writer, until: .standard)
                try group.writeState(StoreStateTests.sample, under: lock)
                for (name, mode) in [("", 0o700), ("lock", 0o600), ("revision", 0o600), ("store", 0o600)] {
                    let file = name.isEmpty ? group.path.string : group.path.appending(name).string
                    let attributes = try FileManager.default.attributesOfItem(atPath: file)
                    precondition(attributes[.posixPermissions] as? Int == mode, "\(file) with umask \(mask)")
                }
                precondition(group.revision.isShared)
            }
        }
    }

    private func make(_ path: FilePath, mode: Int) throws {
        try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: false)
        Plant.mode(path.string, mode)
    }

    private func open(_ root: FilePath) throws(StorageError) -> GroupDirectory {
        try GroupDirectory.open(root: root, name: GroupName("g"), access: .create)
    }

    private func expect<Result>(
        _ code: StorageError.Code,
        at path: FilePath,
        _ body: () throws(StorageError) -> Result
    ) {
        do throws(StorageError) {
            _ = try body()
            Issue.record("nothing was thrown")
        } catch {
            #expect(error.code == code)
            #expect(error.path == path.string)
        }
    }
}
