// SPDX-License-Identifier: Apache-2.0

internal import GroupRecords
internal import RecordStorage
internal import UnifiedSchema

/// Plans how new entries fit into those of a partition: what each replaces, in which SDK's form it is written, and
/// under which key.
struct ReplacementPlan {
    /// The plan for an entry that replaces others completely.
    struct Whole {
        let facts: EntryFacts
        let address: RecordAddress
        /// Records to remove besides the one with the same tag.
        let replaced: [RecordTag]
    }

    /// The plan for an entry that is merged into an old one.
    struct Merged {
        let facts: EntryFacts
        /// Nil if nothing needs to be written, because readers use the old entry and it already contains all of the new
        /// one.
        let address: RecordAddress?
        let old: StoredEntry?
    }

    /// An entry in the form of an SDK, with its address.
    private struct Place {
        let format: KeyFormat
        let facts: EntryFacts
        let address: RecordAddress
    }

    let partition: PartitionTag
    let codec: RecordCodec
    let reader: any BoxReader
    private let clouds: CloudTable
    /// Entries that have not been replaced yet, in the order in which they were written.
    private(set) var remaining: [StoredEntry]
    /// Tags of written entries.
    private var written: [RecordTag] = []
    /// Tags of expired access tokens whose keys have not been reused yet.
    private var expired: Set<RecordTag> = []

    init(_ stored: PartitionEntries, partition: PartitionTag, codec: RecordCodec, clouds: CloudTable) {
        self.partition = partition
        self.codec = codec
        self.clouds = clouds
        reader = stored.reader
        // Unreadable records are not included: overwriting one repairs it.
        remaining = stored.entries
        written.reserveCapacity(4)
    }

    /// Replaces every entry that is the same credential, in the form of the newest of these. `make` returns the entry
    /// in the form of an SDK; `fields` are those of its standard form.
    mutating func take(
        _ fields: consuming CredentialFields,
        _ make: (KeyFormat) throws(SchemaError) -> EntryFacts
    ) throws(StorageError) -> Whole {
        let standard = try fitting(try make(.standard))
        assert(fields == CredentialFields(standard))
        func facts(_ format: KeyFormat) throws(SchemaError) -> EntryFacts {
            format == .standard ? standard : try make(format)
        }
        let same = SameCredential(saved: consume fields, clouds: clouds)
        let isReplaced = remaining.map { same.mayReplace($0.fields.kind) && same.isReplaced($0.fields) }
        let first = try place(of: same.saved, inPlaceOf: newest(isReplaced), standard, facts)
        let place = try vacant(first, freeing: isReplaced, for: same.saved, facts)
        let address = place.address
        var replaced: [RecordTag] = []
        for index in remaining.indices where isReplaced[index] && remaining[index].record.tag != address.tag {
            replaced.append(remaining[index].record.tag)
        }
        occupy(address.tag, freeing: isReplaced)
        replaced.sort()
        return Whole(facts: place.facts, address: address, replaced: replaced)
    }

    /// Merges an entry into the newest stored entry with the same meaning, preserving its unknown members; if another
    /// such entry has the new key, into that entry. Any others that an SDK left are unchanged.
    mutating func takeMerging(_ entry: some MergedEntry) throws(StorageError) -> Merged {
        let same = SameCredential(saved: entry.fields, clouds: clouds)
        let means = remaining.map { same.mayReplace($0.fields.kind) && same.isReplaced($0.fields) }
        let newest = newest(means)
        let newestFacts = try newest.map { (entry) throws(StorageError) in try entry.facts() }
        if let newest, let newestFacts, entry.isContained(in: newestFacts) {
            occupy(newest.record.tag, freeing: newest)
            return Merged(facts: newestFacts, address: nil, old: newest)
        }
        let standard = try fitting(try entry.facts(.standard, mergedOver: newestFacts))
        assert(newest != nil || entry.fields == CredentialFields(standard))
        func facts(_ format: KeyFormat) throws(SchemaError) -> EntryFacts {
            format == .standard ? standard : try entry.facts(format, mergedOver: newestFacts)
        }
        let format = newestFacts.map { KeyFormat(detecting: $0, replacedBy: standard) }
        let first = try place(of: same.saved, in: format ?? .standard, facts)
        var place = try vacant(first, freeing: means, for: same.saved, facts)
        var old = newest
        let holder = remaining.indices.first { means[$0] && remaining[$0].record.tag == place.address.tag }
        if let holder, remaining[holder] !== newest {
            let holder = remaining[holder]
            old = holder
            let holderFacts = try holder.facts()
            place = try self.place(of: same.saved, in: place.format) { (format) throws(SchemaError) in
                try entry.facts(format, mergedOver: holderFacts)
            }
        }
        occupy(place.address.tag, freeing: old)
        let changesNothing = old === newest && place.facts == newestFacts
        return Merged(facts: place.facts, address: changesNothing ? nil : place.address, old: old)
    }

    /// Makes the keys of a client's expired access tokens available to new entries. Isolated tokens are unaffected.
    ///
    /// The tokens remain among the entries until they are removed, because the entry that a new one replaces determines
    /// its form. The client id is folded.
    mutating func freeExpiredTokens(of client: UTF8Text, now: Int64) {
        for entry in remaining where entry.fields.kind.isAccessToken {
            guard entry.fields.clientID == client, entry.fields.isolation.isNone else { continue }
            guard entry.fields.times.hasEndedForGood(now) else { continue }
            expired.insert(entry.record.tag)
        }
    }

