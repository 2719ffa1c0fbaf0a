// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import GroupRecords
import RecordStorage
import Sealing
import Testing
import UnifiedSchema

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Entries that have a meaning in one document and none in another")
struct RepairedEntryTests {
    let fixture = GroupFixture()

    static let key = "uid.utid-login.windows.net-refreshtoken-client--"
    static let broken = Document.sections(["RefreshToken": ["\"\(key)\": {\"secret\": 5}"]])
    static let repaired = Document.sections(["RefreshToken": [Document.refreshToken()]])

    @Test("one with a meaning takes the place of one without")
    func repairing() throws {
        let group = try fixture.createGroup()
        try group.take(Self.broken)
        #expect(try group.take(Self.repaired).counts.new == 1)
        #expect(try group.entryCount == 1)
        #expect(try group.give().value == Self.repaired.value)
    }

    @Test("one without a meaning takes the place of one that has it only where everything is replaced")
    func breaking() throws {
        let group = try fixture.createGroup()
        try group.take(Self.repaired)
        #expect(try group.take(Self.broken).counts.older == 1)
        #expect(try group.give().value == Self.repaired.value)
        try group.take(Self.broken, ImportOptions(replacesNewer: true))
        #expect(try group.entryCount == 1)
        #expect(try group.give().value == Self.broken.value)
    }

    @Test("where both are stored, only the one with a meaning is exported")
    func both() throws {
        let group = try fixture.createGroup()
        try group.take(Self.repaired)
        let codec = group.opened.codec
        _ = try group.opened.store.refresh(until: .after(.seconds(20)))
        let partition = try codec.partition(ofAccount: Array("uid.utid".utf8).rawSpan)
        let contents = try group.opened.store.contents(of: partition)
        let record = try #require(contents.records.first)
        let facts = try #require(try PartitionReader(contents, codec: codec).facts(0).content)
        let secret = Pieces()
        if let opened = try codec.openSecret(of: record, reader: contents.reader) { secret.append(opened.bytes) }
        try group.take(Self.broken, ImportOptions(replacesNewer: true))
        let payload = secret.bytes
        try group.opened.store.commit(until: .after(.seconds(20))) { (context, batch) throws(StorageError) in
            try batch.put(codec.seal(facts, secret: payload.rawSpan, in: context))
        }
        #expect(try group.entryCount == 2)
        let text = try group.give().text
        #expect(Document(text).value == Self.repaired.value)
        #expect(text.split(separator: Self.key).count == 2)
    }
}

extension CacheGroup {
    /// The number of records that are stored.
    fileprivate var entryCount: Int {
        get throws {
            _ = try opened.store.refresh(until: .after(.seconds(20)))
            return try opened.store.partitions().reduce(0) { $0 + $1.recordCount }
        }
    }
}
