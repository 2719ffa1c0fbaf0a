// SPDX-License-Identifier: Apache-2.0

import ByteOperations
import FileStorage
import GroupRecords
import RecordStorage
import Sealing
import Testing
import UnifiedSchema

@testable import CacheAdministration
@testable import TokenCaching

@Suite("Internal records whose rows are lost")
struct SalvagedKindsTests {
    let codec: RecordCodec
    let unlockedKeys: UnlockedKeys
    let account: PartitionTag
    let group: PartitionTag

    init() throws {
        unlockedKeys = try UnlockedKeys(try GroupKeys.generate())
        codec = RecordCodec(unlockedKeys: unlockedKeys)
        account = try codec.partition(ofAccount: UTF8Text("uid.utid").bytes)
        group = try codec.groupPartition()
    }

    /// A record of a kind, as the engine writes it: its facts, and where they belong.
    private func sample(_ kind: InternalRecordKind) throws -> (facts: [UInt8], tag: RecordTag, partition: PartitionTag)
    {
        switch kind {
        case .signInState:
            let state = SignInRecord(clientID: "mail", account: "uid.utid").changed(to: .signedIn, at: 5)
            return (state.encoded(), try codec.signInStateTag(clientID: "mail", partition: account), account)
        case .accountWipe:
            let mark = Tombstone().moved(.account, by: "mail", at: 5, in: 7)
            return (mark.encoded(), try codec.accountWipeTag(partition: account), account)
        case .lastRemoval:
            let mark = Tombstone().moved(.group, by: "mail", at: 5, in: 7)
            return (mark.encoded(), try codec.lastRemovalTag(), group)
        case .principalAccount:
            let principal = PrincipalAccount(clientID: "mail", account: nil, at: 5)
            return (principal.encoded(), try codec.principalAccountTag(clientID: "mail"), group)
        case .refusal:
            let tag = try codec.internalRecordTag(.refusal, name: [4], partition: group)
            let period = RefusalPeriod(madeOn: 5, until: 65)
            let note = RefusalNote(.server, client: "mail", period: period, response: nil, host: "idp.example")
            return (try #require(note.placed(tag, in: group).encoded()), tag, group)
        case .tenantNote:
            let (name, environment) = ("contoso.example", "login.windows.net")
            let note = TenantNote(
                name: UTF8Text(name),
                environment: UTF8Text(environment),
                realm: "utid",
                account: "uid.utid",
                at: 5
            )
            let tag = try codec.tenantNoteTag(name: name, environment: environment, partition: account)
            return (note.encoded(), tag, account)
        case .cloudMetadata:
            let cloud = Cloud(hosts: [], preferredNetworkHost: "a.example", preferredCacheHost: "a.example")
            return (StoredClouds().adding([cloud], at: 5).encoded(), try codec.cloudMetadataTag(), group)
        case .authorityMetadata:
            let stored = StoredAuthorities().adding(.object([]), at: "https://idp.example", now: 5)
            return (stored.encoded(), try codec.authorityMetadataTag(), group)
        case .interaction:
            let subject = InteractionSubject(.family("1"), authority: "https://idp.example/a")
            let note = InteractionNote(subject).asking(7, at: 5)
            return (note.encoded(), try codec.interactionTag(subject), group)
        }
    }

    @Test("are identified by their content, whatever their kind", arguments: InternalRecordKind.allCases)
    func identified(kind: InternalRecordKind) throws {
        let (facts, tag, partition) = try sample(kind)
        let record = try codec.seal(
            facts: facts.rawSpan,
            secret: RawSpan(),
            kind: kind.recordKind,
            at: RecordAddress(tag: tag, partition: partition, searchTags: []),
            in: CommitContext(sequence: 7, epoch: 1, changes: .none, deadline: .after(.seconds(20)))
        )
        let examiner = SalvageExaminer(unlockedKeys: unlockedKeys, now: 0)
        let found = try examiner.record(at: record.facts.rawSpan, sequences: [6, 7], partitions: [account])
        #expect(found?.kind == kind.recordKind)
        #expect(found?.tag == tag && found?.partition == partition && found?.sequence == 7)
    }
}
