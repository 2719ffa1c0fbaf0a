// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import RecordStorage
import SystemPackage
import Testing

@Suite("Opening the folder of a group")
struct OpeningTests {
    let scratch = Scratch()

    @Test("creating makes private folders and files")
    func creating() throws {
        let group = try scratch.group()
        for (name, mode) in [("", 0o700), ("lock", 0o600), ("leases", 0o600), ("revision", 0o600)] {
            let path = name.isEmpty ? group.path.string : group.path.appending(name).string
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == mode, "\(path)")
        }
        #expect(group.readOnlyReason == nil)
    }

    @Test("a group that is not there is not found")
    func missing() throws {
        #expect(code { () throws(StorageError) in try scratch.group(.readWrite) } == .notFound)
        _ = try scratch.group(.create, name: "other")
        #expect(code { () throws(StorageError) in try scratch.group(.readWrite) } == .notFound)
    }

    @Test("two opened folders of one group share a word")
    func sharedWord() throws {
        let first = try scratch.group()
        let second = try scratch.group(.readWrite)
        let before = second.revision.word.load()
        #expect(before == first.revision.word.load())
        let after = first.revision.bump()
        #expect(second.revision.word.load() == after)
        #expect(after != before)
    }

    @Test("a lock held by one keeps the other out")
    func locking() throws {
        let first = try scratch.group()
        let second = try scratch.group(.readWrite)
        do {
            let lock = try first.lock(.writer, until: .standard)
            #expect(
                code { () throws(StorageError) in
                    _ = try second.lock(.writer, until: .after(.milliseconds(20)))
                } == .busy
            )
            #expect(try second.tryLock(.compactor) != nil)
            lock.release()
        }
        #expect(try second.tryLock(.writer) != nil)
    }

    @Test("an installed temporary file bears its lasting name")
    func installing() throws {
        let group = try scratch.group()
        let temporary = try group.makeTemporary()
        try Syscalls.write(temporary.descriptor, at: 0, Array("hello".utf8))
        try group.install(temporary, as: "journal")
        let file = try group.openFile("journal", .reading)
        #expect(try Syscalls.read(file.descriptor, at: 0, count: 100) == Array("hello".utf8))
        #expect(try group.identity(of: "journal") == file.identity)
    }
}
