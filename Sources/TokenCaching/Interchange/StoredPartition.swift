internal import ByteOperations
internal import GroupRecords
internal import RecordStorage
internal import UnifiedSchema

/// What a partition held before an import: looked up by tag, and, where that finds nothing, by what an entry is.
final class StoredPartition {
    let contents: PartitionContents
    private let codec: RecordCodec
    private let clouds: CloudTable
    private let indices: [RecordTag: Int]
    private var agesByIdentity: [EntryIdentity: [EntryAge]]?
    /// The states of the clients that signed this account out, by client id, folded.
    let signedOut: [String: (state: SignInRecord, tag: RecordTag)]
    /// The records of sign-in states that cannot be read any more.
    private let damagedStates: Set<RecordTag>
    /// The records that are known to be unreadable without opening them, and those states.
    let damaged: Set<RecordTag>

    init(_ contents: PartitionContents, codec: RecordCodec, clouds: CloudTable) throws(StorageError) {
        self.contents = contents
        self.clouds = clouds
        self.codec = codec
        var indices: [RecordTag: Int] = [:]
        indices.reserveCapacity(contents.records.count)
        var signedOut: [String: (state: SignInRecord, tag: RecordTag)] = [:]
        var damagedStates: Set<RecordTag> = []
        var damaged: Set<RecordTag> = []
        for (index, record) in contents.records.enumerated() {
            indices[record.tag] = index
            if contents.facts[index] == nil { damaged.insert(record.tag) }
            guard record.kind == EngineRecordKind.signInState.recordKind else { continue }
            let box = contents.facts[index]
            guard let state = try codec.openSignInState(box, of: record, reader: contents.reader) else {
                damagedStates.insert(record.tag)
                continue
            }
            if state.value == .signedOut { signedOut[state.clientID] = (state, record.tag) }
        }
        self.indices = indices
        self.signedOut = signedOut
        self.damagedStates = damagedStates
        self.damaged = damaged.union(damagedStates)
    }

    var isEmpty: Bool { contents.records.isEmpty }

    /// The record of an entry; nil where there is none.
    func record(_ tag: RecordTag) -> (record: StoredRecord, facts: [UInt8]?)? {
        guard let index = indices[tag] else { return nil }
        return (contents.records[index], contents.facts[index])
    }

    /// Whether a client, folded, signed out of this account, whose partition has this tag. Where it cannot be read any
    /// more whether it did, it did.
    func isSignedOut(_ clientID: String, of tag: PartitionTag) throws(StorageError) -> Bool {
        if signedOut[clientID] != nil { return true }
        if damagedStates.isEmpty { return false }
        return try damagedStates.contains(codec.signInStateTag(clientID: clientID, partition: tag))
    }

    /// How old the entries are that are the same thing under other keys.
    func ages(of identity: EntryIdentity) throws(StorageError) -> [EntryAge] {
        if let agesByIdentity { return agesByIdentity[identity] ?? [] }
        var ages: [EntryIdentity: [EntryAge]] = [:]
        for (record, box) in zip(contents.records, contents.facts) where !record.kind.isEngineRecord {
            // What cannot be read is in nobody's way.
            guard let box, let facts = try codec.openFactsIfReadable(box, of: record, reader: contents.reader) else {
                continue
            }
            let fields = CredentialFields(facts)
            if let identity = EntryIdentity(facts, fields, clouds: clouds) {
                ages[identity, default: []].append(EntryAge(fields.times))
            }
        }
        agesByIdentity = ages
        return ages[identity] ?? []
    }
}

extension RecordCodec {
    /// The sign-in state of a record; nil where it is damaged.
    func openSignInState(
        _ box: [UInt8]?,
        of record: StoredRecord,
        reader: any BoxReader
    ) throws(StorageError) -> SignInRecord? {
        guard let box else { return nil }
        let sealer = try keyring.sealer(epoch: reader.epoch)
        do throws(StorageError) {
            return try SignInRecord(decoding: openFactsBytes(box.rawSpan, of: record, with: sealer))
        } catch {
            guard error.code == .damaged else { throw error }
            return nil
        }
    }

    /// The facts of a record; nil where they are damaged, or of a newer version.
    func openFactsIfReadable(
        _ box: [UInt8],
        of record: StoredRecord,
        reader: any BoxReader
    ) throws(StorageError) -> EntryFacts? {
        do throws(StorageError) {
            return try openFacts(box.rawSpan, of: record, epoch: reader.epoch)
        } catch {
            guard error.code == .damaged || error.code == .unsupportedVersion else { throw error }
            return nil
        }
    }
}
