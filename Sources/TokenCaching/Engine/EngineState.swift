// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage

/// The cached state of a store: the facts of the partitions in use and their age.
struct EngineState: Sendable {
    private var partitions = PartitionCache()
    private var resolutions = ResolutionCache()
    /// Summaries of accounts that were looked up by name. An app displays few of them, repeatedly.
    private var summaries: [PartitionTag: AccountSummary] = [:]
    private static let largestSummaryCount = 64
    private var log = ChangeLog()
    /// The revision at which the whole state is valid; nil before the first refresh.
    var revision: UInt64?
    /// Why the last refresh failed, if it did.
    var staleness: Staleness?
    /// A temporary failure to refresh.
    struct Staleness: Sendable {
        let reason: StaleReason
        let error: StorageError
        /// When the last attempt was: nanoseconds of the system's clock.
        var triedAt: Int64
    }

    /// Partitions that changed since the list of accounts was read.
    private var accountChanges = StoreChanges.everything
    private(set) var isClosed = false
    /// Whether a transaction of this engine has begun and may have received changes that are not recorded yet.
    private(set) var isEntering = false

    /// Read this before reading anything to be cached.
    var moment: UInt64 { log.now }

    // MARK: - Cached state

    /// The facts of a partition.
    func facts(of partition: PartitionTag) -> PartitionFacts? { partitions.facts(of: partition) }

    /// The facts of a partition as last read, even if it changed since.
    func lastFacts(of partition: PartitionTag) -> PartitionFacts? { partitions.lastFacts(of: partition) }

    /// The facts of the account with this home account id, folded, whose hash is already computed.
    func facts(ofAccount homeAccountID: RawSpan, hash: UInt64) -> PartitionFacts? {
        partitions.facts(ofAccount: homeAccountID, hash: hash)
    }

    /// The resolution of a name that is not a known account's id; its hash is already computed.
    func resolution(_ subject: PreparedQuery.Subject, _ name: RawSpan, hash: UInt64) -> CachedResolution? {
        resolutions[subject, name, hash]
    }

    /// The summary of an account that was looked up by name.
    func summary(of partition: PartitionTag) -> AccountSummary? { summaries[partition] }

    /// Caches facts that were read at `moment`, unless their partition changed since.
    ///
    /// - Returns: the facts to use: those that another thread cached first, if any.
    mutating func keep(_ facts: PartitionFacts, readAt moment: UInt64) -> PartitionFacts {
        guard log.isUnchanged(facts.partition, since: moment) else { return facts }
        if let known = partitions.facts(of: facts.partition) { return known }
        // Partitions that do not exist are not cached, because there is no limit to how many could be requested.
        if facts.isEmpty { partitions.remove(facts.partition) } else { partitions.keep(facts) }
        return facts
    }

    /// Caches the summary of an account as it was read at `moment`, unless its partition changed since.
    mutating func keep(_ summary: AccountSummary, of partition: PartitionTag, readAt moment: UInt64) {
        guard log.isUnchanged(partition, since: moment) else { return }
        if summaries.count >= Self.largestSummaryCount { summaries.removeAll(keepingCapacity: true) }
        summaries[partition] = summary
    }

    /// Caches the resolution of a name. Every use checks whether it is still valid.
    mutating func keep(_ resolution: CachedResolution, hash: UInt64) {
        resolutions.keep(resolution, hash: hash)
    }

    /// Whether none of the partitions that determined a resolution changed since.
    func isUnchanged(_ resolution: CachedResolution) -> Bool {
        resolution.partitions.allSatisfy { log.isUnchanged($0, since: resolution.moment) }
    }

    // MARK: - Invalidation

    /// Drops the changed parts.
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
            // A replaced file must not be kept open.
            resolutions.removeAll()
        }
    }

    /// Call when a transaction of this engine is about to begin. There is at most one at a time.
    mutating func enterCommit() {
        isEntering = true
    }

    /// Call when it has begun, on a state that differs by these changes from the one reported before.
    mutating func beginCommit(_ changes: StoreChanges) {
        note(changes)
        isEntering = false
    }

    /// Call when it is about to make these changes. From now until it has ended, nothing that they concern is cached.
    mutating func makeChanges(_ changes: StoreChanges) {
        log.begin(changes)
        forget(changes)
    }

    /// Call when it has ended, with any result.
    mutating func endCommit() {
        isEntering = false
        forget(log.changing)
        log.end()
    }

    /// The changes since the last call. Changes that are being made now are reported again the next time.
    mutating func takeAccountChanges() -> StoreChanges {
        defer { accountChanges = log.changing }
        return accountChanges
    }

    /// Call if the changed accounts could not be read.
    mutating func restoreAccountChanges() {
        accountChanges = .everything
    }

    mutating func close() {
        isClosed = true
        note(.everything)
    }
}
