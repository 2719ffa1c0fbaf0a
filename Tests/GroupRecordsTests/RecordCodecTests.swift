// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import GroupRecords
import RecordStorage
import Sealing
import Testing
import UnifiedSchema

@Suite("Entries become sealed records and come back")
struct RecordCodecTests {
    let codec: RecordCodec
    let context = CommitContext(sequence: 7, epoch: 1, changes: .none, deadline: .standard)

    init() throws {
        codec = RecordCodec(unlockedKeys: try UnlockedKeys(try GroupKeys.generate()))
    }

    /// The facts of an entry. Without a key its section is empty.
    private func facts(_ json: String, section: UTF8Text = "AccessToken", key: UTF8Text? = "k") throws -> EntryFacts {
        let entries = key.map { "\"\($0.string)\":\(json)" } ?? ""
        let document = Array("{\"\(section.string)\":{\(entries)}}".utf8)
        var reader = DocumentReader()
        let step = try reader.next(in: document.rawSpan, isLast: true)
        let entry: DocumentEntry? = if case .entry(let entry) = step { entry } else { nil }
        return try #require(entry).facts
    }

    private func token(home: String = "\"U.T\"", extra: String = "") -> String {
        """
        {"credential_type":"AccessToken","secret":"s","environment":"login.windows.net","client_id":"c",
        "realm":"t","target":"a","home_account_id":\(home)\(extra)}
        """
    }

    private func stored(_ record: NewRecord) -> StoredRecord {
        StoredRecord(
            tag: record.tag,
            kind: record.kind,
            sequence: context.sequence,
            facts: BoxLocation(offset: 0, length: UInt32(record.facts.count)),
            secret: .none
        )
    }

    private func openFacts(_ box: RawSpan, of record: StoredRecord, epoch: UInt32) throws(StorageError) -> EntryFacts {
        try RecordCodec.entryFacts(codec.openFactsBytes(box, of: record, with: codec.unlockedKeys.sealer(epoch: epoch)))
    }

    @Test("facts that are sealed and opened are the same")
    func factsRoundTrip() throws {
        let facts = try facts(token())
        let secret = Array("payload".utf8)
        let record = try codec.seal(facts, secret: secret.rawSpan, in: context)
        #expect(record.kind.rawValue == EntryKind.accessToken.rawValue)
        #expect(try openFacts(record.facts.rawSpan, of: stored(record), epoch: 1) == facts)
        #expect(!record.secret.isEmpty)
    }

    @Test("an entry without a secret has no secret box")
    func noSecret() throws {
        let record = try codec.seal(try facts(token()), secret: RawSpan(), in: context)
        #expect(record.secret.isEmpty)
    }

    @Test("a box that was sealed for another sequence does not open")
    func movedBox() throws {
        let record = try codec.seal(try facts(token()), secret: RawSpan(), in: context)
        let other = StoredRecord(tag: record.tag, kind: record.kind, sequence: 8, facts: .none, secret: .none)
        #expect(throws: StorageError(.damaged)) {
            try openFacts(record.facts.rawSpan, of: other, epoch: 1)
        }
    }

    @Test("an epoch that was never unlocked is distinguished from damage")
    func unknownEpoch() throws {
        let record = try codec.seal(try facts(token()), secret: RawSpan(), in: context)
        let error = #expect(throws: StorageError.self) {
            try openFacts(record.facts.rawSpan, of: stored(record), epoch: 2)
        }
        #expect(error?.code == .keyMissing)
    }

    @Test("every spelling of a home account id leads to one partition", arguments: ["\"u.t\"", "\"U.T\"", "\" u.T \""])
    func accountPartition(home: String) throws {
        let address = try codec.address(of: try facts(token(home: home)))
        let expected = Array("u.t".utf8)
        #expect(address.partition == (try codec.partition(ofAccount: expected.rawSpan)))
    }

    @Test("letters outside A-Z are not folded: they make another account")
    func noUnicodeFolding() throws {
        let upper = try codec.address(of: try facts(token(home: "\"Ü\"")))
        let lower = try codec.address(of: try facts(token(home: "\"ü\"")))
        #expect(upper.partition != lower.partition)
    }

    @Test("a token without an account belongs to its client and realm")
    func applicationPartition() throws {
        let address = try codec.address(of: try facts(token(home: "null")))
        #expect(address.partition == (try codec.partition(ofApplication: Array("c".utf8), realm: Array("t".utf8))))
    }

    @Test("without a home account id a username makes the partition, and the account is found by it")
    func usernamePartition() throws {
        let account = try facts(
            #"{"username":"Ann@Contoso.com","environment":"e","realm":"r","local_account_id":"1"}"#,
            section: "Account"
        )
        let name = Array("ann@contoso.com".utf8)
        let address = try codec.address(of: account)
        #expect(address.partition == (try codec.partition(ofUsername: name.rawSpan)))
        #expect(
            Set(address.searchTags) == [
                try codec.searchTag(username: name.rawSpan), try codec.searchTag(personOf: RawSpan()),
            ]
        )
    }

    @Test(
        "records that concern no single account are in the group's partition",
        arguments: [
            ("AppMetadata", #"{"client_id":"c","environment":"e"}"#),
            ("AccountMetadataMap", #"{"client_id":"c"}"#),
            ("SomethingElse", #"{"home_account_id":"u.t"}"#),
            ("AccessToken", #"{"home_account_id":"u.t"}"#),
        ]
    )
    func groupPartition(section: String, json: String) throws {
        let address = try codec.address(of: try facts(json, section: UTF8Text(section)))
        #expect(address.partition == (try codec.groupPartition()))
    }

    @Test("no key, the empty key and another section are other records")
    func recordTags() throws {
        let entries = [
            try facts(token(), key: "k"), try facts(token(), key: ""),
            try facts("{}", section: "X", key: nil), try facts("{}", section: "X", key: ""),
            try facts("{}", section: "Y", key: ""),
        ]
        #expect(Set(try entries.map { try codec.address(of: $0).tag }).count == entries.count)
    }
}
