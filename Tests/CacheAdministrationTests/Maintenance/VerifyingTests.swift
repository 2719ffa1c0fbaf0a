// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import Foundation
import GroupRecords
import RecordStorage
import Synchronization
import Testing
import UnifiedSchema

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Verifying and repairing groups")
struct VerifyingTests {
    let fixture = GroupFixture()

    private func group(_ count: Int = 3) throws -> CacheGroup {
        let group = try fixture.createGroup()
        for index in 0..<count {
            try group.take(.sections(["AccessToken": [Document.accessToken(user: "u\(index).t", secret: "s\(index)")]]))
        }
        return group
    }

    /// Flips a bit `distance` bytes before the end of the journal.
    private func damage(_ distance: Int) throws {
        var bytes = try #require(fixture.contents("journal"))
        // Behind the last transaction there is only room: zeros.
        let end = try #require(bytes.lastIndex { $0 != 0 }) + 1
        bytes[end - distance] ^= 1
        let handle = try #require(FileHandle(forWritingAtPath: fixture.path("journal")))
        handle.write(bytes)
        try handle.close()
    }

    @Test("a sound group is sound")
    func sound() throws {
        let summary = try group().verify()
        #expect(summary.isSound)
        #expect(summary.findings.isEmpty)
        #expect(summary.recordCount == 3)
        // Without the mark of the last transaction and the room behind it.
        let journal = try #require(fixture.contents("journal"))
        let end = try #require(journal.lastIndex { $0 != 0 }) + 1
        #expect(summary.byteCount == UInt64((end + 7) / 8 * 8 - 16))
    }

    @Test("a record of another kind than its tag says is found, and named by its handle")
    func badRecord() throws {
        let group = try group()
        let address = RecordAddress(
            tag: RecordTag(first: 1, second: 2),
            partition: PartitionTag(first: 3, second: 4),
            searchTags: []
        )
        try group.opened.store.commit(until: .standard) { (context, batch) throws(StorageError) in
            let junk = [1] + [UInt8](repeating: 9, count: 40)
            let kind = RecordCodec.kind(.accessToken)
            try batch.put(
                group.opened.codec.seal(facts: junk.rawSpan, secret: junk.rawSpan, kind: kind, at: address, in: context)
            )
        }
        let summary = try group.verify()
        #expect(!summary.isSound)
        #expect(summary.findings.map(\.entryHandle) == [EntryHandle(address.tag)])
    }

    @Test("what another process removes or seals anew meanwhile is not damage", arguments: [true, false])
    func changedMeanwhile(removes: Bool) throws {
        let group = try group(5)
        let other = CacheGroup(try fixture.open(), timeout: .seconds(20))
        let isChanged = Mutex(false)
        let summary = try group.verify { _ in
            let isFirst = isChanged.withLock { isChanged in
                defer { isChanged = true }
                return !isChanged
            }
            if isFirst {
                if removes { _ = try? other.clearAll() } else { _ = try? other.rekey() }
            }
            return .proceed
        }
        #expect(isChanged.withLock { $0 })
        #expect(summary.findings.isEmpty)
        #expect(try other.verify().findings.isEmpty)
    }

    @Test("verifying can be cancelled")
    func cancelling() throws {
        let error = #expect(throws: TokenCacheError.self) { try group().verify(progress: { _ in .cancel }) }
        #expect(error?.code == .cancelled)
    }

    @Test("where nothing is damaged nothing is repaired")
    func nothingToRepair() throws {
        _ = try group()
        let journal = fixture.contents("journal")
        let summary = try fixture.opener().repair(isDryRun: false)
        #expect(!summary.wasDamaged)
        #expect(!summary.isRepaired)
        #expect(fixture.contents("journal") == journal)
    }

    @Test("a damaged state file is quarantined and rewritten")
    func stateFile() throws {
        let group = try group()
        let expected = try group.give().value
        try Data("junk".utf8).write(to: URL(fileURLWithPath: fixture.path("store")))
        _ = unsafe chmod(fixture.path("store"), 0o600)
        #expect(fixture.refusal() != nil)
        #expect(try fixture.opener().repair(isDryRun: true).wasDamaged)
        #expect(fixture.refusal() != nil)
        let summary = try fixture.opener().repair(isDryRun: false)
        #expect(summary.isRepaired)
        #expect(summary.quarantinedFiles.count == 1)
        #expect(try CacheGroup(fixture.open()).give().value == expected)
    }

    @Test("records that verify are kept, and the group opens again")
    func salvage() throws {
        _ = try group(5)
        // In the middle of the transactions: no torn tail.
        try damage(3_000)
        if fixture.refusal() == nil, try CacheGroup(fixture.open()).verify().isSound {
            Issue.record("the damage was not noticed")
        }
        let dry = try fixture.opener().repair(isDryRun: true)
        #expect(dry.wasDamaged)
        let summary = try fixture.opener().repair(isDryRun: false)
        #expect(summary.isRepaired)
        let repaired = CacheGroup(try fixture.open())
        #expect(try repaired.verify().isSound)
        #expect(try repaired.give().keys("AccessToken").count >= 3)
    }

