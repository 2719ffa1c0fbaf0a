// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupRecords
internal import RecordStorage
internal import TokenCaching
internal import UnifiedSchema

/// The content of a partition before an import, looked up by tag, and if that finds nothing, by the entry's identity.
final class StoredPartition {
    /// A client's sign-out of the account. The state is nil if it cannot be read: it counts as signed out.
    typealias SignOut = (state: SignInRecord?, address: RecordAddress)

    let tag: PartitionTag
    private let reader: PartitionReader
    private let clouds: CloudTable
    private let indices: [RecordTag: Int]
    private var agesByIdentity: [EntryIdentity: [EntryAge]]?
    /// The states of clients, by folded client id.
    private let states: [String: (state: SignInRecord, tag: RecordTag)]
    /// Unreadable sign-in states.
    private let unreadableStates: Set<RecordTag>
    /// The records known to be damaged without opening them, and damaged sign-in states.
    let damaged: Set<RecordTag>

    init(
        _ tag: PartitionTag,
        _ contents: PartitionContents,
        codec: RecordCodec,
        clouds: CloudTable
    ) throws(StorageError) {
        self.tag = tag
        self.clouds = clouds
        reader = try PartitionReader(contents, codec: codec)
        var indices: [RecordTag: Int] = [:]
        indices.reserveCapacity(contents.records.count)
        var states: [String: (state: SignInRecord, tag: RecordTag)] = [:]
        var unreadableStates: Set<RecordTag> = []
        var damaged: Set<RecordTag> = []
        for (index, record) in contents.records.enumerated() {
            indices[record.tag] = index
            if contents.facts[index] == nil { damaged.insert(record.tag) }
            guard record.kind == InternalRecordKind.signInState.recordKind else { continue }
            switch try reader.signInState(index) {
            case .content(let state): states[state.clientID] = (state, record.tag)
            case .unreadable(let fault):
                unreadableStates.insert(record.tag)
                if fault != .newerVersion { damaged.insert(record.tag) }
            }
        }
        self.indices = indices
        self.states = states
        self.unreadableStates = unreadableStates
        self.damaged = damaged
    }

    /// Reads the boxes of its records.
    var boxes: any BoxReader { reader.contents.reader }

    var records: [StoredRecord] { reader.records }

    var isEmpty: Bool { records.isEmpty }

    /// The record with a tag; nil if there is none.
    func record(_ tag: RecordTag) -> StoredRecord? { indices[tag].map { records[$0] } }

    /// The content of an entry's record; nil if there is none.
    func facts(_ tag: RecordTag) throws(StorageError) -> RecordReading<EntryFacts>? {
        guard let index = indices[tag] else { return nil }
        return try reader.facts(index)
    }

    /// The content of a sign-in state's record; nil if there is none.
    func signInState(_ tag: RecordTag) throws(StorageError) -> RecordReading<SignInRecord>? {
        guard let index = indices[tag] else { return nil }
        return try reader.signInState(index)
    }

    /// The content of a tenant note's record; nil if there is none.
    func tenantNote(_ tag: RecordTag) throws(StorageError) -> RecordReading<TenantNote>? {
        guard let index = indices[tag] else { return nil }
        return try reader.read(index) { (bytes) throws(StorageError) in try TenantNote(decoding: bytes) }
    }

    /// Whether a client, given by its folded id, is signed in to this account.
    func isSignedIn(_ clientID: String) -> Bool { states[clientID]?.state.value == .signedIn }

    /// The sign-out of a client, given by its folded id; nil if it did not sign out.
    func signOut(of clientID: String) throws(StorageError) -> SignOut? {
        if let (state, record) = states[clientID] {
            return state.value == .signedOut ? (state, address(record)) : nil
        }
        if unreadableStates.isEmpty { return nil }
        let record = try reader.codec.signInStateTag(clientID: clientID, partition: tag)
        return unreadableStates.contains(record) ? (nil, address(record)) : nil
    }

    private func address(_ record: RecordTag) -> RecordAddress {
        RecordAddress(tag: record, partition: tag, searchTags: [])
    }

    var hasAccounts: Bool { records.contains { $0.kind.entryKind == .account } }

    /// The usernames, folded, of the account's entries in the cloud of a host.
    func usernames(inCloudOf host: UTF8Text) throws(StorageError) -> Set<UTF8Text> {
        var names: Set<UTF8Text> = []
        for (index, record) in records.enumerated() where record.kind.entryKind == .account {
            guard let facts = try reader.facts(index).content,
                clouds.areAliases(CredentialFields(facts).environment, host)
            else { continue }
            names.formUnion(AccountFields.usernames(of: facts))
        }
        return names
    }

    /// The ages of entries with the same identity under other keys.
    func ages(of identity: EntryIdentity) throws(StorageError) -> [EntryAge] {
        if let agesByIdentity { return agesByIdentity[identity] ?? [] }
        var ages: [EntryIdentity: [EntryAge]] = [:]
        for (index, record) in records.enumerated() where !record.kind.isInternalRecord {
            // An unreadable record does not conflict.
            guard let facts = try reader.facts(index).content else { continue }
            let fields = CredentialFields(facts)
            if let identity = EntryIdentity(facts, fields, clouds: clouds) {
                ages[identity, default: []].append(EntryAge(fields.times))
            }
        }
        agesByIdentity = ages
        return ages[identity] ?? []
    }
}
