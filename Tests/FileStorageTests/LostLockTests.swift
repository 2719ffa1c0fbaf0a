// SPDX-License-Identifier: Apache-2.0

import FileStorage
import Foundation
import GroupDirectory
import RecordStorage
import Sealing
import SystemPackage
import Testing

#if DEBUG
@Suite("A lock file that is removed while it is locked")
struct LostLockTests {
    let group: ScratchGroup
    let store: FileStore
    /// The journal as another process leaves it that locked the next lock file: with a transaction more.
    let others: [UInt8]

    init() throws {
        group = try ScratchGroup()
        store = try group.create()
        try store.write([Boxes.record(1, in: 1)])
        try store.write([Boxes.record(5, in: 5)])
        others = try Self.adding(Boxes.record(2, in: 2), sequence: 3, to: group.bytes(), of: group)
    }

    private static func adding(
        _ record: NewRecord,
        sequence: UInt64,
        to bytes: [UInt8],
        of group: ScratchGroup
    ) throws -> [UInt8] {
        var journal = JournalBytes(bytes)
        try journal.appendFrame(
            sequence: sequence,
            head: JournalBytes.head([JournalBytes.put(record, keys: group.keys)]),
            facts: record.facts,
            secrets: record.secret,
            keys: group.keys
        )
        return journal.bytes
    }

    private static func removeLock(of group: ScratchGroup) {
        #expect(throws: Never.self) {
            try FileManager.default.removeItem(atPath: group.path.appending("lock").string)
        }
    }

    /// What others do who lock the next lock file.
    private static func commit(_ bytes: [UInt8], in group: ScratchGroup) {
        removeLock(of: group)
        #expect(throws: Never.self) { try group.overwrite(bytes) }
    }

    /// What writes the journal anew.
    enum Replacement: String, CaseIterable, Sendable {
        case rekey, otherSlots, largeTransaction, afterFailedSync, repair

        /// What has to be done before others commit.
        func prepare(_ store: FileStore, of group: ScratchGroup) throws {
            switch self {
            case .rekey, .otherSlots, .largeTransaction: break
            case .afterFailedSync:
                SyscallFaults.with([.init(.fdatasync, .ioError)]) {
                    #expect(code { try store.write([Boxes.record(6, in: 6)]) } == .indeterminate)
                }
            case .repair: try group.flip(at: JournalBytes(group.bytes()).frames[0].upperBound - 100)
            }
        }

        func run(_ store: FileStore, of group: ScratchGroup) throws {
            switch self {
            case .rekey:
                let keys = try group.keys.nextEpoch()
                group.ring.add(keys)
                try store.replaceKeys(with: keys, slots: ScratchGroup.slots(for: keys), until: .standard) {
                    _,
                    _,
                    facts,
                    secret throws(StorageError) in
                    guard let secret else { return (facts.copied, []) }
                    return (facts.copied, secret.copied)
                }
            case .otherSlots:
                let slots = try ScratchGroup.slots(for: group.keys)
                try store.replaceKeys(with: group.keys, slots: slots, until: .standard) {
                    _,
                    _,
                    _,
                    _ throws(StorageError) in throw StorageError(.system)
                }
            case .largeTransaction: try store.write((100..<9100).map { Boxes.record($0, in: $0, secret: 600) })
            case .afterFailedSync: try store.write([Boxes.record(7, in: 7)])
            case .repair: _ = try group.repair()
            }
        }
    }

    @Test(
        "lets no journal take the place of one that others wrote to meanwhile, and the next try has all of it",
        arguments: Replacement.allCases
    )
    func replacing(_ replacement: Replacement) throws {
        let group = group
        try replacement.prepare(store, of: group)
        let others = try Self.adding(Boxes.record(2, in: 2), sequence: 3, to: group.bytes(), of: group)
        // The new file is complete, and is being made durable.
        let meanwhile = SyscallFaults.Fault(before: .fsync) { Self.commit(others, in: group) }
        #expect(code { try SyscallFaults.with([meanwhile]) { try replacement.run(store, of: group) } } == .busy)
        #expect(try group.bytes() == others)
        #expect(try group.files().filter { $0.hasPrefix("tmp.") }.isEmpty)
        #expect(try group.open().secret(2, in: 2) == Boxes.record(2, in: 2).secret)
        try replacement.run(store, of: group)
        #expect(try group.open().secret(2, in: 2) == Boxes.record(2, in: 2).secret)
        #expect(try group.open().secret(5, in: 5) == Boxes.record(5, in: 5).secret)
        #expect(try group.open().verify().findings.isEmpty)
    }

    @Test("lets no transaction be written over one of others", arguments: [false, true])
    func appending(hasTornTail: Bool) throws {
        // Others cut it off before they write.
        if hasTornTail { try group.overwrite(group.bytes() + [UInt8](repeating: 1, count: 3000)) }
        let failure = code {
            try store.commit(until: .standard) { _, batch throws(StorageError) in
                try batch.put(Boxes.record(3, in: 3))
                Self.commit(others, in: group)
            }
        }
        #expect(failure == .busy)
        #expect(try group.bytes() == others)
        #expect(try store.write([Boxes.record(3, in: 3)]) == 4)
        let last = try group.open()
        #expect(try last.secret(2, in: 2) == Boxes.record(2, in: 2).secret)
        #expect(try last.secret(3, in: 3) == Boxes.record(3, in: 3).secret)
    }

    @Test("lets no transaction be acknowledged that others may have cut off")
    func acknowledging() throws {
        let group = group
        let meanwhile = SyscallFaults.Fault(before: .fdatasync) { Self.removeLock(of: group) }
        SyscallFaults.with([meanwhile]) {
            #expect(code { try store.write([Boxes.record(3, in: 3)]) } == .indeterminate)
        }
        // Nobody did, and it is found.
        _ = try store.refresh(until: .standard)
        #expect(try store.secret(3, in: 3) == Boxes.record(3, in: 3).secret)
        #expect(try store.write([Boxes.record(4, in: 4)]) == 4)
        #expect(try group.open().verify().findings.isEmpty)
    }

    @Test("lets no transaction of others be cut off behind one whose sync fails")
    func takingBack() throws {
        let group = group
        let meanwhile = SyscallFaults.Fault(before: .fdatasync, failing: .ioError) {
            #expect(throws: Never.self) {
                let bytes = try Self.adding(Boxes.record(2, in: 2), sequence: 4, to: group.bytes(), of: group)
                Self.commit(bytes, in: group)
            }
        }
        SyscallFaults.with([meanwhile]) {
            #expect(code { try store.write([Boxes.record(3, in: 3)]) } == .indeterminate)
        }
        #expect(try group.open().secret(2, in: 2) == Boxes.record(2, in: 2).secret)
    }

    @Test("lets no journal take the place of one that was put there meanwhile")
    func replacedMeanwhile() throws {
        let group = group
        let others = others
        let meanwhile = SyscallFaults.Fault(before: .fsync) {
            #expect(throws: Never.self) {
                let copy = group.journal.appendingPathExtension("copy")
                try Data(others).write(to: copy)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy.path)
                try FileManager.default.removeItem(at: group.journal)
                try FileManager.default.moveItem(at: copy, to: group.journal)
            }
        }
        SyscallFaults.with([meanwhile]) {
            #expect(code { try Replacement.otherSlots.run(store, of: group) } == .busy)
        }
        #expect(try group.bytes() == others)
    }
}
#endif
