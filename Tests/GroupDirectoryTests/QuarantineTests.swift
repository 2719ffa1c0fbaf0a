// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import RecordStorage
import SystemPackage
import Testing

@Suite("Quarantine")
struct QuarantineTests {
    let scratch = Scratch()

    @Test("bytes set aside are listed and can be deleted")
    func setAside() throws {
        let group = try scratch.group()
        #expect(try group.quarantined().isEmpty)
        let bytes = Array("torn tail".utf8)
        let name = try setAside(bytes, in: group)
        #expect(name.hasPrefix("tail."))
        let listed = try group.quarantined()
        #expect(listed.map(\.name) == [name])
        #expect(listed.map(\.byteCount) == [9])
        let path = group.path.appending("quarantine").appending(name).string
        #expect(FileManager.default.contents(atPath: path) == Data(bytes))
        #expect(try group.emptyQuarantine() == listed)
        #expect(try group.quarantined().isEmpty)
        #expect(try group.emptyQuarantine().isEmpty)
    }

    @Test("a deleted file is overwritten, unless it has a second name")
    func overwritten() throws {
        let group = try scratch.group()
        let names = try (0..<2).map { _ in try setAside([1, 2, 3], in: group) }
        let paths = names.map { group.path.appending("quarantine").appending($0).string }
        let second = group.path.appending("second").string
        try FileManager.default.linkItem(atPath: paths[1], toPath: second)
        let file = try FileHandle(forReadingFrom: URL(filePath: paths[0]))
        try group.emptyQuarantine()
        #expect(try file.readToEnd() == Data(count: 3))
        #expect(FileManager.default.contents(atPath: second) == Data([1, 2, 3]))
        #expect(try group.quarantined().isEmpty)
    }

    @Test("a folder that others may read is refused with what to do, and stays")
    func readable() throws {
        let group = try scratch.group()
        let path = group.path.appending("quarantine").string
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o755]
        )
        let error = #expect(throws: StorageError.self) { try setAside([1], in: group) }
        #expect(error?.code == .unsafePermissions && error?.advice?.contains("chmod 700") == true)
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test("a file that cannot be deleted does not keep others, and is reported")
    func undeletable() throws {
        let group = try scratch.group()
        for _ in 0..<3 { try setAside([1], in: group) }
        // One before the others, one between or behind them.
        for name in ["a", "tail.z"] {
            let path = group.path.appending("quarantine").appending(name).string
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
        let error = #expect(throws: StorageError.self) { try group.emptyQuarantine() }
        #expect(error?.code == .unsafeFile)
        #expect(error?.path?.hasSuffix("/quarantine/a") == true)
        #expect(try group.quarantined().map(\.name).sorted() == ["a", "tail.z"])
    }

    @Test("a whole file is set aside under another name")
    func wholeFile() throws {
        let group = try scratch.group()
        let journal = try group.openFile("journal", .creating)
        try Syscalls.write(journal.descriptor, at: 0, [1, 2, 3])
        let name = try group.quarantineFile("journal", label: "journal")
        #expect(try group.identity(of: "journal") == nil)
        #expect(try group.quarantined().map(\.name) == [name])
    }

    @Test("its folder and files are private")
    func modes() throws {
        let group = try scratch.group()
        let name = try setAside([1, 2], in: group)
        let folder = try FileManager.default.attributesOfItem(atPath: group.path.appending("quarantine").string)
        #expect(folder[.posixPermissions] as? Int == 0o700)
        let path = group.path.appending("quarantine").appending(name).string
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    }

    @Test("a link in the place of its folder is refused")
    func link() throws {
        let group = try scratch.group()
        let path = group.path.appending("quarantine").string
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: scratch.path.string)
        #expect(code { () throws(StorageError) in try setAside([1], in: group) } == .unsafeFile)
        #expect(code { () throws(StorageError) in try group.quarantined() } == .unsafeFile)
        #expect(code { () throws(StorageError) in try group.emptyQuarantine() } == .unsafeFile)
    }

    @Test("nothing is set aside or deleted where nothing may be written")
    func readOnly() throws {
        try setAside([1], in: scratch.group())
        let group = try scratch.group(.readOnly)
        #expect(code { () throws(StorageError) in try setAside([1], in: group) } == .readOnly)
        #expect(code { () throws(StorageError) in try group.emptyQuarantine() } == .readOnly)
        #expect(try group.quarantined().count == 1)
    }

    #if DEBUG
    @Test("on a full disk nothing is left of a quarantine that could not be written")
    func full() throws {
        let group = try scratch.group()
        let fault = SyscallFaults.Fault(.pwrite, .noSpace, shortCount: 1)
        let found = SyscallFaults.with([fault]) {
            code { () throws(StorageError) in try setAside([1, 2, 3], in: group) }
        }
        #expect(found == .full)
        #expect(try group.quarantined().isEmpty)
    }
    #endif

    @discardableResult
    private func setAside(_ bytes: [UInt8], in group: GroupDirectory) throws(StorageError) -> String {
        // SAFETY: bytes have no padding.
        try unsafe group.quarantine(bytes.span.bytes, label: "tail")
    }
}
