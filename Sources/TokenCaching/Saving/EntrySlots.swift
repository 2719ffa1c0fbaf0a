internal import RecordStorage
internal import UnifiedSchema

/// Finds the places of new entries among those of a partition: what each replaces, in which SDK's form it is written, and
/// under which key.
struct EntrySlots {
    /// The place of an entry that replaces others whole.
    struct Whole {
        let facts: EntryFacts
        let address: RecordAddress
        /// Records that go, beside the one of the same tag.
        let replaced: [RecordTag]
    }

    /// The place of an entry that is laid over an old one.
    struct Merged {
        let facts: EntryFacts
        let address: RecordAddress
        let old: StoredEntry?
    }

    let partition: PartitionTag
    let codec: RecordCodec
    let reader: any BoxReader
    private let clouds: CloudTable
    /// Entries that are still there.
    private(set) var remaining: [StoredEntry]
    /// Tags that are taken, by what stays and by what was written.
    private var taken: Set<RecordTag>

    init(_ stored: PartitionEntries, partition: PartitionTag, codec: RecordCodec, clouds: CloudTable) {
        self.partition = partition
        self.codec = codec
        self.clouds = clouds
        reader = stored.reader
        remaining = stored.entries
        // Records that cannot be read are not among them: writing over one heals it.
        taken = Set(stored.entries.map(\.record.tag))
    }

    /// Takes the place of every entry that is the same credential, in the form of the newest one. `make` gives the entry
    /// in the form of an SDK.
    mutating func take(
        _ make: (KeyFormat) throws(SchemaError) -> EntryFacts
    ) throws(TokenCacheError) -> Whole {
        let same = SameCredential(try facts(make, .standard), clouds: clouds)
        let replaced = remaining.filter { same.isReplaced($0.fields) }
        let newest = replaced.max { $0.record.sequence < $1.record.sequence }
        let tags = Set(replaced.map(\.record.tag))
        let (facts, address) = try place(newest, freeing: tags, make)
        remaining.removeAll { tags.contains($0.record.tag) }
        taken.subtract(tags)
        taken.insert(address.tag)
        return Whole(facts: facts, address: address, replaced: tags.filter { $0 != address.tag }.sorted())
    }

    /// Takes the place of the newest entry that means the same, whose unknown members stay. Older ones, if an SDK left
    /// some, stay as they are. `make` gives the entry in the form of an SDK, laid over an old one.
    mutating func takeMerging(
        _ make: (KeyFormat, EntryFacts?) throws(SchemaError) -> EntryFacts
    ) throws(TokenCacheError) -> Merged {
        let same = SameCredential(
            try facts({ (format) throws(SchemaError) in try make(format, nil) }, .standard),
            clouds: clouds
        )
        let old = remaining.filter { same.isReplaced($0.fields) }.max { $0.record.sequence < $1.record.sequence }
        let tags = Set([old?.record.tag].compactMap(\.self))
        let (facts, address) = try place(old, freeing: tags) { (format) throws(SchemaError) in
            try make(format, old?.facts)
        }
        remaining.removeAll { tags.contains($0.record.tag) }
        taken.subtract(tags)
        taken.insert(address.tag)
        return Merged(facts: facts, address: address, old: old)
    }

    /// Removes access tokens that have ended, whosever they are.
    mutating func removeExpiredTokens(now: Int64, from transaction: inout Transaction) throws(StorageError) {
        for entry in remaining where entry.fields.kind.isAccessToken {
            guard let expiresOn = entry.fields.expiresOn else { continue }
            guard max(expiresOn, entry.fields.extendedExpiresOn ?? expiresOn) <= now else { continue }
            try transaction.remove(entry.record.tag, in: partition, erasingSecret: false)
            remaining.removeAll { $0.record.tag == entry.record.tag }
        }
    }

    /// The first form whose key is not that of an entry which stays: some SDKs' keys do not tell all tokens apart.
    private func place(
        _ old: StoredEntry?,
        freeing tags: Set<RecordTag>,
        _ make: (KeyFormat) throws(SchemaError) -> EntryFacts
    ) throws(TokenCacheError) -> (EntryFacts, RecordAddress) {
        let wanted = old.map { KeyFormat(detecting: $0.facts) } ?? .standard
        for format in [wanted, .standard] + KeyFormat.allCases {
            let facts = try facts(make, format)
            let address = try storing { () throws(StorageError) in try codec.address(of: facts) }
            if tags.contains(address.tag) || !taken.contains(address.tag) { return (facts, address) }
        }
        throw TokenCacheError(.exists, detail: "every key that the entry could have is that of another entry")
    }

    private func facts(
        _ make: (KeyFormat) throws(SchemaError) -> EntryFacts,
        _ format: KeyFormat
    ) throws(TokenCacheError) -> EntryFacts {
        do throws(SchemaError) {
            return try make(format)
        } catch {
            throw TokenCacheError(.invalidResponse, detail: error.rule)
        }
    }
}
