// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupRecords
internal import RecordStorage
internal import UnifiedSchema

/// The accounts of a group, read one after the other, as one application sees them or as all of them do.
struct AccountViews {
    private let engine: Engine
    /// Folded; nil for all applications.
    private let client: UTF8Text?
    private let group: PartitionFacts
    /// The applications of a family, which may redeem its refresh tokens.
    private let familyMembers: Set<UTF8Text>
    private let now: ClockReading

    init(_ engine: Engine, client: UTF8Text?, until deadline: Deadline) throws(StorageError) {
        self.engine = engine
        self.client = client
        now = ClockReading.now(engine.clock)
        let freshness = try engine.freshen(now, until: deadline)
        if let staleness = freshness.staleness { throw staleness.error }
        try engine.addStoredClouds(try engine.facts(of: engine.groupPartition, freshness), freshness)
        group = try engine.facts(of: engine.groupPartition, freshness)
        familyMembers = client == nil ? group.familyMembers : []
    }

    /// The account in a partition, and the applications that are signed in to it. It counts as signed in if there are
    /// any.
    ///
    /// - Returns: nil if the partition has no account that can be read, or if its entries belong to the account of
    ///   another partition.
    func account(
        in partition: PartitionTag,
        until deadline: Deadline
    ) throws(StorageError) -> (account: Account, signedInClients: [String])? {
        guard let own = try OpenedPartition(partition, engine, until: deadline) else { return nil }
        guard let first = try listed(own, of: client ?? "") else { return nil }
        var partitions = [own]
        for username in first.usernames where !username.isEmpty {
            var others = [try engine.codec.partition(ofUsername: username.bytes)]
            // Entries stored only under a username belong to the account with that username.
            if !first.account.hasHomeAccountID {
                others += try engine.partitions(ofUsername: username, until: deadline)
            }
            for other in Set(others) where other != partition {
                guard let read = try OpenedPartition(other, engine, until: deadline) else { continue }
                if !first.account.hasHomeAccountID {
                    let account = try listed(read, of: "")
                    if let account, account.account.hasHomeAccountID, account.usernames.contains(username) {
                        return nil
                    }
                }
                partitions.append(read)
            }
        }
        var found = first.account.signedIn(false)
        var signedIn: [String] = []
        for client in try clients(of: partitions) {
            var listed: [ListedAccount] = []
            for partition in partitions {
                if let account = try self.listed(partition, of: client) { listed.append(account) }
            }
            let families = ClientFamilies(group: group, client: client.bytes)
            let accounts = engine.merged(listed, includesSignedOut: true, families: families, now: now)
            guard let account = accounts.first(where: { $0.id == first.account.id }) else { continue }
            if signedIn.isEmpty { found = account }
            if account.isSignedIn { signedIn.append(client.string) }
        }
        return (found, signedIn)
    }

    private func listed(_ partition: OpenedPartition, of client: UTF8Text) throws(StorageError) -> ListedAccount? {
        ListedAccount(try engine.summary(of: partition, in: partition.tag, client: client), in: partition.tag)
    }

    /// The given application; otherwise every application that the records name, or an empty id if they name none.
    private func clients(of partitions: [OpenedPartition]) throws(StorageError) -> [UTF8Text] {
        if let client { return [client] }
        var clients: Set<UTF8Text> = []
        for partition in partitions {
            for (index, record) in partition.records.enumerated() {
                let reading = try partition.read(index) { (bytes) throws(StorageError) in
                    try named(record.kind, bytes)
                }
                if let named = reading.content { clients.formUnion(named) }
            }
        }
        clients.remove("")
        return clients.isEmpty ? [""] : clients.sorted()
    }

    /// The applications that a record concerns.
    private func named(_ kind: RecordKind, _ bytes: [UInt8]) throws(StorageError) -> Set<UTF8Text> {
        switch EntryKind(rawValue: kind.rawValue) {
        case nil: return [UTF8Text(try SignInRecord(decoding: bytes).clientID)]
        case .account: return []
        case .legacySingleResourceToken: return [CredentialFields(try RecordCodec.entryFacts(bytes)).clientID]
        default:
            let holder = try RecordCodec.decoding(try TokenHolder(decoding: bytes.rawSpan, client: ""))
            return holder.isFamilyToken ? familyMembers.union([holder.clientID]) : [holder.clientID]
        }
    }
}

/// The records that listing accounts needs from a partition, opened once because they may be decoded for several
/// applications.
private struct OpenedPartition: RecordFacts {
    let tag: PartitionTag
    let records: [StoredRecord]
    private let facts: [RecordReading<[UInt8]>]

    /// - Returns: nil if the partition does not exist.
    init?(_ partition: PartitionTag, _ engine: Engine, until deadline: Deadline) throws(StorageError) {
        let reader = try PartitionReader(try engine.store.contents(of: partition, until: deadline), codec: engine.codec)
        if reader.records.isEmpty { return nil }
        tag = partition
        var records: [StoredRecord] = []
        var facts: [RecordReading<[UInt8]>] = []
        for (index, record) in reader.records.enumerated()
        where (record.kind.isOfAccount || record.kind.isAccessToken) && !record.lacksToken {
            records.append(record)
            facts.append(try reader.read(index) { (bytes) throws(StorageError) in bytes })
        }
        self.records = records
        self.facts = facts
    }

    func read<Content>(
        _ index: Int,
        as decode: ([UInt8]) throws(StorageError) -> Content
    ) throws(StorageError) -> RecordReading<Content> {
        switch facts[index] {
        case .unreadable(let fault): return .unreadable(fault)
        case .content(let bytes):
            do throws(StorageError) {
                return .content(try decode(bytes))
            } catch {
                guard let fault = RecordFault(error) else { throw error }
                return .unreadable(fault)
            }
        }
    }
}

extension PartitionFacts {
    /// The applications that the app metadata of the group's partition calls members of a family.
    fileprivate var familyMembers: Set<UTF8Text> {
        var members: Set<UTF8Text> = []
        let rows = rows
        for index in rows.indices where rows[index].kind.isAppMetadata && !span(rows[index].family).isEmpty {
            if let client = UTF8Text(utf8: span(rows[index].client)) { members.insert(client) }
        }
        return members
    }
}
