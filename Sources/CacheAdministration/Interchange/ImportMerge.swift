// SPDX-License-Identifier: Apache-2.0

internal import ByteOperations
internal import GroupRecords
internal import RecordStorage
internal import Sealing
internal import TokenCaching
internal import UnifiedSchema

/// Decides, entry by entry, which entries of a document to write, and adds them to a transaction.
///
/// Every decision is based on the state before the import: the entries of one document never affect each other.
struct ImportMerge {
    /// What to do with an entry.
    enum Decision {
        case new, replaced, unchanged, older, signedOut
        /// It is stored as it is, but in another order.
        case reordered

        /// Whether the entry is written.
        var isWritten: Bool { self == .new || self == .replaced || self == .reordered }
    }

    /// The relation between the stored secret of an entry and the one that was read.
    private enum SecretComparison {
        case same, different, damaged
    }

    private let codec: RecordCodec
    private let clouds: CloudTable
    private let replacesNewer: Bool
    private let now: Int64
    private var window: PartitionWindow
    /// Damaged records of the store that the import encountered, and those among them that it rewrote.
    private var damaged: Set<RecordTag> = []
    private var healed: Set<RecordTag> = []
    private var metadata: ImportedMetadata
    /// What the id tokens of the document say of its accounts, if all of it was read before.
    var documentIssuers: DocumentIssuers
    /// The number of entries read so far, which is the place of the next one in the document.
    private var entryCount: UInt32 = 0
    /// When the last entry that stays as it is was written, and whether entries of the document are written again.
    private var lastKept: WrittenOrder?
    private var hasWritten = false
    /// The results, by kind of entry.
    private var counts: [EntryKind: ImportCounts] = [:]

    init(store: any RecordStore, codec: RecordCodec, clouds: CloudTable, replacesNewer: Bool, now: Int64) {
        self.codec = codec
        self.clouds = clouds
        self.replacesNewer = replacesNewer
        self.now = now
        window = PartitionWindow(store: store, codec: codec, clouds: clouds)
        metadata = ImportedMetadata(codec: codec, clouds: clouds, isForced: replacesNewer, now: now)
        documentIssuers = DocumentIssuers(clouds: clouds)
    }

    /// From now on, reads the store for the transaction, which must be done by `deadline`.
    mutating func begin(until deadline: Deadline) { window.begin(until: deadline) }

    /// Whether there are no entries to compare with.
    mutating func isIntoEmptyStore() throws(StorageError) -> Bool { try window.isStoreKnownEmpty() }

    /// Adds one entry to an empty store. Its address is computed only when it is sealed.
    mutating func takeNew(_ facts: EntryFacts, payload: RawSpan, output: EntryOutput) throws(StorageError) {
        counts[facts.kind, default: ImportCounts()].count(.new)
        try output.put(facts, position: nextPosition(), payload: payload, at: nil)
        try metadata.take(facts, at: nil, documentIssuers, &window, output: output)
    }

    /// Adds one entry.
    ///
    /// - Parameters:
    ///   - imported: the entry without its secrets.
    ///   - payload: its secrets; empty if it has none.
    ///   - output: writes to the transaction.
    /// - Throws: errors of the store.
    mutating func take(
        _ imported: ImportedEntry,
        payload: RawSpan,
        output: EntryOutput
    ) throws(StorageError) {
        let position = nextPosition()
        var entry = imported
        if let facts = try metadata.agreed(imported.facts, &window) { entry.facts = facts }
        let partition = try window.partition(entry.address.partition)
        var decision =
            if let partition { try decide(entry, payload: payload, partition: partition) } else { Decision.new }
        if entry.facts.kind.isCredential, replacesNewer ? decision != .older : decision != .unchanged {
            for signOut in try signOuts(against: entry, in: partition) {
                if replacesNewer { try metadata.lift(signOut, output) } else { decision = .signedOut }
            }
        }
        var twin: PartitionTag?
        if decision.isWritten {
            twin = try window.twinPartition(of: entry)
            // An opaque entry replaces a known one only if newer entries are replaced too.
            if twin != nil, entry.facts.kind == .opaque, !replacesNewer { decision = .older }
        }
        counts[entry.facts.kind, default: ImportCounts()].count(decision)
        if let partition, !partition.damaged.isEmpty { damaged.formUnion(partition.damaged) }
        if decision == .unchanged || decision.isWritten {
            try metadata.take(entry.facts, at: entry.address.tag, documentIssuers, &window, output: output)
        }
        guard decision.isWritten else { return }
        hasWritten = true
        if damaged.contains(entry.address.tag) { healed.insert(entry.address.tag) }
        try output.put(entry.facts, position: position, payload: payload, at: entry.address)
        if let twin {
            try output.remove(at: RecordAddress(tag: entry.address.tag, partition: twin, searchTags: []))
        }
    }

    /// Ends the document.
    mutating func finish(_ output: EntryOutput) throws(StorageError) { try metadata.finish(&window, output) }

    /// Whether an entry that is stored as it is comes after the entries before it in the document.
    private mutating func keepsOrder(_ order: WrittenOrder) -> Bool {
        guard !hasWritten, lastKept.map({ $0 < order }) ?? true else { return false }
        lastKept = order
        return true
    }

    private mutating func nextPosition() -> UInt32 {
        defer { entryCount += 1 }
        return entryCount
    }

    /// The results so far.
    var report: ImportReport {
        var report = ImportReport()
        for (kind, counts) in counts { report.countsByKind[CachedEntryKind(kind), default: ImportCounts()] += counts }
        report.damagedCount = damaged.count - healed.count
        report.healedCount = healed.count
        return report
    }

