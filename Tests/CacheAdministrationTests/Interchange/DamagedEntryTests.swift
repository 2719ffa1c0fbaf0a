// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import GroupRecords
import RecordStorage
import Testing
import UnifiedSchema

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("Import and export where a record is damaged")
struct DamagedEntryTests {
    let fixture = GroupFixture()

    static let document = Document.sections(["RefreshToken": [Document.refreshToken()]])

    @Test("importing the same again heals a damaged secret, unless the client signed out", arguments: [false, true])
    func secret(isSignedOut: Bool) throws {
        let group = try fixture.createGroup()
        try group.take(Self.document)
        try group.damageSecret(account: "uid.utid")
        #expect(try group.give().sections.isEmpty)
        if isSignedOut { try group.note(.signedOut, client: "client", account: "uid.utid") }
        let report = try group.take(Self.document)
        let counts = report.counts
        #expect(report.healedCount == (isSignedOut ? 0 : 1))
        #expect(report.damagedCount == (isSignedOut ? 1 : 0))
        #expect(counts.replaced == (isSignedOut ? 0 : 1))
        #expect(counts.signedOut == (isSignedOut ? 1 : 0))
        if !isSignedOut { #expect(try group.give().value == Self.document.value) }
    }

    @Test("a damaged sign-in state keeps that client's tokens out, and nothing else")
    func stateAtImport() throws {
        let group = try fixture.createGroup()
        try group.damageSignInState(client: "client", account: "uid.utid")
        let report = try group.take(SignedOutAccountTests.document)
        #expect(report.damagedCount == 1)
        #expect(report.healedCount == 0)
        let counts = report.counts
        #expect(counts.signedOut == 2)
        #expect(counts.new == 3)
        #expect(try group.take(SignedOutAccountTests.document, ImportOptions(replacesNewer: true)).counts.new == 2)
    }

    @Test("a damaged sign-in state is counted by an export and does not end it")
    func stateAtExport() throws {
        let group = try fixture.createGroup()
        try group.take(Self.document)
        try group.damageSignInState(client: "client", account: "uid.utid")
        let report = try group.exportEntries(to: .sink { (_) throws(TokenCacheError) in })
        #expect(report.damagedCount == 1)
        #expect(try group.give().value == Self.document.value)
    }
}

extension CacheGroup {
    /// Writes a sign-in state that cannot be read.
    fileprivate func damageSignInState(client: String, account: String) throws {
        let partition = try opened.codec.partition(ofAccount: Array(account.utf8).rawSpan)
        let tag = try opened.codec.signInStateTag(clientID: client, partition: partition)
        try opened.store.commit(until: .after(.seconds(20))) { (_, batch) throws(StorageError) in
            let record = NewRecord(
                tag: tag,
                partition: partition,
                kind: InternalRecordKind.signInState.recordKind,
                facts: [UInt8](repeating: 7, count: 200),
                secret: []
            )
            try batch.put(record)
        }
    }

    /// Writes the only record of an account anew, with a secret that cannot be read.
    fileprivate func damageSecret(account: String) throws {
        let codec = opened.codec
        let partition = try codec.partition(ofAccount: Array(account.utf8).rawSpan)
        _ = try opened.store.refresh(until: .after(.seconds(20)))
        let contents = try opened.store.contents(of: partition)
        let facts = try #require(try PartitionReader(contents, codec: codec).facts(0).content)
        try opened.store.commit(until: .after(.seconds(20))) { (context, batch) throws(StorageError) in
            let sound = try codec.seal(facts, secret: [UInt8](repeating: 7, count: 50).rawSpan, in: context)
            let damaged = NewRecord(
                tag: sound.tag,
                partition: sound.partition,
                kind: sound.kind,
                facts: sound.facts,
                secret: [UInt8](repeating: 7, count: sound.secret.count)
            )
            try batch.put(damaged)
        }
    }
}
