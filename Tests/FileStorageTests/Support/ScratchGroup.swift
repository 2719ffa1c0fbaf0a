// SPDX-License-Identifier: Apache-2.0

import FileStorage
import Foundation
import GroupDirectory
import RecordStorage
import Sealing
import SystemPackage
import Testing

/// A group in a folder of its own, with keys that tests may use as they like. The folder goes with the value.
final class ScratchGroup: Sendable {
    let root: FilePath
    let name: GroupName
    let keys: GroupKeys
    let slots: KeySlots
    /// The keys of every epoch that a test made, by which other handles unlock.
    let ring = KeyRing()

    init(
        under parent: String = NSTemporaryDirectory(),
        keys: GroupKeys? = nil,
        slots: KeySlots? = nil
    ) throws {
        root = FilePath(parent).appending("stc-file-\(UUID().uuidString)")
        name = try GroupName("group")
        self.keys = try keys ?? .generate()
        self.slots = try slots ?? Self.slots(for: self.keys)
        ring.add(self.keys)
        try FileManager.default.createDirectory(atPath: root.string, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: root.string)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: root.string)
    }

    static func slots(for keys: GroupKeys) throws -> KeySlots {
        try KeySlots.create(for: keys, slots: [NewSlot(.keyFile(SecretBytes.random(byteCount: 32)))])
    }

    func directory(_ access: DirectoryAccess = .create) throws -> GroupDirectory {
        try GroupDirectory.open(root: root, name: name, access: access)
    }

    func create() throws -> FileStore {
        let ring = ring
        return try FileStore.create(in: directory(), keys: keys, slots: slots, until: .standard) {
            slots,
            _ throws(StorageError) in try ring.keys(for: slots)
        }
    }

    func open(_ access: DirectoryAccess = .readWrite) throws -> FileStore {
        let ring = ring
        return try FileStore.open(in: directory(access), until: .standard) { slots, _ throws(StorageError) in
            try ring.keys(for: slots)
        }
    }

    func open(in directory: GroupDirectory) throws -> FileStore {
        let ring = ring
        return try FileStore.open(in: directory, until: .standard) { slots, _ throws(StorageError) in
            try ring.keys(for: slots)
        }
    }

    /// The folder of the group.
    var path: FilePath { root.appending(name.text) }
    /// The journal.
    var journal: URL { URL(fileURLWithPath: path.appending("journal").string) }

    /// The names in the folder of the group.
    func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path.string).sorted()
    }

    /// The journal without the room behind its last transaction, and without the mark that stands there. What stands in a
    /// journal ends at a multiple of 8.
    func bytes() throws -> [UInt8] {
        let bytes = try wholeFile()
        let end = ((bytes.lastIndex { $0 != 0 } ?? -1) + 8) / 8 * 8
        let frames = JournalBytes(bytes).framesEnd ?? end
        return Array(bytes[..<min(bytes.count, end - frames <= 16 ? frames : end)])
    }

    /// The journal with the room behind its last transaction.
    func wholeFile() throws -> [UInt8] { try [UInt8](Data(contentsOf: journal)) }

    /// Puts other bytes into the journal, as a fault of the disk would: same file, no trace in the shared page.
    func overwrite(_ bytes: [UInt8]) throws {
        let file = try FileHandle(forWritingTo: journal)
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: Data(bytes))
        try file.close()
    }

    /// Flips a bit of the journal.
    func flip(at offset: Int, bit: UInt8 = 0) throws {
        let file = try FileHandle(forUpdating: journal)
        try file.seek(toOffset: UInt64(offset))
        let byte = try #require(try file.read(upToCount: 1)?.first)
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: Data([byte ^ (1 << bit)]))
        try file.close()
    }

    /// A place in the header, by the name that it has in the source.
    func header(_ field: String) throws -> UInt64 {
        let offset = try #require(["blocksOffset": 64, "indexOffset": 72, "framesOffset": 88][field])
        return try bytes()[offset..<offset + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    func repair(dryRun: Bool = false, acceptsRollback: Bool = false) throws -> JournalRepairReport {
        try #require(try repairIfPossible(dryRun: dryRun, acceptsRollback: acceptsRollback))
    }

    /// The same; `nil` where no header is left.
    func repairIfPossible(dryRun: Bool = false, acceptsRollback: Bool = false) throws -> JournalRepairReport? {
        let ring = ring
        return try FileStore.repair(
            in: directory(.readWrite),
            until: .standard,
            dryRun: dryRun,
            acceptsRollback: acceptsRollback
        ) { slots, _ throws(StorageError) in try ring.keys(for: slots) }
    }

    /// Removes the shared page, which knows what was acknowledged.
    func forgetPage() throws {
        try? FileManager.default.removeItem(atPath: path.appending("revision").string)
    }

    /// Removes the page and the mark behind the last transaction: nothing shows any more that it was acknowledged, as
    /// when the machine stops in the middle of the write.
    func forgetAcknowledgement() throws {
        try forgetPage()
        let bytes = try wholeFile()
        let end = try self.bytes().count
        try overwrite(Array(bytes[..<end]) + [UInt8](repeating: 0, count: bytes.count - end))
    }
}
