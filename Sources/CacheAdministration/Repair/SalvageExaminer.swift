// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import FileStorage
internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import TokenCaching
internal import UnifiedSchema

/// Identifies the record that a box belongs to, and signs clients out whose sign-out may be lost.
///
/// A box opens only as the record that it was sealed for, and its content identifies that record: tag and partition are
/// recomputed from the content, never taken from adjacent data.
final class SalvageExaminer: RecordExaminer {
    private let codec: RecordCodec
    /// The current time, in seconds since 1970.
    private let now: Int64
    private var sessions: [PartitionTag: AccountSession] = [:]
    /// Every client that the group knows, by folded id.
    private var clients: Set<String> = []

    /// The number of bytes decrypted so far to find out where boxes begin.
    private(set) var openedByteCount = 0
    /// The limit for that: some seconds of work, and many times what the longest transaction takes. An attacker without
    /// the keys can assemble boxes from pieces of others, each of which costs as much to reject as a real box to find.
    private let largestOpenedByteCount: Int

    init(unlockedKeys: UnlockedKeys, now: Int64, largestOpenedByteCount: Int = 2 << 30) {
        codec = RecordCodec(unlockedKeys: unlockedKeys)
        self.now = now
        self.largestOpenedByteCount = largestOpenedByteCount
    }

    func begin() {
        openedByteCount = 0
        sessions = [:]
        clients = []
    }

    // MARK: - Identifying records

    func record(
        at bytes: RawSpan,
        sequences: [UInt64],
        partitions: Set<PartitionTag>
    ) throws(StorageError) -> ExaminedRecord? {
        guard openedByteCount < largestOpenedByteCount else { return nil }
        let sealer = try codec.unlockedKeys.tagSealer()
        openedByteCount += BoxRole.facts.bucketByteCount
        let start = try sealing(try sealer.unverifiedStart(ofFacts: bytes))
        guard let start, Self.mayBeginFacts(start) else { return nil }
        for claimedByteCount in [
            Self.claimedByteCount(ofEntry:), Self.claimedByteCount(ofInternalRecord:),
        ] {
            var cost = 0
            let found = try sealing(
                try sealer.unverifiedFacts(
                    startingAt: bytes,
                    cost: &cost,
                    claimedByteCount: claimedByteCount
                )
            )
            openedByteCount += cost
            guard let found else { continue }
            let box = bytes.extracting(0..<found.boxByteCount)
            if let record = try record(
                found.facts,
                box: box,
                sequences: sequences,
                partitions: partitions,
                sealer: sealer
            ) {
                return record
            }
        }
        return nil
    }

    /// Facts of entries and of internal records begin with the format version.
    private static func mayBeginFacts(_ start: [UInt8]) -> Bool {
        if EntryFacts.mayBegin(start) { return true }
        guard start[0] == InternalRecordFacts.version else { return false }
        let documents = [InternalRecordFacts.Field.clouds, .authorities].map(\.rawValue)
        return start[1] <= 16 || documents.contains(start[1])
    }

    /// The record with these facts, if the box opens as that record.
    private func record(
        _ facts: [UInt8],
        box: RawSpan,
        sequences: [UInt64],
        partitions: Set<PartitionTag>,
        sealer: RecordSealer
    ) throws(StorageError) -> ExaminedRecord? {
        for candidate in try candidates(facts, partitions) {
            for sequence in sequences {
                guard openedByteCount < largestOpenedByteCount else { return nil }
                openedByteCount += box.byteCount
                let record = StoredRecord(
                    tag: candidate.address.tag,
                    kind: candidate.kind,
                    sequence: sequence,
                    facts: .none,
                    secret: .none
                )
                do throws(StorageError) {
                    _ = try codec.openFactsBytes(box, of: record, with: sealer)
                } catch {
                    guard error.code == .damaged else { throw error }
                    continue
                }
                return ExaminedRecord(
                    tag: record.tag,
                    partition: candidate.address.partition,
                    kind: record.kind,
                    sequence: sequence,
                    searchTags: candidate.address.searchTags,
                    factsByteCount: box.byteCount,
                    hasSecret: candidate.hasSecret,
                    removal: candidate.removedIn.flatMap { $0.sequence == sequence ? $0.scope : nil }
                )
            }
        }
        return nil
    }

    /// A record that the facts may belong to: its address, and what the transaction that wrote it removed.
    private struct Candidate {
        let kind: RecordKind
        let address: RecordAddress
        /// Internal records have no secret.
        var hasSecret = false
        var removedIn: TransactionRemoval?
    }

    /// A transaction, and what it removed.
    private typealias TransactionRemoval = (sequence: UInt64, scope: RemovalScope)

