internal import RecordStorage

/// What an engine knows of its store: the facts of the partitions in use and how new they are.
struct EngineState: Sendable {
    private var partitions = PartitionCache()
    private var resolutions = ResolutionCache()
    /// What accounts hold that were asked for by name. An app shows few of them, again and again.
    private var summaries: [PartitionTag: AccountSummary] = [:]
    private static let largestSummaryCount = 64
    private var log = ChangeLog()
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
    private var accountChanges = StoreChanges.everything
    private(set) var isClosed = false
    /// Whether an own transaction has begun and may have been told of changes that are not noted yet.
    private(set) var isEntering = false

    /// Asked before something is read that is to be kept.
    var moment: UInt64 { log.now }

    // MARK: - What is kept

    /// The facts of a partition.
    func facts(of partition: PartitionTag) -> PartitionFacts? { partitions.facts(of: partition) }

    /// The facts of a partition as they were read last, whether or not it changed since.
    func lastFacts(of partition: PartitionTag) -> PartitionFacts? { partitions.lastFacts(of: partition) }

    /// The facts of the account with this home account id, folded, whose hash was worked out already.
    func facts(ofAccount homeAccountID: RawSpan, hash: UInt64) -> PartitionFacts? {
        partitions.facts(ofAccount: homeAccountID, hash: hash)
    }

    /// Where a name led that is no known account's id; its hash was worked out already.
    func resolution(_ subject: PreparedQuery.Subject, _ name: RawSpan, hash: UInt64) -> CachedResolution? {
        resolutions[subject, name, hash]
    }

    /// What an account holds that was asked for by name.
    func summary(of partition: PartitionTag) -> AccountSummary? { summaries[partition] }

    /// Keeps facts that were read at `moment`, unless their partition changed since.
    ///
    /// - Returns: the facts to go on with: those that another thread kept first, if there are.
    mutating func keep(_ facts: PartitionFacts, readAt moment: UInt64) -> PartitionFacts {
        guard log.isUnchanged(facts.partition, since: moment) else { return facts }
        if let known = partitions.facts(of: facts.partition) { return known }
        // Nothing is kept of partitions that do not exist: anybody may ask for any number of them.
        if facts.isEmpty { partitions.remove(facts.partition) } else { partitions.keep(facts) }
        return facts
    }

    /// Keeps what an account holds, as it was read at `moment`, unless its partition changed since.
    mutating func keep(_ summary: AccountSummary, of partition: PartitionTag, readAt moment: UInt64) {
        guard log.isUnchanged(partition, since: moment) else { return }
        if summaries.count >= Self.largestSummaryCount { summaries.removeAll(keepingCapacity: true) }
        summaries[partition] = summary
    }

    /// Keeps where a name led. It is looked whether that still holds whenever it is asked for.
    mutating func keep(_ resolution: CachedResolution, hash: UInt64) {
        resolutions.keep(resolution, hash: hash)
    }

    /// Whether none of the partitions that decided where a name leads changed since.
    func isUnchanged(_ resolution: CachedResolution) -> Bool {
        resolution.partitions.allSatisfy { log.isUnchanged($0, since: resolution.moment) }
    }

    // MARK: - What makes it old

    /// Forgets what changed.
    mutating func note(_ changes: StoreChanges) {
        log.note(changes)
        forget(changes)
    }

    private mutating func forget(_ changes: StoreChanges) {
        accountChanges.merge(changes)
        switch changes {
        case .none:
            return
        case .partitions(let changed):
            for partition in changed {
                partitions.outdate(partition)
                summaries[partition] = nil
            }
        case .everything:
            partitions.removeAll()
            summaries.removeAll()
            // Nothing keeps a file open that was replaced.
            resolutions.removeAll()
        }
    }

    /// An own transaction is about to begin. There is at most one at a time.
    mutating func enterCommit() {
        isEntering = true
    }

    /// It has begun, on a state that differs by these changes from what was told before.
    mutating func beginCommit(_ changes: StoreChanges) {
        note(changes)
        isEntering = false
    }

    /// It is about to make these changes. From now until it has ended nothing is kept of what they concern.
    mutating func makeChanges(_ changes: StoreChanges) {
        log.begin(changes)
        forget(changes)
    }

    /// It has ended, whatever came of it.
    mutating func endCommit() {
        isEntering = false
        forget(log.changing)
        log.end()
    }

    /// What changed since this was asked last. What is being changed just now is told again the next time.
    mutating func takeAccountChanges() -> StoreChanges {
        defer { accountChanges = log.changing }
        return accountChanges
    }

    /// The accounts that were to be read could not be.
    mutating func giveBackAccountChanges() {
        accountChanges = .everything
    }

    mutating func close() {
        isClosed = true
        note(.everything)
    }
}