    /// Removes the access tokens whose keys were made available and not reused.
    mutating func removeExpiredTokens(from transaction: inout Transaction) throws(StorageError) {
        for entry in remaining where expired.contains(entry.record.tag) {
            try transaction.remove(entry.record.tag, in: partition, erasingSecret: false)
        }
        remaining.removeAll { expired.contains($0.record.tag) }
        expired.removeAll()
    }

    /// Records that an entry is written under a tag, replacing the existing entry there and the freed ones. `isFreed`
    /// says which of the remaining entries are freed.
    private mutating func occupy(_ tag: RecordTag, freeing isFreed: [Bool]) {
        var index = -1
        remaining.removeAll { entry in
            index += 1
            return isFreed[index] || entry.record.tag == tag
        }
        note(tag)
    }

    private mutating func occupy(_ tag: RecordTag, freeing old: StoredEntry?) {
        remaining.removeAll { $0 === old || $0.record.tag == tag }
        note(tag)
    }

    private mutating func note(_ tag: RecordTag) {
        if !expired.isEmpty { expired.remove(tag) }
        written.append(tag)
    }

    /// The newest of the entries for which `matches` is true.
    private func newest(_ matches: [Bool]) -> StoredEntry? {
        matches.lastIndex(of: true).map { remaining[$0] }
    }

    /// Whether a tag belongs to a written entry or to one that stays.
    private func isTaken(_ tag: RecordTag, freeing isFreed: [Bool]) -> Bool {
        if let holder = remaining.firstIndex(where: { $0.record.tag == tag }) {
            return !isFreed[holder] && !expired.contains(tag)
        }
        return written.contains(tag)
    }

    /// The given place, or the first place in another form whose key does not belong to an entry that stays: the keys
    /// of some SDKs do not distinguish all tokens.
    ///
    /// If every key is in use, the place of the oldest interchangeable token; if there is none, a place with a key that
    /// no SDK produces. Readers find it there, because they match by fields.
    private func vacant(
        _ first: consuming Place,
        freeing isFreed: [Bool],
        for saved: CredentialFields,
        _ make: (KeyFormat) throws(SchemaError) -> EntryFacts
    ) throws(StorageError) -> Place {
        if !isTaken(first.address.tag, freeing: isFreed) { return first }
        var places = [first.address.tag: first]
        for format in [.standard] + KeyFormat.allCases {
            let next = try place(of: saved, in: format, make)
            let tag = next.address.tag
            if !isTaken(tag, freeing: isFreed) { return next }
            if places[tag] == nil { places[tag] = next }
        }
        let oldest = remaining.first { places[$0.record.tag] != nil && $0.fields.isInterchangeable(with: saved) }
        if let oldest, let place = places[oldest.record.tag] { return place }
        let standard = try place(of: saved, in: .standard, make)
        guard let key = standard.facts.ownKey?.string else { return standard }
        var number = 2
        while true {
            let facts = standard.facts.under(UTF8Text("\(key)-\(number)"))
            let next = try place(of: saved, in: .standard) { _ in facts }
            if !isTaken(next.address.tag, freeing: isFreed) { return next }
            number += 1
        }
    }

    /// The place of a token in the form of the one that it replaces.
    private func place(
        of fields: CredentialFields,
        inPlaceOf old: StoredEntry?,
        _ standard: EntryFacts,
        _ make: (KeyFormat) throws(SchemaError) -> EntryFacts
    ) throws(StorageError) -> Place {
        guard let old else { return try place(of: fields, in: .standard, make) }
        if old.hasNoSDKFingerprint, KeyFormat.isStandard(old.fields.kind, replacedBy: standard) {
            let standardPlace = try place(of: fields, in: .standard, make)
            if standardPlace.address.tag == old.record.tag { return standardPlace }
        }
        return try place(of: fields, in: KeyFormat(detecting: try old.facts(), replacedBy: standard), make)
    }

    private func place(
        of fields: CredentialFields,
        in format: KeyFormat,
        _ make: (KeyFormat) throws(SchemaError) -> EntryFacts
    ) throws(StorageError) -> Place {
        let facts = try fitting(try make(format))
        let address = try codec.address(of: facts, fields: fields, in: partition)
        return Place(format: format, facts: facts, address: address)
    }
}

/// Evaluates `make`, which builds an entry from a token response. If that is impossible, the response is invalid.
@inline(__always)
func fitting(_ make: @autoclosure () throws(SchemaError) -> EntryFacts) throws(StorageError) -> EntryFacts {
    do throws(SchemaError) {
        return try make()
    } catch {
        throw StorageError(.invalidResponse, detail: error.rule)
    }
}

extension CredentialFields {
    /// Whether both are access tokens that differ at most in the key that they are bound to, or both are tokens of one
    /// kind that a service obtained on behalf of a user: no SDK's keys distinguish the assertions.
    fileprivate func isInterchangeable(with saved: CredentialFields) -> Bool {
        let (isolation, other) = (isolation.comparable, saved.isolation.comparable)
        let parts = isolation.paired(with: other).paired(with: NewCredential.namingFormats)
        let isSameToKeys = parts.allSatisfy { values, formats in
            formats == nil ? (values.0 == nil) == (values.1 == nil) : values.0 == values.1
        }
        guard clientID == saved.clientID, realm == saved.realm, isSameToKeys else { return false }
        if kind.isAccessToken {
            return saved.kind.isAccessToken && tokenType == saved.tokenType && target == saved.target
        }
        let isOnBehalf = isolation.assertionHash != nil
        return isOnBehalf && kind == .refreshToken && saved.kind == .refreshToken
    }
}
