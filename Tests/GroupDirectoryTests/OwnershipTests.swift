import Foundation
import GroupDirectory
import RecordStorage
import SystemPackage
import Testing

/// What can stand where a file of ours belongs.
enum Intruder: String, CaseIterable, Sendable {
    case link, danglingLink, fifo, folder, socket, device, hardLink, groupReadable, worldWritable, foreign

    var expected: StorageError.Code {
        switch self {
        case .link, .danglingLink, .fifo, .folder, .socket, .device, .hardLink: .unsafeFile
        case .groupReadable, .worldWritable, .foreign: .unsafePermissions
        }
    }

    /// Puts it at `path`, in the place of what is there.
    func place(at path: String, scratch: Scratch) throws {
        let file = scratch.path.appending("elsewhere").string
        Plant.file(file)
        try? FileManager.default.removeItem(atPath: path)
        switch self {
        case .link: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: file)
        case .danglingLink: try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/nowhere/x")
        case .fifo: Plant.fifo(path)
        case .folder: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        case .socket: Plant.node(path, S_IFSOCK)
        case .device: Plant.node(path, S_IFCHR, device: 0x103)
        case .hardLink: try FileManager.default.linkItem(atPath: file, toPath: path)
        case .groupReadable: Plant.file(path, mode: 0o640)
        case .worldWritable: Plant.file(path, mode: 0o606)
        case .foreign:
            Plant.file(path)
            Plant.otherOwner(path)
        }
    }
}

@Suite("What is not ours or not private is refused", .enabled(if: geteuid() == 0, "needs root to plant things"))
struct OwnershipTests {
    let scratch = Scratch()

    @Test("an opened file", arguments: Intruder.allCases)
    func file(intruder: Intruder) throws {
        let group = try scratch.group()
        let path = group.path.appending("journal").string
        try intruder.place(at: path, scratch: scratch)
        for mode in [FileMode.reading, .readingAndWriting, .openingOrCreating] {
            expectRefusal(intruder, path) { () throws(StorageError) in try group.openFile("journal", mode) }
        }
        #expect(code { () throws(StorageError) in try group.openFile("journal", .creating) } == .exists)
    }

    @Test("the lock file", arguments: Intruder.allCases)
    func lock(intruder: Intruder) throws {
        let group = try scratch.group()
        let path = group.path.appending("lock").string
        try intruder.place(at: path, scratch: scratch)
        expectRefusal(intruder, path) { () throws(StorageError) in _ = try group.lock(.writer, until: .standard) }
        expectRefusal(intruder, path) { () throws(StorageError) in try scratch.group(.create) }
    }

    @Test("the shared page, when the group is opened", arguments: Intruder.allCases)
    func page(intruder: Intruder) throws {
        let group = try scratch.group()
        let path = group.path.appending("revision").string
        try intruder.place(at: path, scratch: scratch)
        for access in [DirectoryAccess.create, .readWrite, .readOnly] {
            expectRefusal(intruder, path) { () throws(StorageError) in try scratch.group(access) }
        }
        // One that was opened before goes on without a page.
        group.revision.bump()
        #expect(!group.revision.isShared)
    }

    @Test("the state file", arguments: Intruder.allCases)
    func state(intruder: Intruder) throws {
        let group = try scratch.group()
        let path = group.path.appending("store").string
        try intruder.place(at: path, scratch: scratch)
        expectRefusal(intruder, path) { () throws(StorageError) in try group.readState() }
    }

    @Test("nothing is put right by force")
    func noForce() throws {
        let group = try scratch.group()
        let path = group.path.appending("journal").string
        try Intruder.groupReadable.place(at: path, scratch: scratch)
        _ = code { () throws(StorageError) in try group.openFile("journal", .openingOrCreating) }
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o640)
    }

    @Test(
        "the folder of the group",
        arguments: [
            (Intruder.link, StorageError.Code.unsafeFile), (.danglingLink, .unsafeFile), (.fifo, .unsafeFile),
            (.socket, .unsafeFile), (.device, .unsafeFile), (.groupReadable, .unsafeFile),
        ]
    )
    func groupFolder(intruder: Intruder, expected: StorageError.Code) throws {
        _ = try scratch.group(.create, name: "other")
        let path = scratch.root.appending("test").string
        try intruder.place(at: path, scratch: scratch)
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

    @Test("a folder of another user")
    func foreignFolder() throws {
        let path = try scratch.group().path.string
        Plant.otherOwner(path)
        for access in [DirectoryAccess.create, .readWrite, .readOnly] {
            #expect(code { () throws(StorageError) in try scratch.group(access) } == .unsafePermissions)
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
            #expect(error.detail?.contains(";") == true, "it says what to do", sourceLocation: location)
        }
    }
}
