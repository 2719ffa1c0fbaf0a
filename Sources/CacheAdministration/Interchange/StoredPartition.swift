// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupRecords
internal import RecordStorage
internal import TokenCaching
internal import UnifiedSchema

/// The content of a partition before an import, looked up by tag, and if that finds nothing, by the entry's identity.
final class StoredPartition {
    private let reader: PartitionReader
    private let clouds: CloudTable
    private let indices: [RecordTag: Int]
    private var agesByIdentity: [EntryIdentity: [EntryAge]]?
    /// The states of clients that signed out of this account, by folded client id.
    let signedOut: [String: (state: SignInRecord, tag: RecordTag)]
    /// Unreadable sign-in states.
    private let unreadableStates: Set<RecordTag>
    /// The records known to be damaged without opening them, and damaged sign-in states.
    let damaged: Set<RecordTag>

    init(_ contents: PartitionContents, codec: RecordCodec, clouds: CloudTable) throws(StorageError) {
        self.clouds = clouds
        reader = try PartitionReader(contents, codec: codec)
        var indices: [RecordTag: Int] = [:]
        indices.reserveCapacity(contents.records.count)
        var signedOut: [String: (state: SignInRecord, tag: RecordTag)] = [:]
        var unreadableStates: Set<RecordTag> = []
        var damaged: Set<RecordTag> = []
        for (index, record) in contents.records.enumerated() {
            indices[record.tag] = index
            if contents.facts[index] == nil { damaged.insert(record.tag) }
            guard record.kind == InternalRecordKind.signInState.recordKind else { continue }
            switch try reader.signInState(index) {
            case .content(let state):
                if state.value == .signedOut { signedOut[state.clientID] = (state, record.tag) }
            case .unreadable(let fault):
                unreadableStates.insert(record.tag)
                if fault != .newerVersion { damaged.insert(record.tag) }
            }
        }
        self.indices = indices
        self.signedOut = signedOut
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

    /// Whether a client, given by its folded id, signed out of this account, whose partition has this tag. An
    /// unreadable state counts as signed out.
    func isSignedOut(_ clientID: String, of tag: PartitionTag) throws(StorageError) -> Bool {
        if signedOut[clientID] != nil { return true }
        if unreadableStates.isEmpty { return false }
        return try unreadableStates.contains(reader.codec.signInStateTag(clientID: clientID, partition: tag))
    }

    /// Whether an account entry has this username, folded, in the cloud of a host.
    func hasAccount(named username: UTF8Text, inCloudOf host: UTF8Text) throws(StorageError) -> Bool {
        for (index, record) in records.enumerated() where record.kind.entryKind == .account {
            guard let facts = try reader.facts(index).content, AccountFields.usernames(of: facts).contains(username),
                clouds.areAliases(CredentialFields(facts).environment, host)
            else { continue }
            return true
        }
        return false
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
