internal import RecordStorage

/// What an engine knows of its store: the facts of the partitions in use and how new they are.
struct EngineState: Sendable {
    /// Facts by partition, and those of accounts by a hash of the home account id too.
    private(set) var loaded: [PartitionTag: PartitionFacts] = [:]
    private(set) var byAccount: [UInt64: LoadedAccount] = [:]
    /// Facts of partitions that changed since they were read: most of their records did not.
    private var outdated: [PartitionTag: PartitionFacts] = [:]
    private var places = KnownPlaces()
    private let recentFacts: RecentFacts
    /// What accounts hold that were asked for by name. An app shows few of them, again and again.
    private(set) var summaries: [PartitionTag: AccountSummary] = [:]
    private static let largestSummaryCount = 64
    /// Counts whatever may make facts old that are being read just now.
    private(set) var generation: UInt64 = 0
    /// The revision that all of it is known to stand at; nil before the first refresh.
    var revision: UInt64?
    /// Why the last refresh failed, where it did.
    var staleness: Staleness?
    /// A refresh that failed in a way that passes.
    struct Staleness: Sendable {
        let reason: StaleReason
        let error: TokenCacheError
        /// When it was tried last: nanoseconds of the system's clock.
        var triedAt: Int64
    }

    /// Partitions that changed since the list of accounts was read.
    var accountChanges = StoreChanges.everything
    private(set) var isClosed = false
    /// Own transactions that have begun and whose changes may not be noted yet.
    private(set) var commitsInFlight = 0
    /// Own transactions that ever began.
    private(set) var commitsBegun: UInt64 = 0

    /// How many partitions old facts are kept of.
    private static let outdatedLimit = 64

    init(recentFacts: RecentFacts) {
        self.recentFacts = recentFacts
    }

    /// The facts of a partition.
    func facts(of partition: PartitionTag) -> PartitionFacts? {
        loaded[partition]
    }

    /// Old facts of a partition whose facts are to be read, to begin from.
    func outdatedFacts(of partition: PartitionTag) -> PartitionFacts? {
        outdated[partition]
    }

    /// The facts of the account with this home account id, folded, whose hash was worked out already.
    func facts(ofAccount homeAccountID: RawSpan, hash: UInt64) -> PartitionFacts? {
        guard let account = byAccount[hash] else { return nil }
        account.prefetch()
        let facts = account.facts
        return facts.span(facts.homeAccountID).isEqual(to: homeAccountID) ? facts : nil
    }

    /// Where the name of a query leads, if that is known; its hash was worked out already.
    func place(_ subject: QueryTerms.Subject, _ name: RawSpan, hash: UInt64) -> Engine.Place? {
        if subject == .homeAccountID, let facts = facts(ofAccount: name, hash: hash) { return .found(facts) }
        return places[subject, name, hash]
    }

    /// Keeps where a name led while the generation was `generation`, unless something changed meanwhile.
    mutating func keep(
        _ place: Engine.Place,
        of subject: QueryTerms.Subject,
        _ name: [UInt8],
        hash: UInt64,
        readIn generation: UInt64
    ) {
        guard generation == self.generation, commitsInFlight == 0 else { return }
        places.keep(place, of: subject, name, hash: hash)
    }

    /// Keeps facts that were read while the generation was `generation`, unless something changed meanwhile.
    ///
    /// - Returns: the facts to go on with: those that another thread kept first, if there are.
    mutating func keep(_ facts: PartitionFacts, readIn generation: UInt64) -> PartitionFacts {
        guard generation == self.generation, commitsInFlight == 0 else { return facts }
        if let known = loaded[facts.partition] { return known }
        outdated[facts.partition] = nil
        // Nothing is kept of partitions that do not exist: anybody may ask for any number of them.
        guard !facts.isEmpty else { return facts }
        loaded[facts.partition] = facts
        if let hash = facts.accountHash { byAccount[hash] = LoadedAccount(facts) }
        return facts
    }

    /// Keeps what an account holds, as it was read while the generation was `generation`, unless something changed
    /// meanwhile.
    mutating func keep(_ summary: AccountSummary, of partition: PartitionTag, readIn generation: UInt64) {
        guard generation == self.generation, commitsInFlight == 0 else { return }
        if summaries.count >= Self.largestSummaryCount { summaries.removeAll(keepingCapacity: true) }
        summaries[partition] = summary
    }

    /// Forgets what changed.
    mutating func note(_ changes: StoreChanges) {
        accountChanges.merge(changes)
        switch changes {
        case .none:
            return
        case .partitions(let partitions):
            for partition in partitions { forget(partition) }
        case .everything:
            loaded.removeAll()
            byAccount.removeAll()
            summaries.removeAll()
            outdated.removeAll()
            recentFacts.forget()
        }
        places.removeAll()
        generation &+= 1
    }

    private mutating func forget(_ partition: PartitionTag) {
        summaries[partition] = nil
        guard let facts = loaded.removeValue(forKey: partition) else { return }
        if let hash = facts.accountHash, byAccount[hash]?.facts === facts { byAccount[hash] = nil }
        if outdated.count >= EngineState.outdatedLimit { outdated.removeAll() }
        outdated[partition] = facts
    }

    mutating func beginCommit() {
        commitsInFlight += 1
        commitsBegun &+= 1
        generation &+= 1
    }

    mutating func endCommit(_ changes: StoreChanges) {
        note(changes)
        commitsInFlight -= 1
        generation &+= 1
    }

    mutating func close() {
        isClosed = true
        note(.everything)
    }
}
