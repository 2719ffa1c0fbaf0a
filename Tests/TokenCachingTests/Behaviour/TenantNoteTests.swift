// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import GroupRecords
import RecordStorage
import Testing
import UnifiedSchema

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Notes of tenants' names are bounded, and judged before they are used", .timeLimit(.minutes(10)))
struct TenantNoteTests {
    private static let host = "login.microsoftonline.com"

    private func note(
        name: UTF8Text = "contoso.com",
        environment: UTF8Text = "login.windows.net",
        realm: UTF8Text = "t-1",
        account: UTF8Text = "uid.utid"
    ) -> TenantNote {
        TenantNote(name: name, environment: environment, realm: realm, account: account, at: 1)
    }

    private func put(_ note: TenantNote, in store: any RecordStore, _ codec: RecordCodec) throws {
        let partition = try codec.partition(ofAccount: UTF8Text(TestGroup.account).bytes)
        let tag = try codec.tenantNoteTag(name: note.name, environment: note.environment, partition: partition)
        try store.commit(until: .standard) { (context, batch) throws(StorageError) in
            let address = RecordAddress(tag: tag, partition: partition, searchTags: [])
            let kind = InternalRecordKind.tenantNote.recordKind
            try batch.put(
                try codec.seal(facts: note.encoded().rawSpan, secret: RawSpan(), kind: kind, at: address, in: context)
            )
        }
    }

    private func notes(_ store: any RecordStore, _ codec: RecordCodec) throws -> [TenantNote] {
        _ = try store.refresh(until: .standard)
        let partition = try codec.partition(ofAccount: UTF8Text(TestGroup.account).bytes)
        return try PartitionEntries(store.contents(of: partition, until: .standard), codec: codec).tenantNotes.map(
            \.note
        )
    }

    private func signIn(_ name: String, tid: String?) -> TestResponse {
        let claims = tid.map { ["tid": $0, "oid": "o", "sub": "s"] }
        return TestResponse.signIn(scope: "User.Read", claims: claims, tenant: name)
    }

    // MARK: - What makes no sense

    @Test(
        "one that no version writes is damaged",
        arguments: ["", " ", "T-1", "t-1 ", "common", String(repeating: "x", count: 600)]
    )
    func damaged(text: String) throws {
        let text = UTF8Text(text)
        for note in [note(name: text), note(realm: text)] { try expectDamage(note) }
        if TenantWord(text) == nil, text.byteCount < 600 {
            for note in [note(environment: text), note(account: text)] { try expectDamage(note) }
        }
        #expect(try TenantNote(decoding: note().encoded()) == note())
    }

    private func expectDamage(_ note: TenantNote) throws {
        let error = #expect(throws: StorageError.self) { _ = try TenantNote(decoding: note.encoded()) }
        #expect(error?.code == .damaged)
    }

    @Test(
        "a save without an id token stays where it was asked for, and one with heals the note",
        arguments: ["", "T-1"] as [UTF8Text]
    )
    func ignored(realm: UTF8Text) throws {
        let group = try TestGroup()
        let cache = try group.cache()
        try put(note(realm: realm), in: MemoryStore(group.backing), group.codec)
        try signIn("contoso.com", tid: nil).save(in: cache)
        let realms = try group.entries().filter { $0.fields.kind == .accessToken }.map(\.fields.realm)
        #expect(realms == ["contoso.com"])
        try signIn("contoso.com", tid: "t-1").save(in: cache)
        #expect(try notes(MemoryStore(group.backing), group.codec).map(\.realm) == ["t-1"])
        #expect(try cache.token(for: MatchingCase.query("user.read", tenant: "contoso.com")).summary() == "valid at")
    }

    // MARK: - How many

    @Test("a save makes do with so many where there were more")
    func tooMany() throws {
        let group = try TestGroup()
        for number in 0..<TenantNote.limit + 6 {
            try put(note(name: UTF8Text("tenant\(number).com")), in: MemoryStore(group.backing), group.codec)
        }
        try signIn("contoso.com", tid: "t-1").save(in: group.cache())
        let names = try notes(MemoryStore(group.backing), group.codec).map(\.name)
        #expect(Set(names) == Set((7..<TenantNote.limit + 6).map { "tenant\($0).com" } + ["contoso.com"]))
    }

    /// An account metadata entry of MSAL for ObjC.
    private func metadata(_ client: String, _ names: Range<Int>, realm: String = "t") -> String {
        let map = names.map { #""https://\#(Self.host)/tenant\#($0).com": "https://\#(Self.host)/\#(realm)-\#($0)""# }
        let account = #"{"sign_in_state": "signed_in", "athority_map": {"URLMap-": {\#(map.joined(separator: ","))}}}"#
        return #""\#(client)": {"client_id": "\#(client)", "account_metadata_map": {"uid.utid": \#(account)}}"#
    }

    @Test("imports stay below the same bound, including stored notes, and remove none for it")
    func imported() throws {
        let fixture = GroupFixture()
        let group = try fixture.createGroup()
        let (store, codec) = (group.opened.store, group.opened.codec)
        for number in 0..<10 { try put(note(name: UTF8Text("own\(number).com")), in: store, codec) }
        func take(_ entries: String..., replacing: Bool = false) throws {
            var options = ImportOptions()
            options.replacesNewer = replacing
            _ = try group.take(.sections(["AccountMetadataMap": entries]), options)
        }
        try take(metadata("a", 0..<40), metadata("b", 30..<80))
        let first = try notes(store, codec)
        #expect(first.count == TenantNote.limit)
        #expect(first.count { $0.name.hasPrefix("own") } == 10)
        try take(metadata("c", 80..<90))
        #expect(try Set(notes(store, codec)) == Set(first))
        // What is known may be told anew.
        try take(metadata("a", 0..<90, realm: "new"), replacing: true)
        try take(metadata("a", 0..<90, realm: "other"), metadata("b", 0..<90, realm: "new"), replacing: true)
        let last = try notes(store, codec)
        #expect(Set(last.map(\.name)) == Set(first.map(\.name)))
        #expect(last.count { $0.realm.hasPrefix("new") } == TenantNote.limit - 10)
    }
}
