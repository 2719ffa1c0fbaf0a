// SPDX-License-Identifier: Apache-2.0

internal import RecordStorage
internal import Synchronization

/// The age of the facts that answer a lookup, and the deadline for reading missing ones.
struct Freshness: Sendable {
    enum Grade: Sendable {
        /// The facts are valid at this revision.
        case current(UInt64)
        /// A transaction of this process is about to begin: read from the store, and do not cache.
        case unsettled
        /// The store could not be refreshed: use the last readable state.
        case stale(EngineState.Staleness)
    }

    let grade: Grade
    /// The deadline of the call that the lookup belongs to.
    let deadline: Deadline

    /// Whether facts that are read now may be cached.
    var isSettled: Bool {
        if case .unsettled = grade { false } else { true }
    }

    /// Why the facts may not be the newest; nil if they are.
    var staleness: EngineState.Staleness? {
        if case .stale(let staleness) = grade { staleness } else { nil }
    }

    /// The revision at which the facts are valid, if it is known.
    var currentRevision: UInt64? {
        if case .current(let revision) = grade { revision } else { nil }
    }
}

extension Engine {
    /// Brings the state up to the store's newest revision, if necessary.
    ///
    /// - Throws: `closed`, and the errors of a refresh except `busy` and `timeout`, which make the state stale.
    func freshen(_ now: ClockReading, until deadline: Deadline) throws(StorageError) -> Freshness {
        try checkProcess()
        return Freshness(grade: try grade(now, until: deadline), deadline: deadline)
    }

    private func grade(_ now: ClockReading, until deadline: Deadline) throws(StorageError) -> Freshness.Grade {
        if let known = try knownGrade(now) { return known }
        guard refreshing.acquire(until: deadline) else {
            return try fail(StorageError(.timeout, detail: "another thread is waiting for the store"), now)
        }
        defer { refreshing.release() }
        // Another thread may have refreshed in the meantime.
        if let known = try knownGrade(now) { return known }
        return try refresh(now, until: deadline)
    }

    /// The grade, if it is known without asking the store. Never waits.
    func knownGrade(_ now: ClockReading) throws(StorageError) -> Freshness.Grade? {
        let revision = currentRevision()
        let isProbeDue = isProbeDue(now)
        var retries = false
        let known = try state.withLock { (state) throws(StorageError) -> Freshness.Grade? in
            if state.isClosed { throw StorageError(.closed) }
            if let staleness = state.staleness {
                retries = staleness.isRetryDue(now)
                if retries, !startsThreads {
                    // The caller reads again, unless another thread does.
                    state.staleness = nil
                    retries = false
                    return nil
                }
                if retries { state.staleness?.triedAt = now.nanoseconds }
                return .stale(staleness)
            }
            return state.revision == revision && !isProbeDue ? .current(revision) : nil
        }
        if retries { retryInBackground() }
        return known
    }

    /// The caller holds ``refreshing``.
    private func refresh(_ now: ClockReading, until deadline: Deadline) throws(StorageError) -> Freshness.Grade {
        let known = state.withLock { $0.revision }
        probe(now)
        // Load the revision first: what is read after the refresh is at least as new.
        let revision = currentRevision()
        if revision == known { return .current(revision) }
        let changes: StoreChanges
        do {
            changes = try store.refresh(until: deadline)
        } catch {
            return try fail(error, now)
        }
        return state.withLock { state in
            state.note(changes)
            state.staleness = nil
            // A transaction that is about to begin may have received changes that it has not recorded yet.
            guard !state.isEntering else { return .unsettled }
            state.revision = revision
            return .current(revision)
        }
    }

    /// Asks the store about unannounced changes, if a probe is due. The caller holds ``refreshing``.
    private func probe(_ now: ClockReading) {
        guard isProbeDue(now) else { return }
        noteProbe(now)
        if store.hasUnannouncedChanges() { invalidateAll() }
    }

    /// The same, unless another thread is refreshing the store.
    @inline(never)
    func probeIfPossible(_ now: ClockReading) {
        // When this process was forked, a thread of the parent may have held the lock.
        guard (try? checkProcess()) != nil, refreshing.acquireIfFree() else { return }
        defer { refreshing.release() }
        probe(now)
    }

    private func fail(_ error: StorageError, _ now: ClockReading) throws(StorageError) -> Freshness.Grade {
        guard let reason = StaleReason(error.code) else { throw error }
        let staleness = EngineState.Staleness(reason: reason, error: error, triedAt: now.nanoseconds)
        state.withLock { $0.staleness = staleness }
        return .stale(staleness)
    }

    /// Retries the failed refresh in the background; meanwhile lookups use the last readable state.
    private func retryInBackground() {
        BlockingPool.shared.start { [weak self] in
            guard let self else { return }
            let now = ClockReading.now(clock)
            let deadline = newDeadline()
            guard refreshing.acquire(until: deadline) else { return }
            defer { refreshing.release() }
            // Clear it first, so that a permanent error reaches the next lookup.
            state.withLock { $0.staleness = nil }
            // If this fails, the next lookup fails too and reports the error.
            _ = try? refresh(now, until: deadline)
        }
    }
}

extension EngineState.Staleness {
    func isRetryDue(_ now: ClockReading) -> Bool {
        UInt64(bitPattern: now.nanoseconds &- triedAt) >= Engine.retryInterval
    }
}
