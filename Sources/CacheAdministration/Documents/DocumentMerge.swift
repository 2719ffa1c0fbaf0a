// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import TokenCaching
internal import UnifiedSchema

/// Compares an edited document with what its client was handed, and divides the edits by partition. Then, under the
/// writer's lock, ``AccountMerge`` compares each partition with what the group has by now.
struct DocumentMerge {
    /// An entry that is not as the client was handed it.
    struct Edit {
        let entry: EditedDocument.Entry
        /// What the client was handed; nil for a new entry.
        let base: DocumentBase.Entry?
    }

    /// What a client did in one partition.
    struct Edits {
        var changed: [Edit] = []
        /// Entries that the client no longer has.
        var missing: [DocumentBase.Entry] = []
        /// All entries that the client was handed.
        var handed: [DocumentBase.Entry] = []
        /// All entries that it has now.
        var present: [DocumentBase.Content] = []
        /// The records of those that are unchanged.
        var unchanged: Set<RecordTag> = []
    }

    let codec: RecordCodec
    let clouds: CloudTable
    /// The client, folded.
    let client: UTF8Text
    let now: Int64
    let groupPartition: PartitionTag
    /// What the client will have been handed once the transaction is durable.
    var base: DocumentBase
    var report = MergeReport()
    private var edits: [PartitionTag: Edits] = [:]

    init(
        _ document: EditedDocument,
        over old: DocumentBase,
        client: UTF8Text,
        account: PartitionTag?,
        codec: RecordCodec,
        clouds: CloudTable,
        now: Int64
    ) throws(StorageError) {
        self.codec = codec
        self.clouds = clouds
        self.client = client
        self.now = now
        groupPartition = try codec.groupPartition()
        base = old
        base.entries = [:]
        var left = old.entries
        var unmatched: [EditedDocument.Entry] = []
        for entry in document.entries {
            if let handed = left.removeValue(forKey: entry.keyTag) {
                note(entry, handed)
            } else {
                unmatched.append(entry)
            }
        }
        // Some libraries write all entries under keys in their own form, whatever the keys were.
        var byIdentity: [Int: [RecordTag]] = [:]
        for (tag, handed) in left {
            if let identity = handed.content.identity { byIdentity[identity, default: []].append(tag) }
        }
        for entry in unmatched {
            let tags = entry.content.identity.flatMap { byIdentity[$0] } ?? []
            let same = tags.filter { left[$0] != nil }
            let tag = same.first { left[$0]?.content.token == entry.content.token } ?? same.min()
            if let tag, let handed = left.removeValue(forKey: tag) {
                note(entry, handed)
                continue
            }
            let partition = try codec.address(of: entry.facts, fields: entry.fields).partition
            guard isOfClient(entry), account == nil || partition == account || partition == groupPartition else {
                ignore(entry, in: partition)
                continue
            }
            edits[partition, default: Edits()].present.append(entry.content)
            edits[partition, default: Edits()].changed.append(Edit(entry: entry, base: nil))
        }
        // Of several entries that are the same, a library may keep one.
        let identities = Set(document.entries.compactMap(\.content.identity))
        for handed in left.values {
            if let identity = handed.content.identity, identities.contains(identity) { continue }
            edits[handed.partition, default: Edits()].missing.append(handed)
        }
        for handed in old.entries.values where edits[handed.partition] != nil {
            edits[handed.partition]?.handed.append(handed)
        }
    }

    /// Whether a new entry is the client's, or that of an account.
    private func isOfClient(_ entry: EditedDocument.Entry) -> Bool {
        switch entry.facts.kind {
        case .opaque: entry.namesClient
        case .account: true
        case .appMetadata: entry.fields.clientID == client
        default: entry.content.isOwn && entry.facts.section?.isCommon == true
        }
    }

    /// Notes an entry that the client was handed and still has.
    private mutating func note(_ entry: EditedDocument.Entry, _ handed: DocumentBase.Entry) {
        let partition = handed.partition
        edits[partition, default: Edits()].present.append(entry.content)
        base.entries[entry.keyTag] = DocumentBase.Entry(
            tag: handed.tag,
            partition: partition,
            sequence: handed.sequence,
            content: entry.content
        )
        if handed.content.isEqual(to: entry.content) {
            edits[partition, default: Edits()].unchanged.insert(handed.tag)
        } else {
            edits[partition, default: Edits()].changed.append(Edit(entry: entry, base: handed))
        }
    }

    /// Notes that the client has an entry that the merge does not touch.
    mutating func ignore(_ entry: EditedDocument.Entry, in partition: PartitionTag) {
        report.ignoredCount += 1
        keep(entry, in: partition)
    }

    /// Notes that the client has an entry, whatever the group has.
    mutating func keep(_ entry: EditedDocument.Entry, in partition: PartitionTag) {
        guard base.entries[entry.keyTag] == nil else { return }
        base.entries[entry.keyTag] = DocumentBase.Entry(
            tag: entry.keyTag,
            partition: partition,
            sequence: 0,
            content: entry.content
        )
    }

