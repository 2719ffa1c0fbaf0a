// SPDX-License-Identifier: Apache-2.0

import Foundation
import GroupDirectory
import RecordStorage
import Sealing
import SystemPackage
import Testing

@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Key files")
struct KeyFileTests {
    let scratch = ScratchFolder()
    let group = GroupUUID()

    private func own() throws -> OwnKeyFiles {
        try OwnKeyFiles(root: FilePath(scratch.path), environment: [:])
    }

    /// Whether both open the same slot.
    private func areSame(_ first: SlotSecret, _ second: SlotSecret) throws -> Bool {
        let keys = try GroupKeys.generate()
        let slots = try KeySlots.create(for: keys, slots: [NewSlot(first)])
        return (try? slots.unlock(with: second)) != nil
    }

    @Test("a key file made here is private, has 32 random bytes and reads back")
    func creation() throws {
        let file = try own().first(of: group)
        let made = try file.create()
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(attributes[.size] as? Int == 32)
        let folder = try FileManager.default.attributesOfItem(atPath: scratch.path(".keys"))
        #expect(folder[.posixPermissions] as? Int == 0o700)
        #expect(try areSame(made, file.read()))
    }

    @Test("a key file that is there is never overwritten")
    func noOverwriting() throws {
        let file = try own().first(of: group)
        _ = try file.create()
        let before = FileManager.default.contents(atPath: file.path)
        #expect(throws: StorageError.self) { try file.create() }
        _ = try file.readOrCreate()
        #expect(FileManager.default.contents(atPath: file.path) == before)
        #expect(scratch.files == [".keys", ".keys/\(group)"])
    }

