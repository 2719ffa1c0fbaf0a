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
        /// Whether the old entry is the newest that means the same: readers go by the newest.
        let replacesNewest: Bool
    }

    let partition: PartitionTag
    let codec: RecordCodec
    let reader: any BoxReader
    private let clouds: CloudTable
    /// Entries that are still there.
    private(set) var remaining: [StoredEntry]
    /// Tags that are taken, by what stays and by what was written.
    private var taken: Set<RecordTag>
    /// Tags of access tokens that have ended and whose keys nothing has taken yet.
    private var expired: Set<RecordTag> = []

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
        let standard = try facts(make, .standard)
        let same = SameCredential(standard, clouds: clouds)
        let replaced = remaining.filter { same.isReplaced($0.fields) }
        let newest = replaced.max { $0.record.sequence < $1.record.sequence }
        let tags = Set(replaced.map(\.record.tag))
        let (facts, address) = try place(newest, freeing: tags, for: same.saved) { (format) throws(SchemaError) in
            format == .standard ? standard : try make(format)
        }
        occupy(address.tag, freeing: tags)
        return Whole(facts: facts, address: address, replaced: tags.filter { $0 != address.tag }.sorted())
    }

    /// Takes the place of the newest entry that means the same, whose unknown members stay; where the key that it would
    /// get is another such entry's, the place of that one. Others, if an SDK left some, stay as they are. `make` gives
    /// the entry in the form of an SDK, laid over an old one.
    mutating func takeMerging(
        _ make: (KeyFormat, EntryFacts?) throws(SchemaError) -> EntryFacts
    ) throws(TokenCacheError) -> Merged {
        let standard = try facts({ (format) throws(SchemaError) in try make(format, nil) }, .standard)
        let same = SameCredential(standard, clouds: clouds)
        let means = remaining.filter { same.isReplaced($0.fields) }
        let newest = means.max { $0.record.sequence < $1.record.sequence }
        var old = newest
        var used = KeyFormat.standard
        var (facts, address) = try place(
            old,
            freeing: Set(means.map(\.record.tag)),
            for: same.saved
        ) { (format) throws(SchemaError) in
            used = format
            return format == .standard && old == nil ? standard : try make(format, old?.facts)
        }
        if let holder = means.first(where: { $0.record.tag == address.tag }), holder.record.tag != old?.record.tag {
            old = holder
            facts = try self.facts({ (format) throws(SchemaError) in try make(format, holder.facts) }, used)
            address = try storing { () throws(StorageError) in try codec.address(of: facts) }
        }
        occupy(address.tag, freeing: Set([old?.record.tag].compactMap(\.self)))
        let replacesNewest = old?.record.tag == newest?.record.tag
        return Merged(facts: facts, address: address, old: old, replacesNewest: replacesNewest)
    }

    /// Makes the keys of a client's access tokens that have ended free for others. Tokens that are kept apart stay.
    ///
    /// Until they are removed they stay among the entries: one that is replaced tells in which form. The client id is
    /// folded.
    mutating func freeExpiredTokens(of client: UTF8Text, now: Int64) {
        for entry in remaining where entry.fields.kind.isAccessToken {
            guard entry.fields.clientID == client, !entry.fields.isIsolated else { continue }
            guard let expiresOn = entry.fields.expiresOn else { continue }
            guard max(expiresOn, entry.fields.extendedExpiresOn ?? expiresOn) <= now else { continue }
            expired.insert(entry.record.tag)
        }
        taken.subtract(expired)
    }

    /// Removes the access tokens whose keys were made free, as far as nothing took their place.
    mutating func removeExpiredTokens(from transaction: inout Transaction) throws(StorageError) {
        for entry in remaining where expired.contains(entry.record.tag) {
            try transaction.remove(entry.record.tag, in: partition, erasingSecret: false)
        }
        remaining.removeAll { expired.contains($0.record.tag) }
        expired.removeAll()
    }

    /// Notes that an entry is written under a tag, in place of what stood there and of what is freed.
    private mutating func occupy(_ tag: RecordTag, freeing tags: Set<RecordTag>) {
        remaining.removeAll { $0.record.tag == tag || tags.contains($0.record.tag) }
        expired.remove(tag)
        taken.subtract(tags)
        taken.insert(tag)
    }

    /// The first form whose key is not that of an entry which stays: some SDKs' keys do not tell all tokens apart.
    ///
    /// Where every key is in use, that of the oldest token that could as well stand there.
    private func place(
        _ old: StoredEntry?,
        freeing tags: Set<RecordTag>,
        for saved: CredentialFields,
        _ make: (KeyFormat) throws(SchemaError) -> EntryFacts
    ) throws(TokenCacheError) -> (EntryFacts, RecordAddress) {
        let wanted = old.map { KeyFormat(detecting: $0.facts) } ?? .standard
        var places: [RecordTag: (EntryFacts, RecordAddress)] = [:]
        for format in [wanted, .standard] + KeyFormat.allCases {
            let facts = try facts(make, format)
            let address = try storing { () throws(StorageError) in try codec.address(of: facts) }
            if tags.contains(address.tag) || !taken.contains(address.tag) { return (facts, address) }
            if places[address.tag] == nil { places[address.tag] = (facts, address) }
        }
        let oldest = remaining.filter { places[$0.record.tag] != nil && $0.fields.isInterchangeable(with: saved) }
            .min { $0.record.sequence < $1.record.sequence }
        if let oldest, let place = places[oldest.record.tag] { return place }
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

extension CredentialFields {
    /// Whether both are access tokens that differ in the key which they are bound to, at most, or both are tokens of one
    /// sort that a service got on behalf of a person: no SDK's keys tell the assertions apart.
    fileprivate func isInterchangeable(with saved: CredentialFields) -> Bool {
        guard clientID == saved.clientID, realm == saved.realm, requestedClaims == saved.requestedClaims,
            extCacheKey == saved.extCacheKey, applicationIdentifier == saved.applicationIdentifier,
            (userAssertionHash == nil) == (saved.userAssertionHash == nil)
        else { return false }
        if kind.isAccessToken {
            return saved.kind.isAccessToken && tokenType == saved.tokenType && target == saved.target
        }
        return userAssertionHash != nil && kind == .refreshToken && saved.kind == .refreshToken
    }
}
