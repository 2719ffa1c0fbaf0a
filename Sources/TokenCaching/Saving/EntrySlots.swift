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
    /// Tags of what was written.
    private var written: [RecordTag] = []
    /// Tags of access tokens that have ended and whose keys nothing has taken yet.
    private var expired: Set<RecordTag> = []
    /// Values that the entries have in common.
    private var pool: FieldPool

    init(_ stored: PartitionEntries, partition: PartitionTag, codec: RecordCodec, clouds: CloudTable) {
        self.partition = partition
        self.codec = codec
        self.clouds = clouds
        reader = stored.reader
        // Records that cannot be read are not among them: writing over one heals it.
        remaining = stored.entries
        pool = stored.pool
    }

    /// Takes the place of every entry that is the same credential, in the form of the newest one. `make` gives the entry
    /// in the form of an SDK, `fields` are those that its standard form has.
    mutating func take(
        _ fields: CredentialFields,
        _ make: (KeyFormat) throws(SchemaError) -> EntryFacts
    ) throws(TokenCacheError) -> Whole {
        let standard = try facts(make, .standard)
        assert(fields == CredentialFields(standard))
        let same = SameCredential(fields, clouds: clouds)
        let isReplaced = remaining.map { same.isReplaced($0) }
        let newest = newest(isReplaced)
        let (facts, address) = try place(newest, standard, freeing: isReplaced, same.saved) {
            (format) throws(SchemaError) in
            format == .standard ? standard : try make(format)
        }
        var replaced: [RecordTag] = []
        for (index, entry) in remaining.enumerated() where isReplaced[index] && entry.record.tag != address.tag {
            replaced.append(entry.record.tag)
        }
        occupy(address.tag, freeing: isReplaced)
        return Whole(facts: facts, address: address, replaced: replaced.sorted())
    }

    /// Takes the place of the newest entry that means the same, whose unknown members stay; where the key that it would
    /// get is another such entry's, the place of that one. Others, if an SDK left some, stay as they are. `make` gives
    /// the entry in the form of an SDK, laid over an old one; `fields` are those that its standard form has.
    mutating func takeMerging(
        _ fields: CredentialFields,
        _ make: (KeyFormat, EntryFacts?) throws(SchemaError) -> EntryFacts
    ) throws(TokenCacheError) -> Merged {
        let standard = try facts({ (format) throws(SchemaError) in try make(format, nil) }, .standard)
        assert(fields == CredentialFields(standard))
        let same = SameCredential(fields, clouds: clouds)
        let means = remaining.map { same.isReplaced($0) }
        let newest = newest(means)
        var old = newest
        var used = KeyFormat.standard
        let newestFacts = try newest.map { (entry) throws(TokenCacheError) in try Self.facts(of: entry) }
        var (facts, address) = try place(newest, standard, freeing: means, same.saved) {
            (format) throws(SchemaError) in
            used = format
            return format == .standard && newest == nil ? standard : try make(format, newestFacts)
        }
        let holder = remaining.indices.first { means[$0] && remaining[$0].record.tag == address.tag }
        if let holder, remaining[holder].record.tag != newest?.record.tag {
            let holder = remaining[holder]
            old = holder
            let holderFacts = try Self.facts(of: holder)
            facts = try self.facts({ (format) throws(SchemaError) in try make(format, holderFacts) }, used)
            address = try storing { () throws(StorageError) in try codec.address(of: facts) }
        }
        occupy(address.tag, freeing: remaining.map { $0 === old })
        return Merged(facts: facts, address: address, old: old, replacesNewest: old === newest)
    }

    /// Takes the place of the newest entry that means the same account as it is, where that says all of it already.
    mutating func keep(_ account: NewAccount) throws(TokenCacheError) -> EntryFacts? {
        // Every SDK expects a username.
        guard account.username != nil else { return nil }
        let same = SameCredential(account.fields, clouds: clouds)
        guard let newest = newest(remaining.map { same.isReplaced($0) }) else { return nil }
        let facts = try Self.facts(of: newest)
        guard account.isTold(by: facts) else { return nil }
        occupy(newest.record.tag, freeing: remaining.map { $0 === newest })
        return facts
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
    }

    /// Removes the access tokens whose keys were made free, as far as nothing took their place.
    mutating func removeExpiredTokens(from transaction: inout Transaction) throws(StorageError) {
        for entry in remaining where expired.contains(entry.record.tag) {
            try transaction.remove(entry.record.tag, in: partition, erasingSecret: false)
        }
        remaining.removeAll { expired.contains($0.record.tag) }
        expired.removeAll()
    }

    /// Notes that an entry is written under a tag, in place of what stood there and of what is freed: of each entry that
    /// is left, whether it is.
    private mutating func occupy(_ tag: RecordTag, freeing isFreed: [Bool]) {
        var index = -1
        remaining.removeAll { entry in
            index += 1
            return isFreed[index] || entry.record.tag == tag
        }
        expired.remove(tag)
        written.append(tag)
    }

    /// The newest of the entries that are meant.
    private func newest(_ isMeant: [Bool]) -> StoredEntry? {
        var newest: StoredEntry?
        for (index, entry) in remaining.enumerated() where isMeant[index] {
            if let newest, newest.record.sequence >= entry.record.sequence { continue }
            newest = entry
        }
        return newest
    }

    /// Whether a tag is that of what was written or of an entry that stays.
    private func isTaken(_ tag: RecordTag, freeing isFreed: [Bool]) -> Bool {
        if let holder = remaining.firstIndex(where: { $0.record.tag == tag }) {
            return !isFreed[holder] && !expired.contains(tag)
        }
        return written.contains(tag)
    }

    /// The first form whose key is not that of an entry which stays: some SDKs' keys do not tell all tokens apart.
    ///
    /// Where every key is in use, that of the oldest token that could as well stand there.
    private mutating func place(
        _ old: StoredEntry?,
        _ standard: EntryFacts,
        freeing isFreed: [Bool],
        _ saved: CredentialFields,
        _ make: (KeyFormat) throws(SchemaError) -> EntryFacts
    ) throws(TokenCacheError) -> (EntryFacts, RecordAddress) {
        func place(in format: KeyFormat) throws(TokenCacheError) -> (EntryFacts, RecordAddress) {
            let facts = try facts(make, format)
            let fields = facts == standard ? saved : CredentialFields(facts, sharing: &pool)
            let address = try storing { () throws(StorageError) in
                try codec.address(of: facts, fields: fields, in: partition)
            }
            return (facts, address)
        }
        let first = try Self.first(old, standard) { (format) throws(TokenCacheError) in try place(in: format) }
        if !isTaken(first.1.tag, freeing: isFreed) { return first }
        var places = [first.1.tag: first]
        for format in [.standard] + KeyFormat.allCases {
            let next = try place(in: format)
            if !isTaken(next.1.tag, freeing: isFreed) { return next }
            if places[next.1.tag] == nil { places[next.1.tag] = next }
        }
        let oldest = remaining.filter { places[$0.record.tag] != nil && $0.fields.isInterchangeable(with: saved) }
            .min { $0.record.sequence < $1.record.sequence }
        if let oldest, let place = places[oldest.record.tag] { return place }
        throw TokenCacheError(.exists, detail: "every key that the entry could have is that of another entry")
    }

    /// The place in the form of an old entry.
    private static func first(
        _ old: StoredEntry?,
        _ standard: EntryFacts,
        _ place: (KeyFormat) throws(TokenCacheError) -> (EntryFacts, RecordAddress)
    ) throws(TokenCacheError) -> (EntryFacts, RecordAddress) {
        guard let old else { return try place(.standard) }
        if old.speaksForNobody, KeyFormat.isStandard(old.fields.kind, replacedBy: standard) {
            let standardPlace = try place(.standard)
            if standardPlace.1.tag == old.record.tag { return standardPlace }
        }
        return try place(KeyFormat(detecting: try facts(of: old), replacedBy: standard))
    }

    private static func facts(of entry: StoredEntry) throws(TokenCacheError) -> EntryFacts {
        try storing { () throws(StorageError) in try entry.facts() }
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