    #if DEBUG
    @Test("the name of a key file that another process created is synced before it is relied on")
    func durability() throws {
        let file = try own().first(of: group)
        _ = try file.create()
        let error = #expect(throws: StorageError.self) {
            try SyscallFaults.with([.init(.fsync, .ioError)]) { try file.readOrCreate() }
        }
        #expect(error?.code == .system)
    }
    #endif

    @Test("threads that make the same key file at once get the same key")
    func race() throws {
        let file = try own().first(of: group)
        let results = Results()
        DispatchQueue.concurrentPerform(iterations: 16) { _ in results.add(try? file.readOrCreate()) }
        let secrets = results.all
        #expect(secrets.count == 16)
        for secret in secrets.dropFirst() { #expect(try areSame(secrets[0], secret)) }
    }

    @Test("a key file has 32 to 4,096 bytes", arguments: [0, 31, 4_097, 100_000])
    func length(count: Int) throws {
        let path = scratch.write([UInt8](repeating: 7, count: count), to: "key")
        let error = #expect(throws: StorageError.self) { try KeyFile(at: path).read() }
        #expect(error?.code == .keyFileInvalid)
    }

    @Test("a key file of 32 and of 4,096 bytes is accepted", arguments: [32, 4_096])
    func acceptedLength(count: Int) throws {
        let path = scratch.write([UInt8](repeating: 7, count: count), to: "key", mode: 0o400)
        _ = try KeyFile(at: path).read()
    }

    @Test(
        "a key file that others may read is refused, with how to name a mounted one",
        arguments: [0o644, 0o640, 0o604, 0o602]
    )
    func mode(mode: Int) throws {
        let path = scratch.write([UInt8](repeating: 7, count: 32), to: "key", mode: mode)
        let error = #expect(throws: StorageError.self) { try KeyFile(at: path).read() }
        #expect(error?.code == .unsafePermissions)
        #expect(error?.advice?.contains("--key-file-mounted") == true)
        #expect(error?.advice?.contains("chmod 600") == true)
    }

    @Test("a symbolic link, a folder and a FIFO are not key files")
    func types() throws {
        let target = scratch.write([UInt8](repeating: 7, count: 32), to: "key")
        try FileManager.default.createSymbolicLink(atPath: scratch.path("link"), withDestinationPath: target)
        try FileManager.default.createDirectory(atPath: scratch.path("folder"), withIntermediateDirectories: false)
        _ = unsafe mkfifo(scratch.path("fifo"), 0o600)
        for name in ["link", "folder", "fifo"] {
            let error = #expect(throws: StorageError.self) { try KeyFile(at: scratch.path(name)).read() }
            #expect(error?.code == .unsafeFile, "\(name)")
            // Kubernetes mounts secrets as links.
            #expect(error?.advice?.contains("--key-file-mounted") == true, "\(name)")
        }
    }

    @Test("a key file that is not there is missing")
    func missing() throws {
        let error = #expect(throws: StorageError.self) { try KeyFile(at: scratch.path("no")).read() }
        #expect(error?.code == .keyMissing)
    }

    @Test("a path that names no file is refused", arguments: ["", "/", "..", "/tmp/.."])
    func path(path: String) throws {
        let error = #expect(throws: StorageError.self) { try KeyFile(at: path) }
        #expect(error?.code == .keyFileInvalid)
    }

    @Test("trying the key files that may be a group's ends with the time of the call")
    func deadline() throws {
        let fixture = GroupFixture()
        let group = try fixture.create()
        let uuid = try #require(try group.directory?.readState()?.group)
        let key = try #require(fixture.keyFiles.first)
        for number in 0..<3 { fixture.scratch.write([UInt8](repeating: 1, count: 32), to: ".keys/\(uuid).\(number)") }
        try FileManager.default.moveItem(atPath: key, toPath: key + ".9")
        let hurried = try fixture.opener(access: .readOnly, timeout: .zero)
        let error = #expect(throws: StorageError.self) { try hurried.open() }
        #expect(error?.code == .timeout)
        _ = try fixture.open(access: .readOnly)
    }

    @Test("own key files are in the state folder of the user, apart from the data")
    func locations() throws {
        let state = try OwnKeyFiles(root: nil, environment: ["XDG_STATE_HOME": "/s", "HOME": "/h"])
        #expect(state.folder == "/s/swift-token-cache/keys")
        let home = try OwnKeyFiles(root: nil, environment: ["XDG_STATE_HOME": "relative", "HOME": "/h"])
        #expect(home.folder == "/h/.local/state/swift-token-cache/keys")
        let error = #expect(throws: StorageError.self) { try OwnKeyFiles(root: nil, environment: [:]) }
        #expect(error?.code == .homeMissing)
    }

    @Test("all own key files of a group are found, and no other's")
    func listing() throws {
        let files = try own()
        #expect(try files.all(of: group).isEmpty)
        _ = try files.first(of: group).create()
        let next = files.next(of: group, epoch: 2)
        _ = try next.create()
        _ = try files.first(of: GroupUUID()).create()
        #expect(try Set(files.all(of: group)) == [files.first(of: group), next])
        try next.remove()
        #expect(try files.all(of: group) == [files.first(of: group)])
    }

    @Test("the name of an own key file gives the epoch of its keys, if it has one")
    func epochs() throws {
        let files = try own()
        #expect(files.epoch(of: files.first(of: group), of: group) == 1)
        #expect(files.epoch(of: files.next(of: group, epoch: 7), of: group) == 7)
        #expect(files.epoch(of: files.first(of: group, epoch: 12), of: group) == 12)
        #expect(files.first(of: group, epoch: 1) == files.first(of: group))
        #expect(files.epoch(of: files.begun(of: group), of: group) == nil)
        for suffix in ["0123456789abcdef", "1", "epoch", "epoch-1", "epoch4294967296.1", "epoch1a"] {
            let file = KeyFile(folder: files.folder, name: "\(group).\(suffix)", isOwn: true)
            #expect(files.epoch(of: file, of: group) == nil, "\(suffix)")
        }
    }
}

/// What threads of a test found.
private final class Results: @unchecked Sendable {
    // SAFETY: all access is under the lock.
    private var secrets: [SlotSecret] = []
    private let lock = NSLock()

    func add(_ secret: SlotSecret?) {
        guard let secret else { return }
        lock.withLock { secrets.append(secret) }
    }

    var all: [SlotSecret] { lock.withLock { secrets } }
}
