// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import GroupRecords
import RecordStorage
import Testing
import UnifiedSchema

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

/// Whoever goes through the records of an account meets those that cannot be read, and all have to come to the same.
@Suite("A record that cannot be read")
struct UnreadableRecordTests {
    /// What is the matter with it.
    enum Fault: CaseIterable {
        /// The store has no bytes for it.
        case lost
        /// Its bytes do not verify.
        case damaged
        /// It was sealed by somebody with the keys, and is in no form of ours.
        case malformed
        case newerVersion

        var isDamage: Bool { self != .newerVersion }
    }

    /// Who goes through the records.
    enum Walker: CaseIterable {
        case lookup, change, accountList, entryList, importing, export, verification
    }

    let group: TestGroup
    let store: WatchedStore
    let partition: PartitionTag

    init() throws {
        group = try TestGroup()
        store = WatchedStore(MemoryStore(group.backing))
        partition = try group.codec.partition(ofAccount: Array(TestGroup.account.utf8).rawSpan)
    }

    /// Puts a record with this fault beside whatever is there.
    private func put(_ fault: Fault, _ facts: [UInt8], _ kind: RecordKind, tag: RecordTag) throws {
        let address = RecordAddress(tag: tag, partition: partition, searchTags: [])
        _ = try store.commit(until: .standard) { (context, batch) throws(StorageError) in
            var plain = facts
            switch fault {
            case .lost, .damaged: break
            case .malformed: plain = [1] + [UInt8](repeating: 0xFE, count: 30)
            case .newerVersion: plain[0] = 9
            }
            let sound = try group.codec.seal(
                facts: plain.rawSpan,
                secret: RawSpan(),
                kind: kind,
                at: address,
                in: context
            )
            var box = sound.facts
            if fault == .damaged { box[box.count / 2] ^= 1 }
            try batch.put(
                NewRecord(
                    tag: tag,
                    partition: partition,
                    kind: kind,
                    facts: box,
                    secret: [UInt8](repeating: 7, count: 64),
                    searchTags: []
                )
            )
        }
        if fault == .lost { store.order { $0.lost = [tag] } }
        _ = try store.refresh(until: .standard)
    }

    /// How many records a walker could not read.
    private func unreadableCount(_ walker: Walker) throws -> Int {
        let codec = group.codec
        let contents = try store.contents(of: partition, until: .standard)
        switch walker {
        case .lookup:
            return try PartitionFactsLoader(codec: codec, clouds: .builtIn, clientID: TestGroup.client)
                .load(partition, from: store, until: .standard, knowing: nil).damagedCount
        case .change: return try PartitionEntries(contents, codec: codec).damagedCount
        case .accountList:
            let reader = try PartitionReader(contents, codec: codec)
            let client = UTF8Text(TestGroup.client)
            return try AccountSummary(reader, client: client, clouds: .builtIn).unreadable.count
        case .entryList:
            var listing = EntryListing(store, codec: codec, filter: EntryFilter())
            _ = try listing.entries(of: partition, until: .standard)
            return listing.unreadableCount
        case .importing:
            let stored = try StoredPartition(partition, contents, codec: codec, clouds: .builtIn)
            return try contents.records.count { record in
                let isState = record.kind.isInternalRecord
                return try isState
                    ? stored.signInState(record.tag)?.content == nil : stored.facts(record.tag)?.content == nil
            }
        case .export: return try exported().damagedCount
        case .verification: return try verified().findings.count
        }
    }

    private func exported() throws -> ExportReport {
        let sink = CallerSink { (_) throws(TokenCacheError) in }
        var run = try ExportRun(
            store: store,
            codec: group.codec,
            sink: sink,
            options: ExportOptions(),
            until: .standard,
            timeout: .seconds(30),
            progress: nil,
            isDamaged: { (_, _) in false }
        )
        return try run.run()
    }

    private func verified() throws -> VerificationReport {
        var verification = BoxVerification(codec: group.codec, summary: VerificationReport(), progress: nil)
        return try verification.run(store, until: .standard)
    }

    @Test("of an entry, every walker counts it once and goes on", arguments: Fault.allCases, Walker.allCases)
    func entry(fault: Fault, walker: Walker) throws {
        try group.put(.accessToken(), .account())
        let token = try TestEntry.refreshToken().parsed().facts
        let facts = unsafe token.encodedBytes.withUnsafeBytes { unsafe Array($0) }
        try put(fault, facts, RecordCodec.kind(.refreshToken), tag: try group.codec.address(of: token).tag)
        #expect(try unreadableCount(walker) == 1)
    }

    @Test(
        "of a sign-in state, every walker that asks for states counts it once and goes on",
        arguments: Fault.allCases,
        [Walker.lookup, .change, .accountList, .importing, .verification]
    )
    func state(fault: Fault, walker: Walker) throws {
        try group.put(.accessToken(), .account(), .refreshToken())
        try putState(fault)
        #expect(try unreadableCount(walker) == 1)
    }

    /// Puts a sign-in state that says "signed out".
    private func putState(_ fault: Fault) throws {
        let state = SignInRecord(clientID: TestGroup.client, account: TestGroup.account).changed(to: .signedOut, at: 1)
        let tag = try group.codec.signInStateTag(clientID: TestGroup.client, partition: partition)
        try put(fault, state.encoded(), InternalRecordKind.signInState.recordKind, tag: tag)
    }

    @Test("an export of a group with a state that cannot be read has all entries", arguments: Fault.allCases)
    func exportBesideState(fault: Fault) throws {
        try group.put(.accessToken(), .refreshToken())
        try putState(fault)
        #expect(try exported().entryCount == 2)
    }

    @Test("an import takes a state that cannot be read for one that says signed out", arguments: Fault.allCases)
    func importBesideState(fault: Fault) throws {
        try putState(fault)
        let contents = try store.contents(of: partition, until: .standard)
        let stored = try StoredPartition(partition, contents, codec: group.codec, clouds: .builtIn)
        #expect(try stored.signOut(of: TestGroup.client) != nil)
        #expect(stored.damaged.count == (fault.isDamage ? 1 : 0))
    }

    @Test("only damaged records are reported as damage", arguments: Fault.allCases)
    func damage(fault: Fault) throws {
        try putState(fault)
        #expect(try verified().findings.map(\.isDamage) == [fault.isDamage])
    }
}
