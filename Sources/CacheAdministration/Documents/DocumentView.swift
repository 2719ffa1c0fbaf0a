// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import TokenCaching
internal import UnifiedSchema

/// The entries of a group that one client may see: of the accounts that it did not sign out of, its own credentials, the
/// refresh tokens of its family, and the accounts themselves if there are any of these; its app metadata; and entries of
/// unknown form that name it. Every entry is written as it is stored.
struct DocumentView: ~Copyable {
    private struct Shown {
        let record: StoredRecord
        let partition: PartitionTag
        let facts: EntryFacts
        let reader: any BoxReader
    }

    /// A finished document.
    struct Written: ~Copyable {
        let text: SecretBytes
        let base: DocumentBase
    }

    /// The sections of every document. Entries of others are neither shown nor changed, unless they name the client.
    static let sections = DocumentSection.allCases.filter(\.isCommon)

    private let codec: RecordCodec
    private let clouds: CloudTable
    private let client: UTF8Text
    private var shown: [DocumentSection: [Shown]] = [:]
    private var opaque: [[UInt8]: [Shown]] = [:]
    private var base: DocumentBase
    private var writer = DocumentWriter()
    private var text: SecretDocument
    /// Whether the secret of a record is damaged, which reads as erased.
    private let isDamaged: (StoredRecord, PartitionTag) throws(StorageError) -> Bool

    /// An empty document.
    ///
    /// - Parameters:
    ///   - client: the client, folded.
    ///   - sequence: the newest transaction of the group.
    ///   - text: memory for the document.
    ///   - codec: opens the entries.
    ///   - clouds: the known clouds.
    ///   - isDamaged: whether the secret of a record that reads as erased is damaged.
    init(
        of client: UTF8Text,
        at sequence: UInt64,
        text: consuming SecretDocument,
        codec: RecordCodec,
        clouds: CloudTable,
        isDamaged: @escaping (StoredRecord, PartitionTag) throws(StorageError) -> Bool
    ) {
        self.isDamaged = isDamaged
        self.codec = codec
        self.clouds = clouds
        self.client = client
        self.text = text
        base = DocumentBase(sequence: sequence)
    }

    /// Reads the entries of the client from a store, or only those in the partition of an account.
    mutating func read(
        _ store: any RecordStore,
        account: PartitionTag?,
        until deadline: Deadline
    ) throws(StorageError) {
        let groupPartition = try codec.groupPartition()
        let group = try PartitionEntries(store.contents(of: groupPartition, until: deadline), codec: codec)
        let partitions =
            if let account { [account] } else { try store.partitionsToRead(until: deadline).map(\.tag) }
        for partition in partitions where partition != groupPartition {
            let stored = try PartitionEntries(store.contents(of: partition, until: deadline), codec: codec)
            try add(stored, in: partition, group: group)
        }
        for entry in group.entries {
            if entry.fields.kind == .appMetadata, entry.fields.clientID == client {
                try add(entry, in: groupPartition, group.reader)
            } else if entry.fields.kind == .opaque, account == nil {
                try addOpaque(entry, in: groupPartition, group.reader)
            }
        }
    }

    private mutating func add(
        _ stored: PartitionEntries,
        in partition: PartitionTag,
        group: PartitionEntries
    ) throws(StorageError) {
        let tag = try codec.signInStateTag(clientID: client.string, partition: partition)
        let state = stored.states.first { $0.record.tag == tag }?.state
        if state?.value == .signedOut || stored.isStateDamaged(tag) { return }
        let session = FamilySession(stored, group: group, client: client, clouds: clouds)
        let credentials = stored.entries.filter { entry in
            entry.fields.kind.isCredential && entry.fields.kind != .legacySingleResourceToken
                && (entry.fields.clientID == client
                    || entry.fields.kind.isPlainRefreshToken && session.shares(entry.fields))
        }
        if credentials.isEmpty, state?.value != .signedIn { return }
        for entry in credentials + stored.entries.filter({ $0.fields.kind == .account }) {
            try add(entry, in: partition, stored.reader)
        }
    }

    private mutating func add(
        _ entry: StoredEntry,
        in partition: PartitionTag,
        _ reader: any BoxReader
    ) throws(StorageError) {
        let facts = try entry.facts()
        guard let section = facts.section, section.isCommon else { return }
        let new = Shown(record: entry.record, partition: partition, facts: facts, reader: reader)
        shown[section, default: []].append(new)
    }

