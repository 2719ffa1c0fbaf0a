internal import RecordStorage
internal import Synchronization

/// How new the facts are that a lookup is answered from, and by when those that are missing have to be read.
struct Freshness: Sendable {
    enum Grade: Sendable {
        /// They stand at this revision.
        case current(UInt64)
        /// A transaction of this process is about to begin: read from the store, and keep nothing.
        case unsettled
        /// The store could not be refreshed: from the last good state.
        case stale(EngineState.Staleness)
    }

    let grade: Grade
    /// Of the call that the lookup is part of.
    let deadline: Deadline

    /// Whether facts that are read now may be kept.
    var isSettled: Bool {
        if case .unsettled = grade { false } else { true }
    }

    /// Why the facts may not be the newest; nil if they are.
    var staleness: EngineState.Staleness? {
        if case .stale(let staleness) = grade { staleness } else { nil }
    }

    /// The revision that they stand at, where that is known.
    var currentRevision: UInt64? {
        if case .current(let revision) = grade { revision } else { nil }
    }
}

extension Engine {
    /// Brings the state up to the store's newest revision, if it is not there.
    ///
    /// - Throws: `closed`, and whatever a refresh throws but `busy` and `timeout`: those make the state stale.
    func freshen(_ now: ClockReading, until deadline: Deadline) throws(TokenCacheError) -> Freshness {
        try checkProcess()
        return Freshness(grade: try grade(now, until: deadline), deadline: deadline)
    }

    private func grade(_ now: ClockReading, until deadline: Deadline) throws(TokenCacheError) -> Freshness.Grade {
        if let known = try knownGrade(now) { return known }
        guard refreshing.acquire(until: deadline) else {
            return try fail(TokenCacheError(.timeout, detail: "another thread is waiting for the store"), now)
        }
        defer { refreshing.release() }
        // Somebody else may have done it meanwhile.
        if let known = try knownGrade(now) { return known }
        return try refresh(now, until: deadline)
    }

    private func knownGrade(_ now: ClockReading) throws(TokenCacheError) -> Freshness.Grade? {
        let revision = currentRevision()
        let isProbeDue = isProbeDue(now)
        var retries = false
        let known = try state.withLock { (state) throws(TokenCacheError) -> Freshness.Grade? in
            if state.isClosed { throw TokenCacheError(.closed) }
            if let staleness = state.staleness {
                retries = staleness.isRetryDue(now)
                if retries { state.staleness?.triedAt = now.nanoseconds }
                return .stale(staleness)
            }
            return state.revision == revision && !isProbeDue ? .current(revision) : nil
        }
        if retries { retryInBackground() }
        return known
    }

    /// The caller holds ``refreshing``.
    private func refresh(_ now: ClockReading, until deadline: Deadline) throws(TokenCacheError) -> Freshness.Grade {
        let known = state.withLock { $0.revision }
        probe(now)
        // Loaded first: what is read after the refresh is at least as new.
        let revision = currentRevision()
        if revision == known { return .current(revision) }
        let changes: StoreChanges
        do {
            changes = try store.refresh(until: deadline)
        } catch {
            return try fail(TokenCacheError(error), now)
        }
        return state.withLock { state in
            state.note(changes)
            state.staleness = nil
            // A transaction that is about to begin may have been told of changes that it has not noted yet.
            guard !state.isEntering else { return .unsettled }
            state.revision = revision
            return .current(revision)
        }
    }

    /// Asks the store whether it moved unnoticed, if it is time to. The caller holds ``refreshing``.
    private func probe(_ now: ClockReading) {
        guard isProbeDue(now) else { return }
        noteProbe(now)
        if store.wasModifiedExternally() { invalidateAll() }
    }

    /// The same, unless another thread is refreshing the store.
    @inline(never)
    func probeIfPossible(_ now: ClockReading) {
        // A thread of the parent may have held the lock when this process was forked.
        guard (try? checkProcess()) != nil, refreshing.acquireIfFree() else { return }
        defer { refreshing.release() }
        probe(now)
    }

    private func fail(_ error: TokenCacheError, _ now: ClockReading) throws(TokenCacheError) -> Freshness.Grade {
        guard let reason = StaleReason(error.code) else { throw error }
        let staleness = EngineState.Staleness(reason: reason, error: error, triedAt: now.nanoseconds)
        state.withLock { $0.staleness = staleness }
        return .stale(staleness)
    }

    /// Tries the refresh that failed again in the background: lookups go on with the last good state meanwhile.
    private func retryInBackground() {
        BlockingPool.shared.start { [weak self] in
            guard let self else { return }
            let now = ClockReading.now(clock)
            let deadline = newDeadline()
            guard refreshing.acquire(until: deadline) else { return }
            defer { refreshing.release() }
            // Forgotten first, so that an error which does not pass reaches the next lookup.
            state.withLock { $0.staleness = nil }
            // What fails here fails again at the next lookup, which reports it.
            _ = try? refresh(now, until: deadline)
        }
    }
}

extension EngineState.Staleness {
    func isRetryDue(_ now: ClockReading) -> Bool {
        UInt64(bitPattern: now.nanoseconds &- triedAt) >= Engine.retryInterval
    }
}
