// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import FileStorage
import GroupRecords
import RecordStorage
import Sealing
import SeededRandom
import Testing
import UnifiedSchema

@testable import CacheAdministration
@testable import TokenCaching
@testable import TokenCachingTestSupport

@Suite("The cost of a search for boxes")
struct SalvageEffortTests {
    let codec: RecordCodec
    let unlockedKeys: UnlockedKeys
    let context = CommitContext(sequence: 7, epoch: 1, changes: .none, deadline: .standard)

    init() throws {
        unlockedKeys = try UnlockedKeys(try GroupKeys.generate())
        codec = RecordCodec(unlockedKeys: unlockedKeys)
    }

    /// A record whose scopes and whose token are this long.
    private func record(_ count: Int) throws -> NewRecord {
        let text = String(repeating: "x", count: count)
        return try TestEntry.accessToken(text, scopes: text).under("k").sealed(by: codec, in: context)
    }

    private func find(_ bytes: [UInt8], by examiner: SalvageExaminer) throws -> ExaminedRecord? {
        try examiner.record(at: bytes.rawSpan, sequences: [6, 7], partitions: [])
    }

    @Test(
        "both boxes of a record are found, whatever follows on them",
        arguments: [1, 20, 300, 5000, 200_000]
    )
    func found(count: Int) throws {
        let record = try record(count)
        let examiner = SalvageExaminer(unlockedKeys: unlockedKeys, now: 0)
        let noise = (0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 91) }
        let found = try #require(try find(record.facts + noise, by: examiner))
        #expect(found.tag == record.tag && found.partition == record.partition && found.sequence == 7)
        #expect(found.factsByteCount == record.facts.count && found.hasSecret)
        let other = ExaminedRecord(
            tag: RecordTag(first: 1, second: 2),
            partition: found.partition,
            kind: found.kind,
            sequence: 7,
            searchTags: [],
            factsByteCount: 72,
            hasSecret: true,
            removal: nil
        )
        let (long, short) = (record.secret + noise, Array(record.secret.dropLast()))
        let secret = try examiner.secret(at: long.rawSpan, of: [other, found])
        #expect(secret?.number == 1 && secret?.byteCount == record.secret.count)
        let cut = try examiner.secret(at: short.rawSpan, of: [found])
        #expect(cut == nil)
        #expect(try find(Array(record.facts.dropLast()), by: examiner) == nil)
        // Some times what they have themselves, for what is read ahead and tried.
        #expect(examiner.openedByteCount < 8 * (record.facts.count + record.secret.count) + 20_000)
    }

    @Test("the note of who asks the user is found")
    func interaction() throws {
        for asker in [InteractionSubject.Asker.client("mail"), .family("1")] {
            let subject = InteractionSubject(asker, authority: "https://idp.example/a")
            let tag = try codec.interactionTag(subject)
            let note = InteractionNote(subject).asking(7, at: 5).answered(.declined, in: 3)
            let record = try codec.seal(
                facts: note.encoded().rawSpan,
                secret: RawSpan(),
                kind: InternalRecordKind.interaction.recordKind,
                at: RecordAddress(tag: tag, partition: try codec.groupPartition(), searchTags: []),
                in: context
            )
            let found = try find(record.facts, by: SalvageExaminer(unlockedKeys: unlockedKeys, now: 0))
            #expect(found?.tag == tag && found?.kind == InternalRecordKind.interaction.recordKind)
        }
    }

    @Test("stored clouds are found")
    func clouds() throws {
        let cloud = Cloud(hosts: [], preferredNetworkHost: "a.example", preferredCacheHost: "a.example")
        let address = RecordAddress(
            tag: try codec.cloudMetadataTag(),
            partition: try codec.groupPartition(),
            searchTags: []
        )
        let record = try codec.seal(
            facts: StoredClouds().adding([cloud], at: 1).encoded().rawSpan,
            secret: RawSpan(),
            kind: InternalRecordKind.cloudMetadata.recordKind,
            at: address,
            in: context
        )
        let found = try #require(try find(record.facts, by: SalvageExaminer(unlockedKeys: unlockedKeys, now: 0)))
        #expect(found.tag == address.tag && found.partition == address.partition)
    }

    @Test("noise costs a few bytes at each place, however much of it there is")
    func noise() throws {
        var random = SeededGenerator(for: "noise")
        let noise = (0..<1 << 20).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let examiner = SalvageExaminer(unlockedKeys: unlockedKeys, now: 0)
        let locations = stride(from: 0, to: noise.count, by: 8)
        for location in locations {
            let rest = noise.rawSpan.extracting(location..<noise.count)
            let found = try examiner.record(at: rest, sequences: [7], partitions: [])
            #expect(found == nil)
        }
        #expect(examiner.openedByteCount < 256 * noise.count / 8)
    }

    @Test("a file that was made expensive to search ends the search, and the next one begins anew")
    func limit() throws {
        let record = try record(20)
        let examiner = SalvageExaminer(unlockedKeys: unlockedKeys, now: 0, largestOpenedByteCount: 100_000)
        // All of it is as it was, but the end.
        let forged = Array(record.facts.dropLast()) + [record.facts[record.facts.count - 1] ^ 1]
        #expect(try find(record.facts, by: examiner) != nil)
        for _ in 0..<1000 { #expect(try find(forged, by: examiner) == nil) }
        #expect(try find(record.facts, by: examiner) == nil)
        #expect(examiner.openedByteCount < 102_000)
        examiner.begin()
        #expect(try find(record.facts, by: examiner) != nil)
    }
}