    private mutating func decide(
        _ entry: ImportedEntry,
        payload: RawSpan,
        partition: StoredPartition
    ) throws(StorageError) -> Decision {
        let stored = partition.record(entry.address.tag)
        var storedFields: CredentialFields?
        if let stored, let reading = try partition.facts(stored.tag) {
            switch reading {
            case .content(let facts):
                var secret = SecretComparison.different
                if facts == entry.facts {
                    secret = try compareSecret(of: stored, with: payload, reader: partition.boxes)
                }
                switch secret {
                // A forced import means what the document means, and of two equal entries that is the later one.
                case .same: return !replacesNewer || keepsOrder(WrittenOrder(stored, facts)) ? .unchanged : .reordered
                case .different: storedFields = CredentialFields(facts)
                case .damaged: damaged.insert(stored.tag)
                }
            // A record of a newer version is never overwritten; a damaged one is repaired.
            case .unreadable(.newerVersion): return .older
            case .unreadable: damaged.insert(stored.tag)
            }
        }
        if replacesNewer { return stored == nil ? .new : .replaced }
        // A blank token is none: it replaces nothing, and is replaced by any token.
        if entry.facts.lacksToken { return stored == nil ? .new : .older }
        if let stored, stored.lacksToken { return .replaced }
        let age = EntryAge(entry.fields.times)
        if let storedFields { return age.isSurelyNewer(than: EntryAge(storedFields.times)) ? .replaced : .older }
        if stored != nil { return .replaced }
        // Only access and refresh tokens may have an older version under another key; other entries have no times.
        guard entry.facts.kind.isAccessToken || entry.facts.kind.isRefreshToken,
            let identity = EntryIdentity(entry.facts, entry.fields, clouds: clouds)
        else { return .new }
        let others = try partition.ages(of: identity)
        return others.allSatisfy { age.isSurelyNewer(than: $0) } ? .new : .older
    }

    /// The sign-outs of a token's client that hold against it: of its account, and if the client did not sign in to that
    /// since, of the account under another id.
    private mutating func signOuts(
        against entry: ImportedEntry,
        in partition: StoredPartition?
    ) throws(StorageError) -> [StoredPartition.SignOut] {
        let client = entry.fields.clientID.string
        if try window.isStoreKnownEmpty() || partition?.isSignedIn(client) == true { return [] }
        var found: [StoredPartition.SignOut] = []
        if let own = try partition?.signOut(of: client) { found.append(own) }
        for place in try otherPlaces(of: entry, partition) {
            if let other = try place.signOut(of: client) { found.append(other) }
        }
        return found
    }

    /// The partitions of the account under another id than the token has: the accounts with its username, of which a token
    /// without an id is a part; the account before its issuer was known, and before its id was.
    private mutating func otherPlaces(
        of entry: ImportedEntry,
        _ partition: StoredPartition?
    ) throws(StorageError) -> [StoredPartition] {
        let host = entry.fields.environment
        guard let account = entry.fields.homeAccountID else {
            guard let name = entry.fields.username else { return [] }
            return try window.accounts(named: name, inCloudOf: host)
        }
        var places: [StoredPartition] = []
        let subject = HomeAccountID.subject(of: account)
        if documentIssuers.ids(ofSubject: subject.normalized()).contains(account) {
            let plain = try codec.partition(ofAccount: HomeAccountID.plain(subject).normalized().bytes)
            if let partition = try window.partition(plain) { places.append(partition) }
        }
        var names = documentIssuers.usernames(ofSubject: subject.normalized())
        if let partition { names.formUnion(try partition.usernames(inCloudOf: host)) }
        for name in names.sorted() {
            guard let nameless = try window.partition(codec.partition(ofUsername: name.bytes)),
                try nameless.signOut(of: entry.fields.clientID.string) != nil
            else { continue }
            // Another account of the name may have been the one that was signed out of.
            let named = try window.accounts(named: name, inCloudOf: host).map(\.tag)
            let isInCloud = named.contains(nameless.tag) || !nameless.hasAccounts
            if isInCloud, Set(named).isSubset(of: [nameless.tag, entry.address.partition]) { places.append(nameless) }
        }
        return places
    }

    private func compareSecret(
        of record: StoredRecord,
        with payload: RawSpan,
        reader: any BoxReader
    ) throws(StorageError) -> SecretComparison {
        do throws(StorageError) {
            guard let secret = try codec.openSecret(of: record, reader: reader) else {
                return payload.isEmpty ? .same : .different
            }
            return secret.bytes.isEqual(to: payload) ? .same : .different
        } catch {
            switch error.code {
            case .damaged: return .damaged
            case .tokenGone: return .different
            default: throw error
            }
        }
    }
}

extension ImportCounts {
    fileprivate mutating func count(_ decision: ImportMerge.Decision) {
        switch decision {
        case .new: new += 1
        case .replaced: replaced += 1
        case .unchanged, .reordered: unchanged += 1
        case .older: older += 1
        case .signedOut: signedOut += 1
        }
    }
}

/// An entry read from a document, ready to be compared and sealed. Its secrets stay where they were read.
struct ImportedEntry {
    var facts: EntryFacts
    let fields: CredentialFields
    let address: RecordAddress

    init(_ facts: EntryFacts, codec: RecordCodec, sharing pool: inout FieldPool) throws(StorageError) {
        let fields = CredentialFields(facts, sharing: &pool)
        address = try codec.address(of: facts, fields: fields)
        self.facts = facts
        self.fields = fields
    }
}