    /// Notes the record that an entry of the client was written to, or is equal to.
    mutating func note(
        _ entry: EditedDocument.Entry,
        at tag: RecordTag,
        in partition: PartitionTag,
        sequence: UInt64
    ) {
        base.entries[entry.keyTag] = DocumentBase.Entry(
            tag: tag,
            partition: partition,
            sequence: sequence,
            content: entry.content
        )
    }

    /// Adds the changes to the transaction.
    mutating func write(
        _ document: RawSpan,
        _ transaction: inout Transaction,
        store: any RecordStore
    ) throws(StorageError) {
        let group = try transaction.entries(of: groupPartition)
        for partition in edits.keys.sorted() where partition != groupPartition {
            guard let edits = edits[partition], !edits.changed.isEmpty || !edits.missing.isEmpty else { continue }
            let stored = try transaction.entries(of: partition)
            // The entries move there and back: a copy of all of them for each account would take too long.
            let moved = self
            base.entries = [:]
            var account = try AccountMerge(edits, of: partition, stored: stored, group: group, merge: consume moved)
            try account.write(document, &transaction)
            (base, report) = (account.merge.base, account.merge.report)
        }
        for edit in edits[groupPartition]?.changed ?? [] {
            switch edit.entry.facts.kind {
            case .appMetadata where edit.entry.fields.clientID == client:
                try put(edit, over: group, in: groupPartition, document, &transaction)
            case .opaque where edit.entry.namesClient:
                try putOpaque(edit, over: group, document, &transaction, store: store)
            default: ignore(edit.entry, in: groupPartition)
            }
        }
    }

    /// Merges an account or app metadata member by member: what the client changed is taken, whatever else changed in
    /// the meantime stays.
    mutating func put(
        _ edit: Edit,
        over stored: PartitionEntries,
        in partition: PartitionTag,
        _ document: RawSpan,
        _ transaction: inout Transaction
    ) throws(StorageError) {
        let entry = edit.entry
        let same = SameCredential(saved: entry.fields, clouds: clouds)
        let candidates = stored.entries.filter { $0.fields.kind == entry.facts.kind }
        let handed = edit.base.flatMap { handed in candidates.first { $0.record.tag == handed.tag } }
        guard let old = handed ?? candidates.last(where: { same.isReplaced($0.fields) }) else {
            let address = try codec.address(of: entry.facts, fields: entry.fields)
            try put(entry.facts, entry, at: address, document, &transaction)
            return
        }
        guard let merged = try merged(edit, over: old, isHanded: handed != nil) else {
            return note(entry, at: old.record.tag, in: partition, sequence: old.record.sequence)
        }
        try transaction.put(merged, secret: RawSpan(), at: try codec.address(of: merged))
        report.writtenCount += 1
        note(entry, at: old.record.tag, in: partition, sequence: transaction.context.sequence)
    }

    /// The stored entry with the members that the client changed; nil if that changes nothing.
    private func merged(_ edit: Edit, over old: StoredEntry, isHanded: Bool) throws(StorageError) -> EntryFacts? {
        let facts = try old.facts()
        let new = edit.entry.facts
        if facts.secretCount + new.secretCount > 0 { return nil }
        let values = Dictionary(
            facts.comparableMembers.map { ($0.name, $0.value) },
            uniquingKeysWith: { $1 }
        )
        let handedValues = edit.base?.content.members ?? [:]
        let merged = facts.taking(from: new) { name, value in
            if handedValues[name.hashValue] == value.hashValue || values[name] == value { return false }
            // Under another key it is another spelling of the same identity.
            return isHanded || !Self.identifying.contains(name)
        }
        return merged == facts ? nil : merged
    }

    private static let identifying = Set(
        ["home_account_id", "environment", "realm", "client_id"].map { Array($0.utf8) }
    )

    /// Writes an entry with the secrets that the document has for it.
    mutating func put(
        _ facts: EntryFacts,
        _ entry: EditedDocument.Entry,
        at address: RecordAddress,
        _ document: RawSpan,
        _ transaction: inout Transaction
    ) throws(StorageError) {
        if entry.secrets.isEmpty {
            try transaction.put(facts, secret: RawSpan(), at: address)
        } else {
            let payload = try EditedDocument.payload(entry.secrets, in: document)
            try transaction.put(facts, secret: payload.bytes, at: address)
        }
        report.writtenCount += 1
        note(entry, at: address.tag, in: address.partition, sequence: transaction.context.sequence)
    }

    private mutating func putOpaque(
        _ edit: Edit,
        over group: PartitionEntries,
        _ document: RawSpan,
        _ transaction: inout Transaction,
        store: any RecordStore
    ) throws(StorageError) {
        var pool = FieldPool()
        let imported = try ImportedEntry(edit.entry.facts, codec: codec, sharing: &pool)
        var window = PartitionWindow(store: store, codec: codec, clouds: clouds)
        window.begin(until: transaction.context.deadline)
        // An entry that is understood is not replaced by one that is not.
        guard try window.twinPartition(of: imported) == nil else { return ignore(edit.entry, in: groupPartition) }
        // Nor is what another client has under this key, which this one was not shown.
        if edit.base == nil, group.records.contains(where: { $0.tag == imported.address.tag }) {
            return ignore(edit.entry, in: groupPartition)
        }
        try put(edit.entry.facts, edit.entry, at: imported.address, document, &transaction)
    }
}