    private func candidates(
        _ facts: [UInt8],
        _ partitions: Set<PartitionTag>
    ) throws(StorageError) -> [Candidate] {
        var candidates: [Candidate] = []
        if let entry = try? EntryFacts(decoding: facts) {
            candidates.append(
                Candidate(
                    kind: RecordCodec.kind(entry.kind),
                    address: try codec.address(of: entry),
                    hasSecret: entry.secretCount > 0
                )
            )
        }
        guard let record = try? InternalRecordFacts(decoding: facts) else { return candidates }
        let group = try codec.groupPartition()
        // The kinds that every partition may have are last: ruling them out takes longest.
        for kind in InternalRecordKind.allCases.reversed() {
            candidates += try self.candidates(of: kind, facts, record, group: group, partitions)
        }
        return candidates
    }

    /// The internal records of one kind that the facts may belong to.
    private func candidates(
        of kind: InternalRecordKind,
        _ facts: [UInt8],
        _ record: InternalRecordFacts,
        group: PartitionTag,
        _ partitions: Set<PartitionTag>
    ) throws(StorageError) -> [Candidate] {
        func candidate(_ tag: RecordTag, _ partition: PartitionTag, _ removal: TransactionRemoval? = nil) -> Candidate {
            Candidate(kind: kind.recordKind, address: address(tag, partition), removedIn: removal)
        }
        switch kind {
        case .principalAccount:
            return [candidate(try codec.principalAccountTag(clientID: record[text: .clientID] ?? ""), group)]
        case .lastRemoval:
            guard let mark = try? Tombstone(decoding: facts) else { return [] }
            let removal: TransactionRemoval? = mark.scope == .group ? (mark.removalSequence, .group) : nil
            return [candidate(try codec.lastRemovalTag(), group, removal)]
        case .accountWipe:
            guard let mark = try? Tombstone(decoding: facts) else { return [] }
            let removal: TransactionRemoval? = mark.scope == .account ? (mark.removalSequence, .account) : nil
            var candidates: [Candidate] = []
            for partition in partitions {
                candidates.append(candidate(try codec.accountWipeTag(partition: partition), partition, removal))
            }
            return candidates
        case .refusal:
            return record.refusalLocation.map { [Candidate(kind: kind.recordKind, address: $0)] } ?? []
        case .cloudMetadata:
            return record[bytes: .clouds] == nil ? [] : [candidate(try codec.cloudMetadataTag(), group)]
        case .authorityMetadata:
            return record[bytes: .authorities] == nil ? [] : [candidate(try codec.authorityMetadataTag(), group)]
        case .interaction:
            guard let subject = (try? InteractionNote(decoding: facts))?.subject else { return [] }
            return [candidate(try codec.interactionTag(subject), group)]
        case .tenantNote:
            guard let note = try? TenantNote(decoding: facts) else { return [] }
            let partition = try codec.partition(ofAccount: UTF8Text(note.account).bytes)
            let tag = try codec.tenantNoteTag(name: note.name, environment: note.environment, partition: partition)
            return [candidate(tag, partition)]
        case .signInState:
            guard let state = try? SignInRecord(decoding: facts) else { return [] }
            let account = UTF8Text(state.account)
            let own = [
                try codec.partition(ofAccount: account.bytes), try codec.partition(ofUsername: account.bytes),
            ]
            var candidates: [Candidate] = []
            for partition in partitions.union(own) {
                let tag = try codec.signInStateTag(clientID: state.clientID, partition: partition)
                candidates.append(candidate(tag, partition, (state.removalSequence, .signOut)))
            }
            return candidates
        }
    }

    private func address(_ tag: RecordTag, _ partition: PartitionTag) -> RecordAddress {
        RecordAddress(tag: tag, partition: partition, searchTags: [])
    }

    func secret(
        at bytes: RawSpan,
        of records: [ExaminedRecord]
    ) throws(StorageError) -> (number: Int, byteCount: Int)? {
        guard openedByteCount < largestOpenedByteCount else { return nil }
        let sealer = try codec.unlockedKeys.tagSealer()
        openedByteCount += BoxRole.secret.bucketByteCount
        let byteCount = try sealing(
            try sealer.unverifiedSecretBoxByteCount(
                startingAt: bytes,
                claimedByteCount: SecretPayload.byteCount(startingWith:)
            )
        )
        guard let byteCount else { return nil }
        let box = bytes.extracting(0..<byteCount)
        for (number, record) in records.enumerated() {
            openedByteCount += byteCount
            let isOwn = try sealing(
                try sealer.isSecret(
                    box,
                    tag: (record.tag.first, record.tag.second),
                    kind: record.kind.rawValue,
                    sequence: record.sequence
                )
            )
            if isOwn { return (number, byteCount) }
        }
        return nil
    }

    func outlivesRemoval(_ kind: RecordKind) -> Bool { kind.outlivesWipe }

    // MARK: - Signing out

    /// The kept records about a user's sessions in one partition.
    private struct AccountSession {
        /// Its id, if it is known.
        var account = ""
        var clients: Set<String> = []
        /// Whether clients without entries of their own may use the entries in the partition.
        var isShared = false
        var states: [String: SignInRecord] = [:]
    }

    func mayHaveRecordedSignOut(_ lost: LostRecord) -> Bool {
        guard let kind = lost.kind else { return true }
        return kind.outlivesWipe || kind == InternalRecordKind.lastRemoval.recordKind
    }

