// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import GroupDirectory
import GroupRecords
import Programs
import RecordStorage
import Sealing
import Testing

@testable import CacheAdministration
@testable import SecretServiceStorage
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Repairing a group in the keyring", .serialized)
struct KeyringRepairTests {
    private let fixture: KeyringFixture
    private static let document = Document.sections([
        "AccessToken": [Document.accessToken()],
        "RefreshToken": [Document.refreshToken(), Document.refreshToken(user: "other.utid")],
        "Account": [Document.account(), Document.account(user: "other.utid", username: "other@contoso.com")],
    ])

    /// A group with two accounts, the first of which has the most records.
    init() throws {
        fixture = try KeyringFixture()
        let group = try fixture.create(.keyring)
        _ = try CacheGroup(group, timeout: .seconds(20)).take(Self.document)
        group.store.close()
    }

    private func verify() throws -> VerificationReport {
        try CacheGroup(fixture.open(access: .readOnly), timeout: .seconds(20)).verify()
    }

    private func repair(isDryRun: Bool = false) throws -> RepairReport {
        try fixture.opener().repair(isDryRun: isDryRun)
    }

    /// The partition of the first account.
    private func partition() throws -> PartitionTag {
        let opened = try fixture.open()
        defer { opened.store.close() }
        let counts = try opened.store.partitions(until: .after(.seconds(20)))
        return try #require(counts.max { $0.recordCount < $1.recordCount }).tag
    }

    private func delete(_ partition: PartitionTag) throws {
        let tag = KeyringAttributes.text(partition)
        try fixture.withItems(.partition) { calls, items throws(SecretServiceError) in
            for item in items where try calls.attributes(of: item).contains(where: { $0.value == tag }) {
                try calls.delete(item)
            }
        }
    }

    @Test("finds the same damage as a verification, and loses the account whose records are lost")
    func missing() throws {
        let sound = try verify()
        #expect(sound.isSound && sound.byteCount > 0)
        #expect(try !repair().wasDamaged)
        let partition = try partition()
        try delete(partition)
        let damaged = try verify()
        #expect(!damaged.isSound)
        let plan = try repair(isDryRun: true)
        #expect(plan.findings == damaged.findings)
        #expect(!plan.isRepaired && plan.lostCount + plan.keptCount == sound.recordCount)
        #expect(try !verify().isSound)

        let done = try repair()
        #expect(done.isRepaired && done.findings == plan.findings)
        #expect(done.maximumLostCount == done.lostCount && done.lostCount == plan.lostCount)
        #expect(try verify().isSound)
        #expect(try !repair().wasDamaged)
        // Nothing of it is left.
        let opened = try fixture.open()
        let left = try opened.store.contents(of: partition, until: .after(.seconds(20)))
        #expect(left.records.isEmpty)
        let group = CacheGroup(opened, timeout: .seconds(20))
        #expect(try group.rekey().epoch == 2)
        let document = try group.give()
        #expect(document.keys("RefreshToken").allSatisfy { $0.hasPrefix("other.utid") })
        #expect(try verify().isSound)
    }

    @Test("drops a record that does not open, and keeps the others of its account")
    func unopenable() throws {
        let partition = try partition()
        let opened = try fixture.open()
        let contents = try opened.store.contents(of: partition, until: .after(.seconds(20)))
        let record = try #require(contents.records.first)
        // The boxes of another group.
        let others = RecordCodec(unlockedKeys: try UnlockedKeys(GroupKeys.generate()))
        try opened.store.commit(until: .after(.seconds(20))) { (context, batch) throws(StorageError) in
            let address = RecordAddress(tag: record.tag, partition: partition, searchTags: [])
            let facts: [UInt8] = [1, 2, 3]
            let box = try others.seal(
                facts: facts.rawSpan,
                secret: RawSpan(),
                kind: record.kind,
                at: address,
                in: context
            )
            try batch.put(box)
        }
        opened.store.close()
        let damaged = try verify()
        #expect(damaged.findings.map(\.entryHandle) == [EntryHandle(record.tag)])
        let done = try repair()
        #expect(done.isRepaired && done.lostCount == 1 && done.quarantinedFiles.count == 1)
        #expect(done.keptCount == damaged.recordCount - 1)
        #expect(try verify().isSound)
    }

    @Test("an adoption reports which items the keyring lacks, or that this is unknown", arguments: [true, false])
    func adopted(hasList: Bool) throws {
        try delete(partition())
        let directory = try fixture.directory()
        try directory.removeFile(GroupDirectory.FileName.state)
        if !hasList { try directory.removeFile("items") }
        let summary = try fixture.opener().adopt(collection: nil)
        #expect(summary.wasDamaged == hasList && (summary.lostCount > 0) == hasList)
        #expect(summary.findings.count == 1)
        #expect(try verify().isSound)
    }

    @Test(
        "a group created again after its key was lost is independent of the old one",
        arguments: [true, false]
    )
    func anew(wasRekeyed: Bool) throws {
        if wasRekeyed { _ = try CacheGroup(fixture.open(), timeout: .seconds(20)).rekey() }
        let leftCount = try fixture.itemCount(.partition)
        try fixture.withItems(.key) { calls, items throws(SecretServiceError) in
            for item in items { try calls.delete(item) }
        }
        for name in ["store", "items", "revision"] { try fixture.directory().removeFile(name) }
        let group = try CacheGroup(fixture.create(.keyring), timeout: .seconds(20))
        _ = try group.take(Self.document)
        #expect(try verify().isSound)
        #expect(try !repair().wasDamaged)
        #expect(try fixture.itemCount(.partition) == 2 * leftCount)
        let rekeyed = try CacheGroup(fixture.open(), timeout: .seconds(20))
        #expect(try rekeyed.rekey().epoch == 2)
        #expect(try rekeyed.give().value == Self.document.value)
    }
}