    private mutating func addOpaque(
        _ entry: StoredEntry,
        in partition: PartitionTag,
        _ reader: any BoxReader
    ) throws(StorageError) {
        let facts = try entry.facts()
        guard facts.keyBytes != nil, let payload = try readableSecret(of: entry.record, in: partition, reader),
            let value = try RecordCodec.decoding(try SecretPayload.values(in: payload.bytes)).first,
            OpaqueEntry.names(client, in: payload.bytes.extracting(value))
        else { return }
        let new = Shown(record: entry.record, partition: partition, facts: facts, reader: reader)
        opaque[facts.sectionBytes, default: []].append(new)
    }

    /// Writes the document.
    ///
    /// - Throws: `tokenGone` if an entry was erased in the meantime.
    consuming func written() throws(StorageError) -> Written {
        for section in Self.sections {
            try RecordCodec.decoding(try writer.open(section))
            let entries = (shown[section] ?? []).sorted {
                WrittenOrder($0.record, $0.facts) < WrittenOrder($1.record, $1.facts)
            }
            for entry in entries { try write(entry) }
            for entry in opaque[section.name.bytes.copied()] ?? [] { try write(entry) }
        }
        let names = Set(Self.sections.map { $0.name.bytes.copied() })
        for (_, entries) in opaque.filter({ !names.contains($0.key) }).sorted(by: {
            $0.key.lexicographicallyPrecedes($1.key)
        }) {
            for entry in entries { try write(entry) }
        }
        try emit { (writer, text) throws(DocumentError<StorageError>) in
            try writer.finish { (bytes) throws(StorageError) in try text.append(bytes) }
        }
        return Written(text: text.finish(), base: base)
    }

    private mutating func write(_ entry: Shown) throws(StorageError) {
        if entry.record.secret.length == 0 { return try write(entry, RawSpan()) }
        if let payload = try readableSecret(of: entry.record, in: entry.partition, entry.reader) {
            try write(entry, payload.bytes)
        }
    }

    /// The secret of a record; nil if it has none, or is damaged, which is left to repairs as in an export.
    ///
    /// - Throws: `tokenGone` if it was erased in the meantime.
    private func readableSecret(
        of record: StoredRecord,
        in partition: PartitionTag,
        _ reader: any BoxReader
    ) throws(StorageError) -> SecretBytes? {
        do throws(StorageError) {
            return try codec.openSecret(of: record, reader: reader)
        } catch {
            if error.code == .damaged { return nil }
            if error.code == .tokenGone, try isDamaged(record, partition) { return nil }
            throw error
        }
    }

    private mutating func write(_ entry: Shown, _ payload: RawSpan) throws(StorageError) {
        guard let (facts, keyTag) = try free(entry.facts) else { return }
        let token = try codec.number(of: facts, payload: payload)
        try emit { (writer, text) throws(DocumentError<StorageError>) in
            try writer.write(facts, payload: payload) { (bytes) throws(StorageError) in try text.append(bytes) }
        }
        base.entries[keyTag] = DocumentBase.Entry(
            tag: entry.record.tag,
            partition: entry.partition,
            sequence: entry.record.sequence,
            content: .init(facts, CredentialFields(facts), token: token, client: client, clouds: clouds)
        )
    }

    /// The entry under a key that no other one of the document has: those of two accounts may be equal.
    private func free(_ facts: EntryFacts) throws(StorageError) -> (EntryFacts, RecordTag)? {
        var free = facts
        var number = 1
        while true {
            let tag = try codec.tag(ofKeyOf: free)
            if base.entries[tag] == nil { return (free, tag) }
            guard facts.kind != .opaque, let key = facts.key else { return nil }
            number += 1
            free = facts.under(UTF8Text("\(key.string)-\(number)"))
        }
    }

    private mutating func emit(
        _ body: (inout DocumentWriter, inout SecretDocument) throws(DocumentError<StorageError>) -> Void
    ) throws(StorageError) {
        do throws(DocumentError<StorageError>) {
            try body(&writer, &text)
        } catch {
            throw StorageError(error)
        }
    }
}

/// An entry that is kept and not understood.
enum OpaqueEntry {
    /// Whether its value names a client, given folded.
    static func names(_ client: UTF8Text, in value: RawSpan) -> Bool {
        guard let object = try? JSONObject(value) else { return false }
        return object.text("client_id", in: value)?.normalized() == client
    }
}