    func note(_ record: StoredRecord, in partition: PartitionTag, facts: RawSpan) throws(StorageError) {
        let sealer = try codec.unlockedKeys.tagSealer()
        let reading = try codec.read(facts, of: record, with: sealer) { (bytes) throws(StorageError) in
            var pool = FieldPool.ofOneAccount
            return try OpenedFacts(record, bytes, sharing: &pool)
        }
        // An unreadable record tells nothing about sessions.
        switch reading.content {
        case nil: break
        case .entry(let entry): note(entry.fields, in: partition)
        case .internalRecord(let internalRecord):
            guard case .signInState(let state) = internalRecord.content else { break }
            clients.insert(state.clientID)
            sessions[partition, default: AccountSession()].states[state.clientID] = state
            sessions[partition]?.clients.insert(state.clientID)
        }
    }

    private func note(_ fields: CredentialFields, in partition: PartitionTag) {
        let client = fields.clientID.string
        if !client.isEmpty { clients.insert(client) }
        guard fields.kind.isCredential || fields.kind == .account,
            let account = fields.homeAccountID ?? fields.username
        else { return }
        var session = sessions[partition] ?? AccountSession()
        if session.account.isEmpty { session.account = account.string }
        if fields.kind.isCredential, !client.isEmpty { session.clients.insert(client) }
        if fields.isFamilyToken || fields.namesFamily || fields.kind == .primaryRefreshToken {
            session.isShared = true
        }
        sessions[partition] = session
    }

    func replacements(
        for lost: Set<LostRecord>,
        sequence: UInt64
    ) throws(StorageError) -> (accountCount: Int, records: [NewRecord]) {
        let group = try codec.groupPartition()
        let isAnyLost = lost.contains { $0.partition == nil }
        var wholly: Set<PartitionTag> = isAnyLost ? Set(sessions.keys) : []
        var marked = wholly
        var records: [NewRecord] = []
        var signedOut: Set<PartitionTag> = []
        for record in lost {
            guard let partition = record.partition, partition != group else { continue }
            if record.kind == InternalRecordKind.accountWipe.recordKind {
                marked.insert(partition)
            } else if let tag = record.tag, let client = try client(ofStateUnder: tag, in: partition) {
                if !wholly.contains(partition) {
                    try signOut(client, of: partition, sequence: sequence, records: &records)
                    signedOut.insert(partition)
                }
            } else {
                wholly.insert(partition)
                marked.insert(partition)
            }
        }
        for partition in wholly {
            let session = sessions[partition] ?? AccountSession(isShared: true)
            var isChanged = false
            for client in session.isShared ? clients.union(session.clients) : session.clients
            where session.states[client]?.value != .signedOut {
                try signOut(client, of: partition, sequence: sequence, records: &records)
                isChanged = true
            }
            if isChanged { signedOut.insert(partition) }
        }
        for partition in marked {
            let mark = Tombstone().moved(.signOut, by: "", at: now, in: sequence)
            let tag = try codec.accountWipeTag(partition: partition)
            records.append(
                try seal(mark.encoded(), kind: .accountWipe, tag: tag, partition: partition, sequence: sequence)
            )
        }
        if isAnyLost || lost.contains(where: { $0.partition == group }) {
            let mark = Tombstone().moved(.signOut, by: "", at: now, in: sequence)
            records.append(
                try seal(
                    mark.encoded(),
                    kind: .lastRemoval,
                    tag: try codec.lastRemovalTag(),
                    partition: group,
                    sequence: sequence
                )
            )
        }
        return (signedOut.count, records)
    }

    /// The client whose sign-in state has this tag, if the group knows that client.
    private func client(ofStateUnder tag: RecordTag, in partition: PartitionTag) throws(StorageError) -> String? {
        for client in clients where try codec.signInStateTag(clientID: client, partition: partition) == tag {
            return client
        }
        return nil
    }

    private func signOut(
        _ client: String,
        of partition: PartitionTag,
        sequence: UInt64,
        records: inout [NewRecord]
    ) throws(StorageError) {
        let session = sessions[partition]
        let state = session?.states[client] ?? SignInRecord(clientID: client, account: session?.account ?? "")
        let tag = try codec.signInStateTag(clientID: client, partition: partition)
        let content = state.removed(to: .signedOut, at: now, in: sequence).encoded()
        records.append(try seal(content, kind: .signInState, tag: tag, partition: partition, sequence: sequence))
    }

    private func seal(
        _ facts: [UInt8],
        kind: InternalRecordKind,
        tag: RecordTag,
        partition: PartitionTag,
        sequence: UInt64
    ) throws(StorageError) -> NewRecord {
        let sealer = try codec.unlockedKeys.tagSealer()
        return try codec.seal(
            facts: facts.rawSpan,
            secret: RawSpan(),
            kind: kind.recordKind,
            at: address(tag, partition),
            in: CommitContext(
                sequence: sequence,
                epoch: sealer.keys.epoch,
                changes: .everything,
                deadline: .after(.zero)
            )
        )
    }
}