    @Test("without the key nothing is repaired")
    func withoutKey() throws {
        _ = try group(5)
        try damage(3_000)
        let journal = fixture.contents("journal")
        try FileManager.default.removeItem(atPath: fixture.keyFiles[0])
        let error = #expect(throws: StorageError.self) { try fixture.opener().repair(isDryRun: false) }
        #expect(error?.code == .keyMissing)
        #expect(fixture.contents("journal") == journal)
    }

    @Test("without the key a damaged state file stays where it is")
    func stateFileWithoutKey() throws {
        _ = try group()
        let junk = Data("junk".utf8)
        try junk.write(to: URL(fileURLWithPath: fixture.path("store")))
        _ = unsafe chmod(fixture.path("store"), 0o600)
        try FileManager.default.removeItem(atPath: fixture.keyFiles[0])
        let error = #expect(throws: StorageError.self) { try fixture.opener().repair(isDryRun: false) }
        #expect(error?.code == .keyMissing)
        #expect(fixture.contents("store") == junk)
    }

    @Test("where neither header verifies nothing can be saved: journal and state file are set aside, and nothing else")
    func stateFileOfLostJournal() throws {
        _ = try group()
        let junk = Data("junk".utf8)
        try junk.write(to: URL(fileURLWithPath: fixture.path("store")))
        _ = unsafe chmod(fixture.path("store"), 0o600)
        // The key opens the slots, and neither header nor copy verifies.
        var bytes = try #require(fixture.contents("journal"))
        let copyOffset = Int(bytes[88]) | Int(bytes[89]) << 8 | Int(bytes[90]) << 16
        for offset in [4070, copyOffset - 26] { bytes[offset] ^= 1 }
        let handle = try #require(FileHandle(forWritingAtPath: fixture.path("journal")))
        handle.write(bytes)
        try handle.close()
        let plan = try fixture.opener().repair(isDryRun: true)
        #expect(plan.beginsAnew && !plan.isRepaired)
        #expect(fixture.contents("store") == junk && fixture.contents("journal") == bytes)
        let keyFiles = fixture.keyFiles
        let done = try fixture.opener().repair(isDryRun: false)
        #expect(done.beginsAnew && done.isRepaired)
        #expect(done.quarantinedFiles.map { fixture.contents("quarantine/" + $0) } == [bytes, junk])
        #expect(fixture.contents("store") == nil && fixture.contents("journal") == nil)
        #expect(fixture.keyFiles == keyFiles)
    }

    @Test(
        "a group with an invalid journal starts over, and the list of groups calls it damaged",
        arguments: [nil, "", "junk"]
    )
    func beginningAnew(content: String?) throws {
        let group = try group()
        group.close()
        let path = fixture.path("journal")
        if let content {
            let file = try #require(FileHandle(forWritingAtPath: path))
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: Data(content.utf8))
            try file.close()
        } else {
            try fixture.remove("journal")
        }
        let listed = try #require(try CacheGroup.list(root: fixture.scratch.path).first { $0.name == "group" })
        #expect(listed.state == .damaged)
        #expect(listed.problem?.description.contains("cachetool repair") == true)
        #expect([.damaged, .foreign].contains(fixture.refusal()))
        let plan = try fixture.opener().repair(isDryRun: true)
        #expect(plan.beginsAnew && plan.wasDamaged && !plan.isRepaired && plan.maximumLostCount == nil)
        #expect(FileManager.default.fileExists(atPath: path) == (content != nil))
        let done = try fixture.opener().repair(isDryRun: false)
        #expect(done.beginsAnew && done.isRepaired)
        // What was there can be had again.
        #expect(done.quarantinedFiles.count == (content == nil ? 1 : 2))
        let again = CacheGroup(try fixture.create(), timeout: .seconds(20))
        defer { again.close() }
        #expect(try again.verify().isSound)
        try again.take(.sections(["AccessToken": [Document.accessToken(user: "new.t", secret: "s")]]))
        #expect(try again.give().keys("AccessToken").count == 1)
        #expect(try CacheGroup.list(root: fixture.scratch.path).first { $0.name == "group" }?.state == .ready)
    }

    @Test("a group that is not there is not repaired")
    func missing() throws {
        let error = #expect(throws: StorageError.self) { try fixture.opener().repair(isDryRun: false) }
        #expect(error?.code == .notFound)
    }

    @Test("compacting keeps everything")
    func compacting() throws {
        let group = try group()
        let expected = try group.give().value
        try group.compact()
        #expect(try group.give().value == expected)
        #expect(try group.statistics().file?.transactionCount == 0)
    }
}
